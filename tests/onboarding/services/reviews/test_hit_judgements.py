"""Judgements of screening hits: verdicts of one person, and clearings by two."""

from uuid import uuid4

import pytest
from django.db import IntegrityError

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import HitStatus, ProposalKind, ProposalStatus
from onboarding.event_types import EventType
from onboarding.models import Application, HitJudgement, Lead, ScreeningHit
from onboarding.queries import fixed_rows
from onboarding.queries.audited_rows import AuditedRows
from onboarding.queries.screening_hits import digest_party
from onboarding.services.reviews import decisions, hit_judgements, proposals
from onboarding.services.reviews.cases import Incomplete
from tests.factories import NOON, later, make_document
from tests.onboarding.cases import load, make_case
from tests.onboarding.hits import (
    REASON,
    clear,
    make_case_with_hits,
    make_hit,
    propose_clearing,
    seen,
    statuses,
    types,
)

JUDGED, FALSE = EventType.HITS_JUDGED, HitStatus.FALSE_POSITIVE


def judge(case, verdict, *hits, by, reason=REASON):
    return hit_judgements.judge(case, verdict, hits=seen(*hits), reason=reason, by=by, at=NOON)


def approve(case, *, by, kind=ProposalKind.APPROVE_TEMPORARILY):
    return proposals.decide(case, kind, internal_text="ok", by=by, at=NOON)


@pytest.mark.parametrize("verdict", [HitStatus.CONFIRMED, HitStatus.INCONCLUSIVE])
def test_one_person_confirms_a_match_or_leaves_it_open(ada, verdict):
    case = make_case_with_hits(1, 2)
    one, _other = case.lead.screening_hits.order_by("pk")

    judge(case, verdict, one, by=ada)

    one.refresh_from_db()
    assert (one.status, one.judgement.by, one.judgement.reason) == (verdict, ada, REASON)
    assert one.judgement.settled_by is None
    assert (statuses(case)[2], types(case)) == (HitStatus.UNREVIEWED, [JUDGED])


def test_a_clearing_of_many_hits_counts_once_a_second_person_confirmed_it(ada, bob):
    case = make_case_with_hits(1, 2, 3)

    made = propose_clearing(case, *case.lead.screening_hits.all(), by=ada)
    before = statuses(case)
    ids = [one.external_id for one in made]
    hit_judgements.confirm(load(case), clearings=ids, by=bob, at=later(hours=1))

    assert set(before.values()) == {HitStatus.UNREVIEWED}
    assert set(statuses(case).values()) == {FALSE}
    judgement = ScreeningHit.objects.get(entry_number=2).judgement
    assert (judgement.by, judgement.settled_by) == (ada, bob)
    assert types(case) == [EventType.CLEARING_PROPOSED, JUDGED]


def test_nobody_confirms_or_refuses_their_own_clearing_nor_withdraws_a_colleagues(ada, bob):
    case = make_case_with_hits(1)
    [made] = propose_clearing(case, case.lead.screening_hits.get(), by=ada)
    ids = {"clearings": [made.external_id], "at": NOON}

    with pytest.raises(hit_judgements.OwnClearing):
        hit_judgements.confirm(case, by=ada, **ids)
    with pytest.raises(hit_judgements.OwnClearing):
        hit_judgements.refuse(case, by=ada, reason="x", **ids)
    with pytest.raises(hit_judgements.NotOwnClearing):
        hit_judgements.withdraw(case, by=bob, **ids)

    assert statuses(case) == {1: HitStatus.UNREVIEWED}


def test_the_database_refuses_a_hit_that_one_person_cleared(ada):
    hit = make_hit(make_case())
    values = {"hit": hit, "verdict": FALSE, "status": ProposalStatus.CONFIRMED, "by": ada}

    with pytest.raises(IntegrityError, match="hitjudgement_false_positive_by_two_people"):
        HitJudgement.objects.create(settled_by=ada, settled_at=NOON, at=NOON, **values)


