"""The card of screening hits: all of them with both sides, judged by two people."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from banking.models import User
from onboarding.admin.hits import HIT_STEPS
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import HitStatus
from onboarding.models import Application, Lead, Proposal
from tests.onboarding.admin.test_case import read
from tests.onboarding.admin.test_case_steps import VIEW, buttons_of, page_of, path_of
from tests.onboarding.cases import load
from tests.onboarding.hits import REASON, make_case_with_hits, make_hit, seen, statuses

REVIEWER = [*VIEW, "review_application", "decide_application"]
APPROVER = [*REVIEWER, "confirm_application"]
NUMBERS = range(1, 8)


@pytest.fixture
def case(db):
    """A case with seven hits."""
    case = make_case_with_hits(*NUMBERS, checked_at=timezone.now())
    lead = {"first_name": "Clara", "last_name": "Bensen", "birth_date": "1979-05-04"}
    Lead.objects.filter(pk=case.lead_id).update(**lead)
    remarks = {"remarks": "DOB 04 May 1952; nationality Iran.", "names": ["BENSEN"]}
    case.lead.screening_hits.update(entry=remarks, matched="BENSEN, Klara")
    return load(case)


def send(client, case, step, **values):
    return client.post(path_of(case, step), values)


def judge(client, case, verdict, hits, reason=REASON):
    sent = [f"{external_id}:{digest}" for external_id, digest in seen(*hits).items()]
    return send(client, case, "judge_hits", hits=sent, verdict=verdict, reason=reason)


def clearings(case):
    hits = case.lead.screening_hits.filter(judgements__status="OPEN")
    return [str(one) for one in hits.values_list("judgements__external_id", flat=True)]


def test_all_hits_are_shown_with_both_sides(case, make_staff):
    page = read(make_staff(*REVIEWER), case)["hits"]

    assert "7 of 7 not cleared" in page
    assert page.count("BENSEN, Klara, an alias of") == len(NUMBERS)
    assert page.count("04 May 1979 04 May 1952 Different") == len(NUMBERS)


def test_two_people_clear_all_hits_and_only_then_an_approval_is_offered(case, make_staff):
    reviewer, approver = make_staff(*REVIEWER), make_staff(*APPROVER)
    user = User.objects.get(pk=reviewer.session["_auth_user_id"])
    until = timezone.now() + timedelta(hours=1)
    Application.objects.update(claimed_by=user, claimed_until=until)
    before = buttons_of(reviewer, case)

    answer = judge(reviewer, case, "FALSE_POSITIVE", case.lead.screening_hits.all())
    own = buttons_of(reviewer, case)
    second = buttons_of(approver, case)
    send(approver, case, "confirm_clearings", clearings=clearings(case))

    assert answer["Location"].endswith("#hits")
    assert "approve" not in before
    assert {"withdraw_clearings"} == own & set(HIT_STEPS)
    assert {"confirm_clearings", "refuse_clearings"} == second & set(HIT_STEPS)
    assert set(statuses(case).values()) == {HitStatus.FALSE_POSITIVE}
    assert "approve" in buttons_of(reviewer, case)
    page = read(reviewer, case)["hits"]
    assert "All 7 cleared" in page
    assert "confirmed by" in page


def test_the_card_of_the_decision_says_how_many_hits_block_and_links_to_them(case, make_staff):
    page = page_of(make_staff(*REVIEWER).get(path_of(case)))

    assert (
        '<a href="#hits">7 screening hits</a> are not cleared. Nobody can approve before they are.'
        in page
    )


def test_the_proposer_cannot_confirm(case, make_staff):
    approver = make_staff(*APPROVER)
    judge(approver, case, "FALSE_POSITIVE", case.lead.screening_hits.all())

    answer = send(approver, case, "confirm_clearings", clearings=clearings(case))

    assert answer.status_code == 409
    assert "You proposed this." in page_of(answer)
    assert set(statuses(case).values()) == {HitStatus.UNREVIEWED}


def test_a_refusal_keeps_what_was_typed(case, make_staff):
    hit = case.lead.screening_hits.first()
    shown = [f"{external_id}:{'0' * 64}" for external_id in seen(hit)]

    answer = send(
        make_staff(*REVIEWER),
        case,
        "judge_hits",
        hits=shown,
        verdict="CONFIRMED",
        reason="My words",
    )

    assert answer.status_code == 409
    assert "A hit has changed since the page was shown" in page_of(answer)
    assert ">My words</textarea>" in page_of(answer)


@pytest.mark.parametrize("hits", [[], ["nonsense"], ["nonsense:x"], ["0" * 5000]])
def test_nonsense_is_refused(case, make_staff, hits):
    client = make_staff(*REVIEWER)

    answer = send(client, case, "judge_hits", hits=hits, verdict="CONFIRMED", reason="x")
    other = send(client, case, "judge_hits", hits=hits, verdict="UNREVIEWED", reason="")

    assert (answer.status_code, other.status_code) == (422, 422)


@pytest.mark.parametrize(("step", "permission"), [(k, s.permission) for k, s in HIT_STEPS.items()])
def test_a_step_takes_its_permission_and_a_post(case, make_staff, step, permission):
    others = {"review_application", "confirm_application"} - {permission}

    assert send(make_staff(*VIEW, *others), case, step).status_code == 403
    assert make_staff(*VIEW, permission).get(path_of(case, step)).status_code == 405


def test_a_viewer_sees_the_hits_and_no_step(case, make_staff):
    client = make_staff(*VIEW)

    assert "hits" in read(client, case)
    assert not buttons_of(client, case) & set(HIT_STEPS)
    assert "hits" not in read(make_staff("view_application", "view_lead"), case)


def test_the_list_shows_hits_and_the_clock_of_a_customer(case, make_staff):
    now = timezone.now()
    customer = make_case_with_hits(9, status=Status.APPROVED)
    alert = {"new_hit_at": now, "due_at": now + timedelta(days=1)}
    Application.objects.filter(pk=customer.pk).update(**alert)

    page = page_of(make_staff(*REVIEWER).get("/admin/onboarding/application/?queue=hits"))

    assert re.findall(r"badge-(?:open|new)_hit[^>]*>([^<]+)", page) == ["7 hits", "1 hit, new"]
    assert "Hits due" in page


def test_a_voided_proposal_says_so_on_the_card(case, make_staff):
    client = make_staff(*APPROVER)
    Proposal.objects.create(
        application=case,
        kind="DENY",
        status="VOIDED",
        evidence_digest="0" * 64,
        proposed_by=User.objects.get(pk=client.session["_auth_user_id"]),
        proposed_at=timezone.now(),
        settled_at=timezone.now(),
        settled_note="A check has another result.",
    )

    page = read(client, case)["decision"]

    assert re.search(r"“Deny”, proposed by staff.* was voided on .*: A check has", page)


def test_hits_of_a_removed_owner_are_shown(case, make_staff):
    make_hit(case, 99, party_id="01890a5d-ac96-774b-bcce-b302099a8057")

    assert "An owner who was removed" in read(make_staff(*REVIEWER), case)["hits"]


def test_the_card_takes_no_statement_for_each_hit(case, count_queries):
    few = count_queries(path_of(case))
    for number in range(20, 40):
        make_hit(case, number)

    assert count_queries(path_of(case)) == few
