"""The list of hits, and the page on which those of the bank's records are judged by two people."""

import pytest

from banking.models import StaffEvent, Supplier
from onboarding.choices import HitStatus, PartyKind
from onboarding.models import ScreeningHit
from onboarding.services.checks import record_hits
from tests.factories import NOON, make_business, make_supplier
from tests.onboarding.admin.test_people import swap_by_sql
from tests.onboarding.hits import REASON, make_case_with_hits, seen
from tests.onboarding.sanctions_files import load

HITS = "/admin/onboarding/screeninghit/"
VIEW = ["view_screeninghit"]
REVIEWER = [*VIEW, "review_application"]
APPROVER = [*REVIEWER, "confirm_application"]


@pytest.fixture
def hit(db, tmp_path):
    """Return the hit of a supplier."""
    load(tmp_path)
    business = make_business(legal_name="Blue Cafe LLC")
    supplier = make_supplier(business, name="Quillon Trading", country="CU")
    record_hits.screen(PartyKind.SUPPLIER, supplier.pk, at=NOON)
    return ScreeningHit.objects.get()


def page_of(client, hit):
    return client.get(f"{HITS}{hit.pk}/change/").content.decode()


def judge(client, hit, verdict):
    sent = [f"{external_id}:{digest}" for external_id, digest in seen(hit).items()]
    said = {"hits": sent, "verdict": verdict, "reason": REASON}
    return client.post(f"{HITS}{hit.pk}/judge_hits/", said)


def settle(client, hit, step, **said):
    open_one = hit.judgements.get(status="OPEN")
    return client.post(f"{HITS}{hit.pk}/{step}/", {"clearings": [open_one.external_id], **said})


def test_the_list_shows_open_hits_of_cases_and_of_records(hit, make_staff):
    make_case_with_hits(77)

    page = make_staff(*VIEW).get(HITS).content.decode()

    assert "QUILLON TRADING COMPANY LTD." in page
    assert "PÉREZ-ÑAKAR, Ana" in page
    assert "Blue Cafe LLC" in page


def test_a_number_of_a_lead_that_cannot_be_read_breaks_no_list(make_staff):
    lead, other = (make_case_with_hits(number).lead for number in (77, 78))
    swap_by_sql(lead, other)

    assert make_staff(*VIEW).get(HITS).status_code == 200


def test_the_page_shows_both_sides_and_the_business(hit, make_staff):
    page = page_of(make_staff(*REVIEWER), hit)

    for text in ("Quillon Trading", "Blue Cafe LLC", "Cuba", "QUILLON is the same", "OFAC SDN"):
        assert text in page


def test_a_hit_of_a_lead_leads_to_its_case(hit, make_staff):
    case = make_case_with_hits(77)
    of_lead = case.lead.screening_hits.get()

    answer = make_staff(*VIEW).get(f"{HITS}{of_lead.pk}/change/")

    assert answer["Location"] == (
        f"/admin/onboarding/application/{case.pk}/change/#hit-{of_lead.external_id}"
    )


def test_two_people_clear_a_hit(hit, make_staff):
    reviewer, approver = make_staff(*REVIEWER), make_staff(*APPROVER)

    judge(reviewer, hit, "FALSE_POSITIVE")
    own = settle(reviewer, hit, "confirm_clearings").status_code
    before = ScreeningHit.objects.get().status
    settle(approver, hit, "confirm_clearings")

    assert (own, before) == (403, HitStatus.UNREVIEWED)
    assert ScreeningHit.objects.get().status == HitStatus.FALSE_POSITIVE
    steps = list(StaffEvent.objects.order_by("number").values_list("details__step", flat=True))
    assert steps == ["hits.clearing_proposed", "hits.judged"]
    assert "QUILLON" not in approver.get(HITS).content.decode()


def test_a_proposal_is_refused_or_withdrawn(hit, make_staff):
    reviewer, approver = make_staff(*REVIEWER), make_staff(*APPROVER)
    judge(reviewer, hit, "FALSE_POSITIVE")
    settle(approver, hit, "refuse_clearings", reason="No.")
    judge(reviewer, hit, "FALSE_POSITIVE")
    settle(reviewer, hit, "withdraw_clearings")

    outcomes = set(hit.judgements.values_list("status", flat=True))
    assert outcomes == {"REFUSED", "WITHDRAWN"}
    assert ScreeningHit.objects.get().status == HitStatus.UNREVIEWED


def test_a_changed_record_voids_what_the_page_has_shown(hit, make_staff):
    reviewer = make_staff(*REVIEWER)
    supplier_key = hit.party_row
    judge(reviewer, hit, "FALSE_POSITIVE")
    Supplier.objects.filter(pk=supplier_key).update(country="US")

    settle(make_staff(*APPROVER), hit, "confirm_clearings")

    assert hit.judgements.get().status == "VOIDED"


def test_a_confirmed_match_counts_at_once(hit, make_staff):
    judge(make_staff(*REVIEWER), hit, "CONFIRMED")

    assert ScreeningHit.objects.get().status == HitStatus.CONFIRMED


def test_nobody_judges_without_the_permission(hit, make_staff):
    assert judge(make_staff(*VIEW), hit, "CONFIRMED").status_code == 403
    assert make_staff().get(HITS).status_code == 403


def test_a_gone_record_is_said_to_be_gone(hit, make_staff):
    Supplier.objects.all().delete()

    assert "A record that was removed" in page_of(make_staff(*REVIEWER), hit)


def test_the_home_page_counts_hits_of_records(hit, make_staff):
    assert "Hits of customers&#x27; records" in make_staff(*VIEW).get("/admin/").content.decode()


def test_a_new_hit_of_the_records_has_a_clock_until_it_is_judged(hit, make_staff):
    reviewer = make_staff(*REVIEWER)
    ScreeningHit.objects.update(due_at=NOON)  # long ago
    lists = [reviewer.get(f"{HITS}?state={state}") for state in ("records", "overdue")]

    judge(reviewer, hit, "INCONCLUSIVE")

    for page in lists:
        assert "Hit late" in page.content.decode()
        assert "Blue Cafe LLC" in page.content.decode()
    assert "Blue Cafe LLC" not in reviewer.get(f"{HITS}?state=records").content.decode()
    assert "Blue Cafe LLC" in reviewer.get(f"{HITS}?state=open").content.decode()