@pytest.mark.parametrize("end", ["refuse", "withdraw"])
def test_a_clearing_that_is_refused_or_withdrawn_leaves_the_hit_open(ada, bob, end):
    case = make_case_with_hits(1)
    hit = case.lead.screening_hits.get()
    [made] = propose_clearing(case, hit, by=ada)

    if end == "refuse":
        ids = [made.external_id]
        hit_judgements.refuse(case, clearings=ids, reason="Look again.", by=bob, at=NOON)
    else:
        hit_judgements.withdraw(case, clearings=[made.external_id], by=ada, at=NOON)

    assert statuses(case) == {1: HitStatus.UNREVIEWED}
    assert types(case)[-1] == EventType.CLEARING_ENDED
    assert propose_clearing(load(case), hit, by=bob)


def test_a_stale_page_is_refused(ada, bob):
    case = make_case_with_hits(1)
    hit = case.lead.screening_hits.get()
    shown = seen(hit)
    judge(case, HitStatus.INCONCLUSIVE, hit, by=bob)

    with pytest.raises(hit_judgements.HitsChanged):
        hit_judgements.judge(case, FALSE, hits=shown, reason=REASON, by=ada, at=NOON)


def test_hits_of_another_lead_are_refused(ada):
    case, other = make_case_with_hits(1), make_case_with_hits(1)

    with pytest.raises(hit_judgements.HitsChanged):
        judge(case, HitStatus.CONFIRMED, other.lead.screening_hits.get(), by=ada)
    with pytest.raises(hit_judgements.HitsChanged):
        hit_judgements.withdraw(case, clearings=[uuid4()], by=ada, at=NOON)

    assert statuses(other) == {1: HitStatus.UNREVIEWED}


def test_a_judgement_needs_hits_and_words(ada):
    case = make_case_with_hits(1)

    with pytest.raises(Incomplete):
        judge(case, HitStatus.CONFIRMED, by=ada)
    with pytest.raises(Incomplete):
        judge(case, HitStatus.CONFIRMED, case.lead.screening_hits.get(), by=ada, reason=" ")


def test_a_confirmed_match_is_cleared_by_two_people_or_not_at_all(ada, bob):
    case = make_case_with_hits(1)
    hit = case.lead.screening_hits.get()
    judge(case, HitStatus.CONFIRMED, hit, by=ada)
    hit.refresh_from_db()

    with pytest.raises(hit_judgements.ConfirmedMatch):
        judge(case, HitStatus.INCONCLUSIVE, hit, by=ada)
    clear(load(case), hit, by=ada, second=bob)

    assert statuses(case) == {1: FALSE}


def test_a_hit_with_a_proposed_clearing_waits_for_it(ada, bob):
    case = make_case_with_hits(1)
    hit = case.lead.screening_hits.get()
    propose_clearing(case, hit, by=ada)

    with pytest.raises(hit_judgements.ClearingWaits):
        judge(case, HitStatus.CONFIRMED, hit, by=bob)


def test_a_clearing_is_void_once_the_facts_of_the_customer_changed(ada, bob):
    case = make_case_with_hits(1)
    hit = case.lead.screening_hits.get()
    hit.party_digest = digest_party(case.lead, "PERSON")[0]
    hit.save()
    [made] = propose_clearing(case, hit, by=ada)
    Lead.objects.filter(pk=case.lead_id).update(first_name="Ana")

    with pytest.raises(hit_judgements.ClearingVoid):
        hit_judgements.confirm(load(case), clearings=[made.external_id], by=bob, at=NOON)

    made.refresh_from_db()
    assert (made.status, statuses(case)) == (ProposalStatus.VOIDED, {1: HitStatus.UNREVIEWED})


def test_a_clearing_of_somebody_who_left_is_void(ada, bob):
    case = make_case_with_hits(1)
    [made] = propose_clearing(case, case.lead.screening_hits.get(), by=ada)
    type(ada).objects.filter(pk=ada.pk).update(is_active=False)

    with pytest.raises(hit_judgements.ClearingVoid):
        hit_judgements.confirm(load(case), clearings=[made.external_id], by=bob, at=NOON)


