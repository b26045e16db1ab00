"""Trusts and companies that hold a share: compared with the lists like owners."""

from decimal import Decimal

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import HitStatus, HolderKind
from onboarding.models import Application, Holder, Lead, ScreeningHit
from onboarding.queries import audit, hit_facts, parties
from onboarding.queries.parties import read_parties
from onboarding.services.checks import screening_hits
from onboarding.services.leads import holders
from tests.factories import NOON, later, make_owner
from tests.onboarding.cases import make_reviewer
from tests.onboarding.hits import clear, reload
from tests.onboarding.sanctions_files import SDN, load, recheck
from tests.onboarding.services.checks.submitted import complete, give, screen


def make_holder(lead, name="Quillon Trading Company LLC", **values):
    values = {"kind": HolderKind.COMPANY, "share_percent": Decimal(30), **values}
    return Holder.objects.create(lead=lead, name=name, created_at=NOON, **values)


@pytest.fixture
def bob(db):
    return make_reviewer("confirm_application")


def found(lead):
    hits = ScreeningHit.objects.filter(lead=lead, is_current=True)
    return set(hits.values_list("party_id", "subject", "entry_number"))


def test_holders_at_any_depth_are_compared_when_the_application_is_submitted(submitted, tmp_path):
    load(tmp_path)
    application = submitted()
    trust = make_holder(application.lead, "Vortexa Holdings", kind=HolderKind.TRUST)
    below = make_holder(application.lead, parent=trust)

    screen()

    assert found(application.lead) == {
        (trust.external_id, "BUSINESS", 173),
        (below.external_id, "BUSINESS", 36),
    }
    assert reload(application).status == Status.IN_REVIEW
    check = application.check_runs.get().checks.get(code="SANCTIONS")
    assert (check.ubo_id, check.note) == (None, "2 names are alike.")


def test_a_number_of_a_holder_is_a_hit(submitted, tmp_path):
    row = SDN[0].rpartition("-0-")[0] + '"Tax ID No. 987654328 (United States)."'
    load(tmp_path, sdn=(row, *SDN[1:]))
    application = submitted()
    holder = make_holder(application.lead, "Blue Cafe LLC", ein="987654328")

    screen()

    assert found(application.lead) == {(holder.external_id, "BUSINESS", 36)}
    side = hit_facts.side_of(holder, "BUSINESS")
    assert (side.name, side.is_person, side.shown_numbers) == (
        "Blue Cafe LLC",
        False,
        ["••••4328"],
    )


def test_another_name_of_a_holder_reopens_a_cleared_hit(submitted, ada, bob, tmp_path):
    load(tmp_path)
    application = submitted()
    holder = make_holder(application.lead)
    complete(application)
    screen()
    Lead.objects.update(updated_at=later(days=-1))
    give(application, ada)
    application = reload(application)
    clear(application, *application.lead.screening_hits.all(), by=ada, second=bob)

    Application.objects.update(status=Status.IN_PROGRESS)
    details = holders.HolderDetails(
        HolderKind.COMPANY, "Quillon Trading Corp", Decimal(30), is_rest_small=True
    )
    holders.save_holder(reload(application), holder.external_id, details, at=later(hours=2))
    Application.objects.update(status=Status.IN_REVIEW)
    list(recheck(at=later(hours=3)))

    hit = application.lead.screening_hits.get()
    assert (hit.status, hit.note) == (HitStatus.UNREVIEWED, screening_hits.PARTY_CHANGED)
    assert list(audit.find_faults()) == []


def test_a_removed_holder_ends_its_hit(submitted, tmp_path):
    load(tmp_path)
    application = submitted()
    holder = make_holder(application.lead)
    screen()
    holder.delete()
    Application.objects.update(needs_screening=True)

    list(recheck(at=later(hours=1)))

    assert found(application.lead) == set()


def test_a_new_list_finds_the_holder_of_a_customer_by_name_and_by_number(submitted, tmp_path):
    load(tmp_path)
    customers = submitted("1111"), submitted("2222"), submitted("3333")
    holder = make_holder(customers[0].lead, "Smithereen Trust", kind=HolderKind.TRUST)
    make_holder(customers[1].lead, "Blue Cafe LLC", ein="987654328")
    make_owner(customers[2].lead, first_name="Wilma", last_name="Ordinary")
    screen()
    Application.objects.update(status=Status.APPROVED)
    list(recheck(at=later(hours=2)))
    rows = (
        SDN[0].replace("36,", "5,", 1).replace("QUILLON TRADING COMPANY LTD.", "SMITHEREEN TRUST"),
        SDN[0].replace("36,", "6,", 1).replace("QUILLON TRADING COMPANY LTD.", "QUORNDON S.A."),
    )
    numbered = rows[1].rpartition("-0-")[0] + '"Tax ID No. 987654328 (United States)."'

    load(tmp_path, sdn=(*SDN, rows[0], numbered), at=later(days=1))
    again = {one.application_id for one in recheck(at=later(days=2))}

    assert again == {one.external_id for one in customers[:2]}
    assert found(customers[0].lead) == {(holder.external_id, "BUSINESS", 5)}
    assert reload(customers[0]).new_hit_at == later(days=2)


def test_holders_are_read_with_their_numbers_on_request(submitted):
    application = submitted()
    Application.objects.update(status=Status.IN_REVIEW)
    holder = make_holder(application.lead, "Blue Cafe LLC", ein="987654328")

    [party] = read_parties(parties.HOLDERS, after=0, limit=10, with_numbers=True)

    assert (party.row, party.lead, party.numbers) == (holder.pk, holder.lead_id, ("987654328",))
    assert party.names == (("Blue Cafe LLC", False),)
