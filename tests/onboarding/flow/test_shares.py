"""What everybody owns of the business."""

from decimal import Decimal

import pytest
from django.utils import translation

from onboarding.flow.forms.control import may_lack_owners
from onboarding.flow.shares import shares_beside
from onboarding.models import Holder
from onboarding.queries.leads import open_lead_file
from onboarding.services.leads.overviews import percent
from tests.factories import NOON


@pytest.fixture
def file(make_application, make_lead, make_owner):
    lead = make_lead(email="ada@example.com", ownership_percent=Decimal(40))
    make_owner(lead, ownership_percent=Decimal(30))
    make_owner(lead, email="ada@example.com", ownership_percent=Decimal(45))
    make_owner(lead)
    return open_lead_file(make_application(lead))


def test_an_owner_adds_to_what_the_others_own(file):
    shares = shares_beside(file.owners[0], file, own=Decimal(56))

    assert (shares.others, shares.total, shares.is_too_much) == (45, 101, True)


@pytest.mark.parametrize(("own", "total"), [(40, 75), (50, 80)])
def test_who_is_named_twice_owns_the_larger_share(file, own, total):
    shares = shares_beside(file.application.lead, file, own=Decimal(own))

    assert (shares.others, shares.total) == (30, total)


def test_trusts_and_companies_add_their_shares_of_the_business_itself(file):
    lead = file.lead
    trust = Holder.objects.create(
        lead=lead, kind="TRUST", name="Trust", share_percent=20, created_at=NOON
    )
    Holder.objects.create(
        lead=lead, kind="COMPANY", name="Inc", parent=trust, share_percent=50, created_at=NOON
    )

    shares = shares_beside(file.owners[0], open_lead_file(file.application), own=Decimal(30))

    assert (shares.others, shares.total) == (65, 95)


def test_a_trust_leaves_less_room_for_unknown_owners(make_application, make_lead):
    lead = make_lead(business_type="MMLLC", ownership_percent=Decimal(60))
    application = make_application(lead)
    before = may_lack_owners(open_lead_file(application))
    Holder.objects.create(lead=lead, kind="TRUST", name="Trust", share_percent=40, created_at=NOON)

    assert before
    assert not may_lack_owners(open_lead_file(application))


@pytest.mark.parametrize(
    ("share", "language", "shown"),
    [("30.5000", "en", "30.5%"), ("30.5000", "es", "30,5%"), ("100", "en", "100%")],
)
def test_shares_are_written_as_the_reader_does(share, language, shown):
    with translation.override(language):
        assert percent(Decimal(share)) == shown