@pytest.mark.parametrize("verdict", [None, HitStatus.CONFIRMED, HitStatus.INCONCLUSIVE])
@pytest.mark.parametrize("kind", [ProposalKind.APPROVE, ProposalKind.APPROVE_TEMPORARILY])
def test_a_hit_that_is_not_cleared_blocks_every_approval(ada, verdict, kind):
    case = make_case_with_hits(1, 2, by=ada)
    Application.objects.update(risk="LOW", risk_points=0)
    if verdict:
        judge(case, verdict, *case.lead.screening_hits.all(), by=ada)

    with pytest.raises(decisions.HitsOpen, match="2 screening hits are not cleared"):
        approve(load(case), by=ada, kind=kind)

    assert load(case).status == Status.IN_REVIEW


def test_a_hit_that_came_after_a_proposed_approval_blocks_its_confirmation(ada, bob):
    case = make_case_with_hits(by=ada)
    Application.objects.update(risk="HIGH")
    proposal = approve(load(case), by=ada)
    make_hit(case)

    with pytest.raises(decisions.HitsOpen):
        proposals.confirm(proposal, by=bob, at=NOON)


def test_an_approval_is_possible_once_the_hits_are_cleared(ada, bob):
    case = make_case_with_hits(1, 2, by=ada)
    clear(case, *case.lead.screening_hits.all(), by=ada, second=bob)

    approve(load(case), by=ada)

    assert load(case).status == Status.APPROVED_TEMPORARY


def test_a_judgement_voids_a_proposed_decision(ada):
    case = make_case_with_hits(1, by=ada)
    proposal = proposals.decide(
        case, ProposalKind.DENY, reasons=["NOT_VERIFIED"], internal_text="x", by=ada, at=NOON
    )

    judge(load(case), HitStatus.CONFIRMED, case.lead.screening_hits.get(), by=ada)

    proposal.refresh_from_db()
    assert (proposal.status, proposal.settled_note) == ("VOIDED", "Screening hits judged")


def test_the_last_judgement_ends_the_alert_of_a_customer(ada, bob):
    customer = make_case_with_hits(1, 2, status=Status.APPROVED)
    Application.objects.update(new_hit_at=NOON, due_at=later(days=1))
    one, other = customer.lead.screening_hits.order_by("pk")

    judge(customer, HitStatus.CONFIRMED, one, by=ada)
    waits = load(customer).new_hit_at
    clear(load(customer), other, by=ada, second=bob)

    customer = load(customer)
    assert (waits, customer.new_hit_at, customer.due_at) == (NOON, None, None)


def test_a_changed_reason_is_found_in_the_audit(ada, bob):
    case = make_case_with_hits(1)
    clear(case, case.lead.screening_hits.get(), by=ada, second=bob)

    HitJudgement.objects.update(reason="Another reason.")

    rows = AuditedRows([case.lead])
    assert len(list(fixed_rows.list_changed(case.lead, rows.events_of(case.lead), rows))) == 2


@pytest.mark.parametrize(
    "values", [{"settled_note": "Another note."}, {"settled_at": later(days=9)}]
)
def test_a_changed_end_of_a_clearing_is_found_in_the_audit(ada, bob, values):
    case = make_case_with_hits(1)
    made = propose_clearing(case, case.lead.screening_hits.get(), by=ada)
    ids = [one.external_id for one in made]
    hit_judgements.refuse(case, clearings=ids, reason="Another person.", by=bob, at=NOON)
    rows = AuditedRows([case.lead])
    before = list(fixed_rows.list_changed(case.lead, rows.events_of(case.lead), rows))

    HitJudgement.objects.update(**values)

    rows = AuditedRows([case.lead])
    after = list(fixed_rows.list_changed(case.lead, rows.events_of(case.lead), rows))
    assert (len(before), len(after)) == (0, 1)


def test_a_cleared_hit_is_not_cleared_again_but_may_be_found_to_match(ada, bob):
    case = make_case_with_hits(1)
    clear(case, case.lead.screening_hits.get(), by=ada, second=bob)
    hit = case.lead.screening_hits.get()

    with pytest.raises(Incomplete):
        propose_clearing(load(case), hit, by=ada)
    judge(load(case), HitStatus.CONFIRMED, hit, by=bob)

    assert statuses(case) == {1: HitStatus.CONFIRMED}


def test_documents_change_no_hit(ada):
    case = make_case_with_hits(1)
    make_document(case.lead)

    judge(case, HitStatus.CONFIRMED, case.lead.screening_hits.get(), by=ada)

    assert statuses(case) == {1: HitStatus.CONFIRMED}
