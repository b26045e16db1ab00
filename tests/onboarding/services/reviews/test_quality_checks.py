"""Quality checks: chosen by a draw that nobody can tell before, and judged by a colleague."""

import pytest
from django.db import IntegrityError, transaction

from banking.services.second_person import AccountTooNew
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import ProposalKind, QualityVerdict, Risk
from onboarding.event_types import EventType
from onboarding.models import Application, DocumentRule, Event, QualityCheck
from onboarding.queries import audit
from onboarding.queries.quality_checks import blind_checks, is_chosen, open_checks
from onboarding.services.reviews import cases, proposals, quality_checks
from onboarding.services.reviews.cases import Incomplete
from onboarding.services.reviews.quality_checks import AlreadyJudged, OwnDecision, SawDecision
from tests.factories import NOON, later
from tests.onboarding.cases import load, make_checked_case
from tests.onboarding.policies import set_rule

pytestmark = pytest.mark.django_db
TEMPORARILY = ProposalKind.APPROVE_TEMPORARILY
REASON = "The articles name another address than the bill."


@pytest.fixture(autouse=True)
def without_a_checklist(db):
    DocumentRule.objects.all().delete()


@pytest.fixture
def approve(ada):
    """Let Ada approve a new case alone."""

    def approve(kind=ProposalKind.APPROVE, risk=Risk.LOW):
        case = make_checked_case(by=ada)
        Application.objects.filter(pk=case.pk).update(risk=risk)
        proposals.decide(load(case), kind, internal_text="All is well.", by=ada, at=NOON)
        return load(case)

    return approve


@pytest.fixture
def chosen(approve):
    set_rule(70, sampled_percent=100)
    approve()
    return QualityCheck.objects.get()


def judge(row, by, verdict=QualityVerdict.DENY, reason=REASON, at=NOON):
    return quality_checks.judge(row, verdict, reason=reason, by=by, at=at)


def test_no_approval_is_chosen_unless_the_policy_says_so(approve):
    case = approve()

    assert not QualityCheck.objects.exists()
    details = Event.objects.get(type=EventType.APPROVED).details
    assert "sampled_percent" not in details
    assert case.status == Status.APPROVED


def test_an_approval_is_chosen_at_a_hundred_percent(chosen, ada):
    event = Event.objects.get(type=EventType.APPROVED)

    assert (chosen.event, chosen.decided_by, chosen.decided_at) == (event, ada, NOON)
    assert event.details["sampled_percent"] == 100
    said = Event.objects.get(type=EventType.QUALITY_CHOSEN)
    assert (said.role, said.who) == ("CHECKS", "")
    assert said.details == {"quality_check_id": str(chosen.external_id)}
    assert list(audit.find_faults()) == []


def test_a_temporary_approval_has_a_rule_of_its_own(approve):
    set_rule(80, sampled_percent=100)
    approve()
    assert not QualityCheck.objects.exists()

    approve(TEMPORARILY)

    assert QualityCheck.objects.get().application.status == Status.APPROVED_TEMPORARY


def test_decisions_of_two_people_are_not_chosen(approve, bob):
    for number in (50, 60, 10):
        set_rule(number, sampled_percent=100)
    case = approve(risk=Risk.HIGH)

    proposals.confirm(case.proposals.get(), by=bob, at=NOON)

    assert load(case).status == Status.APPROVED
    assert not QualityCheck.objects.exists()


def test_about_the_share_of_the_policy_is_chosen_and_the_same_at_each_draw():
    details = {"sampled_percent": 20, "draw_key_id": "test1"}
    events = [Event(digest=f"{number:064x}", details=details) for number in range(2000)]

    first = [is_chosen(event) for event in events]

    assert 340 < sum(first) < 460
    assert first == [is_chosen(event) for event in events]


def test_another_key_chooses_others(settings):
    details = {"sampled_percent": 50, "draw_key_id": "test1"}
    events = [Event(digest=f"{number:064x}", details=details) for number in range(64)]
    first = [is_chosen(event) for event in events]

    settings.PII_INDEX_KEYS = f"test1:{'4d' * 32}"

    assert first != [is_chosen(event) for event in events]


def test_the_audit_repeats_the_draw(chosen):
    QualityCheck.objects.all().delete()

    (fault,) = audit.find_faults()

    assert "is not judged a second time as the draw says" in str(fault)


def test_a_colleague_judges_and_the_case_stays_as_it_is(chosen, bob):
    judge(chosen, bob)

    chosen.refresh_from_db()
    assert (chosen.verdict, chosen.reason, chosen.judged_by) == ("DENY", REASON, bob)
    assert chosen.application.status == Status.APPROVED
    event = Event.objects.get(type=EventType.QUALITY_JUDGED)
    assert (event.who, event.details["verdict"]) == (str(bob.external_id), "DENY")
    assert list(audit.find_faults()) == []
    QualityCheck.objects.update(reason="All is well, and has always been.")
    assert "rows that were changed" in str(*audit.find_faults())


def test_nobody_judges_their_own_approval(chosen, ada):
    with pytest.raises(OwnDecision):
        judge(chosen, ada)

    assert list(open_checks()) == [chosen]
    assert list(open_checks(by=ada)) == []
    with pytest.raises(IntegrityError, match="never_judged_by_its_decider"), transaction.atomic():
        QualityCheck.objects.update(judged_by=ada, judged_at=NOON, verdict="AGREE")


def test_who_took_a_step_of_the_review_does_not_judge_it(ada, bob):
    set_rule(70, sampled_percent=100)
    case = make_checked_case(by=ada)
    Application.objects.update(risk=Risk.LOW)
    cases.add_note(load(case), "Ask for the bill.", is_for_applicant=False, by=bob, at=NOON)
    proposals.decide(
        load(case), ProposalKind.APPROVE, internal_text="All is well.", by=ada, at=NOON
    )

    with pytest.raises(OwnDecision):
        judge(QualityCheck.objects.get(), bob)


def test_a_new_account_does_not_judge(chosen, bob, settings):
    settings.SECOND_PERSON_WAIT = later(days=3) - NOON

    with pytest.raises(AccountTooNew):
        judge(chosen, bob, at=bob.access_since)


def test_one_judgement_counts(chosen, bob):
    judge(chosen, bob)

    with pytest.raises(AlreadyJudged):
        judge(chosen, bob, QualityVerdict.AGREE)


@pytest.mark.parametrize("reason", ["", "  ", "It is fine."])
def test_a_judgement_has_a_reason(chosen, bob, reason):
    with pytest.raises(Incomplete):
        judge(chosen, bob, reason=reason)


def test_who_read_the_decision_does_not_judge_it(chosen, bob):
    quality_checks.read_decision(chosen.application, by=bob)

    with pytest.raises(SawDecision):
        judge(chosen, bob)
    assert list(blind_checks(bob)) == []


def test_a_decision_is_hidden_from_who_could_judge_it_and_from_nobody_else(chosen, ada, bob):
    assert list(blind_checks(bob)) == [chosen]
    assert list(blind_checks(ada)) == []

    judge(chosen, bob)

    assert list(blind_checks(bob)) == []
