"""Reliance: two administrators begin and end it. The screen's tests have more."""

from banking.models import User
from banking.services import staff_changes
from onboarding.models import Partner
from onboarding.services.partners import reliance
from tests.factories import NOON


def test_two_administrators_begin_and_end_it(make_partner):
    rosa, sam = (
        User.objects.create_user(f"{name}@example.com", user_type="STAFF") for name in "rs"
    )
    seen = []
    begin = reliance.propose(make_partner(), "Annex 3", by=rosa, at=NOON)
    seen.append(Partner.objects.get().reliance_contract)
    staff_changes.confirm(begin, by=sam, at=NOON)
    seen.append(Partner.objects.get().reliance_contract)

    end = reliance.propose_end(Partner.objects.get(), by=sam, at=NOON)
    staff_changes.confirm(end, by=rosa, at=NOON)

    assert seen == ["", "Annex 3"]
    assert Partner.objects.get().reliance_contract == ""
