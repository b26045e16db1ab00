"""Proposals: two pairs of eyes where they are due, and nothing changed between them."""

from datetime import timedelta

import pytest
from django.db import transaction

from banking.models import Account, User
from banking.services.second_person import AccountTooNew, CreatedByOther
from foundation.times import show_time
from onboarding.business_hours import NEW_YORK
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import (
    CheckCode,
    CheckResult,
    CheckSource,
    LlcFileType,
    ProposalKind,
    ProposalStatus,
    Risk,
    RunCause,
)
from onboarding.event_types import EventType
from onboarding.models import Application, Event, Lead, Note, Proposal
from onboarding.queries import audit, evidence, fixed_rows
from onboarding.queries.decision_policy import get_needs
from onboarding.services.applications import attempts
from onboarding.services.applications.lifecycle import InvalidMove
from onboarding.services.checks import check_runs, staff_checks
from onboarding.services.documents import case_documents, partner_documents
from onboarding.services.events import history
from onboarding.services.events.history import APPLICANT, PARTNER
from onboarding.services.leads import amendments
from onboarding.services.reviews import cases, decisions, proposals
from onboarding.services.reviews.cases import Incomplete, NotClaimed
from onboarding.services.reviews.decisions import AlreadyDecided
from onboarding.services.reviews.proposals import (
    NotOwnProposal,
    OwnProposal,
    ProposalOpen,
    ProposalSettled,
    ProposalVoid,
)
from tests.factories import (
    NOON,
    later,
    make_check,
    make_check_run,
    make_document,
)
from tests.onboarding.cases import (
    load,
    make_case,
    make_checked_case,
    make_reviewer,
    propose,
)
from tests.onboarding.sanctions_files import SDN
from tests.onboarding.sanctions_files import load as load_list
from tests.onboarding.sanctions_files import recheck as recheck_cases
from tests.onboarding.services.file_stores import write
from tests.onboarding.services.leads.values import incoming

APPROVE, DENY, REOPEN = ProposalKind.APPROVE, ProposalKind.DENY, ProposalKind.REOPEN
LISTED = "NUNEZ-ORTEGA, Jose"  # as the applicant is called
TEMPORARILY = ProposalKind.APPROVE_TEMPORARILY
pytestmark = pytest.mark.usefixtures("without_a_checklist")


def types():
    return list(Event.objects.order_by("number").values_list("type", flat=True))


def accounts():
    return Account.objects.of_customers().count()


def test_a_clear_case_of_little_risk_needs_one_person(make):
    case = make(risk=Risk.MEDIUM)
    make_check(make_check_run(case), result=CheckResult.WARN)

    assert (
        get_needs(case, APPROVE).second_person_reasons
        == get_needs(case, TEMPORARILY).second_person_reasons
        == []
    )


@pytest.mark.parametrize("kind", [APPROVE, TEMPORARILY])
def test_a_failed_check_and_a_high_risk_need_two(make, kind):
    case = make(risk=Risk.HIGH)
    run = make_check_run(case)
    make_check(run, code=CheckCode.NAICS, result=CheckResult.FAIL)
    make_check(run, code=CheckCode.AGES, result=CheckResult.FAIL)
    make_check(run, code=CheckCode.AGES, result=CheckResult.PASS)

    assert get_needs(case, kind).second_person_reasons == [
        "This check failed: Industry.",
        "The risk is high.",
    ]


def test_a_failed_check_of_an_older_run_needs_nobody(make):
    case = make()
    make_check(make_check_run(case), result=CheckResult.FAIL)
    make_check(make_check_run(case), result=CheckResult.PASS)

    assert get_needs(case, APPROVE).second_person_reasons == []


def test_what_staff_failed_needs_two_though_they_pass_it_later(make, ada):
    case = make()
    run = make_check_run(case)
    for result in (CheckResult.FAIL, CheckResult.PASS):
        item = {"code": CheckCode.ADDRESS_CONFIRMED, "source": CheckSource.MANUAL, "by": ada}
        make_check(run, result=result, **item)
    make_check(make_check_run(case), result=CheckResult.PASS, **item)

    assert get_needs(case, APPROVE).second_person_reasons == [
        "This check failed: The business works at its address."
    ]


@pytest.mark.parametrize("kind", [DENY, REOPEN])
def test_denials_and_reopenings_always_need_two(make, kind):
    assert get_needs(make(), kind).second_person_reasons


def test_one_person_approves_a_clear_case(make, ada):
    case = make()
    digest = evidence.compute_digest(case)

    proposal = propose(case, APPROVE, by=ada)

    application = Application.objects.get()
    assert proposal is None
    assert (application.status, application.decided_at) == (Status.APPROVED, NOON)
    assert (application.claimed_by, application.claimed_until) == (None, None)
    assert accounts() == 2
    assert not Proposal.objects.exists()
    note = Note.objects.get()
    assert (note.text, note.is_for_applicant) == ("Because.", False)
    approved = Event.objects.get(type=EventType.APPROVED)
    assert approved.who == str(ada.external_id)
    assert approved.details == {
        "note_id": str(note.external_id),
        "evidence_digest": digest,
        "rule": 70,
        "policy_version": 1,
    }
    assert list(audit.find_faults()) == []


def test_one_person_approves_for_the_time_being(make, ada):
    ends = later(days=10).date()

    propose(make(), TEMPORARILY, by=ada, expiration_date=ends, internal_text="")

    application = Application.objects.get()
    assert (application.status, application.expiration_date) == (Status.APPROVED_TEMPORARY, ends)
    assert not Note.objects.exists()


def test_a_denial_waits_for_a_second_person(make, ada):
    proposal = propose(make(), by=ada, applicant_text=" Sorry. ")

    assert (proposal.status, proposal.kind) == (ProposalStatus.OPEN, DENY)
    assert (proposal.reason_codes, proposal.applicant_text) == (["RISK_APPETITE"], "Sorry.")
    assert Application.objects.get().status == Status.IN_REVIEW
    event = Event.objects.get()
    assert (event.type, event.who) == (EventType.PROPOSED, str(ada.external_id))
    assert event.details == {
        "proposal_id": str(proposal.external_id),
        "kind": "DENY",
        "evidence_digest": proposal.evidence_digest,
        "rule": 10,
        "policy_version": 1,
        **fixed_rows.fix(proposal),
    }


def test_the_second_person_denies(make, ada, bob):
    proposal = propose(make(), by=ada, applicant_text="Sorry.")

    proposals.confirm(proposal, by=bob, at=later(hours=1))

    proposal.refresh_from_db()
    application = Application.objects.get()
    assert (proposal.status, proposal.settled_by) == (ProposalStatus.CONFIRMED, bob)
    assert proposal.settled_at == application.decided_at == later(hours=1)
    assert (application.status, application.applicant_text) == (Status.DENIED, "Sorry.")
    assert types() == [EventType.PROPOSED, EventType.DENIED]
    denied = Event.objects.get(type=EventType.DENIED)
    assert denied.who == str(bob.external_id)
    assert denied.details == {
        "reason_codes": ["RISK_APPETITE"],
        "proposal_id": str(proposal.external_id),
        "kind": "DENY",
        "evidence_digest": proposal.evidence_digest,
        "rule": 10,
        "policy_version": 1,
        **fixed_rows.fix_settled(proposal),
    }
    assert list(audit.find_faults()) == []


@pytest.mark.parametrize(
    ("kind", "status"), [(APPROVE, Status.APPROVED), (TEMPORARILY, Status.APPROVED_TEMPORARY)]
)
def test_the_second_person_approves(make, ada, bob, kind, status):
    ends = later(days=9).date() if kind is TEMPORARILY else None
    proposal = propose(make(risk=Risk.HIGH), kind, by=ada, expiration_date=ends)
    assert accounts() == 0

    proposals.confirm(proposal, by=bob, at=NOON)

    application = Application.objects.get()
    assert (application.status, application.expiration_date) == (status, ends)
    assert accounts() == 2


def test_a_temporary_approval_becomes_final_or_ends(make, ada, bob):
    approved, denied = make(), make()
    for case in (approved, denied):
        propose(case, TEMPORARILY, by=ada)
        cases.claim(case, by=ada, at=later(days=1))

    propose(approved, APPROVE, by=ada, at=later(days=1))
    proposal = propose(denied, DENY, by=ada, at=later(days=1))
    proposals.confirm(proposal, by=bob, at=later(days=2))

    statuses = [load(case).status for case in (approved, denied)]
    assert statuses == [Status.APPROVED, Status.DENIED]
    assert load(approved).account.closed_at is None
    assert load(denied).account.closed_at == later(days=2)


def test_a_denied_lead_is_reopened_by_two(make, ada, bob):
    case = make(Status.DENIED)
    proposal = propose(case, REOPEN, by=ada)

    proposals.confirm(proposal, by=bob, at=later(hours=1))

    old, new = Application.objects.order_by("attempt")
    assert (old.is_current, old.status) == (False, Status.DENIED)
    assert (new.is_current, new.status, new.attempt) == (True, Status.CREATED, 2)
    assert new.link_digest != old.link_digest
    event = Event.objects.get(type=EventType.REOPENED)
    assert (event.application, event.sequence) == (new, 1)
    assert event.details["proposal_id"] == str(proposal.external_id)
    assert list(audit.find_faults()) == []


def test_a_case_that_another_attempt_follows_is_not_reopened(make, ada, bob):
    proposal = propose(make(Status.DENIED), REOPEN, by=ada)
    proposals.confirm(proposal, by=bob, at=NOON)
    denied = Application.objects.select_related("lead").get(attempt=1)

    with pytest.raises(InvalidMove):
        decisions.reopen(denied, by=cases.actor(ada), at=NOON)


@pytest.mark.parametrize("kind", ProposalKind)
@pytest.mark.parametrize("status", Status)
def test_decisions_follow_the_lifecycle(make, ada, status, kind):
    allowed = {
        Status.IN_REVIEW: {APPROVE, TEMPORARILY, DENY},
        Status.APPROVED_TEMPORARY: {APPROVE, DENY},
        Status.DENIED: {REOPEN},
    }
    case = make(status)

    if kind in allowed.get(status, set()):
        propose(case, kind, by=ada)
    else:
        with pytest.raises(InvalidMove):
            propose(case, kind, by=ada)
        assert not Event.objects.exists()


@pytest.mark.parametrize(
    ("kind", "words"), [(APPROVE, "approved this application on"), (TEMPORARILY, "temporarily on")]
)
def test_who_comes_second_reads_who_decided_and_when(make, ada, bob, kind, words):
    case = make()
    propose(case, kind, by=ada)

    for user in (ada, bob):
        with pytest.raises(AlreadyDecided) as caught:
            propose(case, kind, by=user, at=later(minutes=1))
        assert str(caught.value).startswith(f"{ada} approved this application")
        assert str(caught.value).endswith(f"{words} {show_time(NOON)}.")


def test_of_two_approvals_at_once_the_second_reads_of_the_first(in_threads):
    ada = make_reviewer()
    case = make_checked_case(by=ada)

    outcomes = in_threads(lambda _: propose(load(case), APPROVE, by=ada), [1, 2])

    (refusal,) = filter(None, outcomes)
    assert isinstance(refusal, AlreadyDecided), refusal
    assert types().count(EventType.APPROVED) == 1


@pytest.mark.parametrize("kind", ProposalKind)
def test_whoever_has_not_got_the_case_decides_nothing(make, bob, kind):
    with pytest.raises(NotClaimed):
        propose(make(), kind, by=bob)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (DENY, {"reasons": []}),
        (DENY, {"internal_text": "  "}),
        (TEMPORARILY, {"expiration_date": NOON.date()}),
        (TEMPORARILY, {"expiration_date": later(days=-1).date()}),
    ],
)
def test_what_a_decision_needs_is_asked_for(make, ada, kind, values):
    with pytest.raises(Incomplete):
        propose(make(), kind, by=ada, **values)

    assert not Event.objects.exists()


def test_a_temporary_approval_ends_after_today_in_new_york(make, ada):
    case, evening = make(), NOON + timedelta(hours=13)  # the next day in UTC has begun
    cases.claim(case, by=ada, at=evening)
    today = evening.astimezone(NEW_YORK).date()
    tomorrow = today + timedelta(days=1)

    with pytest.raises(Incomplete, match="Choose a day after today"):
        propose(case, TEMPORARILY, by=ada, at=evening, expiration_date=today)
    propose(case, TEMPORARILY, by=ada, at=evening, expiration_date=tomorrow)

    assert Application.objects.get().expiration_date == tomorrow


def test_why_a_risk_is_taken_is_asked_for(make, ada):
    with pytest.raises(Incomplete):
        propose(make(risk=Risk.HIGH), APPROVE, by=ada, internal_text="")


def test_a_temporary_approval_that_would_be_over_is_not_confirmed(make, ada, bob):
    ends = later(days=2).date()
    proposal = propose(make(risk=Risk.HIGH), TEMPORARILY, by=ada, expiration_date=ends)

    with pytest.raises(Incomplete, match="Choose a day after today"):
        proposals.confirm(proposal, by=bob, at=later(days=2))
    proposals.confirm(proposal, by=bob, at=later(days=1))

    assert Application.objects.get().expiration_date == ends


def test_nobody_confirms_or_refuses_their_own_proposal(make, ada):
    proposal = propose(make(), by=ada)

    with pytest.raises(OwnProposal):
        proposals.confirm(proposal, by=ada, at=NOON)
    with pytest.raises(OwnProposal):
        proposals.refuse(proposal, note="No.", by=ada, at=NOON)

    proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.OPEN


def test_one_proposal_waits_at_a_time(make, ada):
    case = make(risk=Risk.HIGH)
    propose(case, by=ada)

    for kind in (DENY, APPROVE):
        with pytest.raises(ProposalOpen):
            propose(case, kind, by=ada)

    assert Proposal.objects.count() == 1


def test_the_second_person_says_no_and_why(make, ada, bob):
    proposal = propose(make(), by=ada)

    proposals.refuse(proposal, note=" Ask once more. ", by=bob, at=later(hours=1))

    proposal.refresh_from_db()
    assert (proposal.status, proposal.settled_by) == (ProposalStatus.REFUSED, bob)
    assert (proposal.settled_note, proposal.settled_at) == ("Ask once more.", later(hours=1))
    assert types() == [EventType.PROPOSED, EventType.PROPOSAL_REFUSED]
    assert Application.objects.get().status == Status.IN_REVIEW


@pytest.mark.parametrize("note", ["", " ", "x" * 501])
def test_a_refusal_has_a_reason(make, ada, bob, note):
    with pytest.raises(Incomplete):
        proposals.refuse(propose(make(), by=ada), note=note, by=bob, at=NOON)


def test_who_proposed_takes_it_back(make, ada, bob):
    case = make()
    proposal = propose(case, by=ada)

    with pytest.raises(NotOwnProposal):
        proposals.withdraw(proposal, by=bob, at=NOON)
    proposals.withdraw(proposal, by=ada, at=NOON)

    proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.WITHDRAWN
    assert types() == [EventType.PROPOSED, EventType.PROPOSAL_WITHDRAWN]
    assert propose(case, by=ada)


def test_what_is_settled_is_settled(make, ada, bob):
    proposal = propose(make(), by=ada)
    proposals.withdraw(proposal, by=ada, at=NOON)

    for call in (
        lambda: proposals.confirm(proposal, by=bob, at=NOON),
        lambda: proposals.refuse(proposal, note="No.", by=bob, at=NOON),
        lambda: proposals.withdraw(proposal, by=ada, at=NOON),
    ):
        with pytest.raises(ProposalSettled):
            call()


def tick(case, ada):
    staff_checks.tick(
        case, CheckCode.ADDRESS_CONFIRMED, CheckResult.PASS, note="Called.", by=ada, at=NOON
    )


def update_lead(case, **values):
    lead = case.lead
    details = {"email": lead.email, **values}
    customer = str(lead.external_id)
    write(
        amendments.update_lead, partner=lead.partner, customer_id=customer, details=details, at=NOON
    )


def record(event_type):
    def change(case, _ada):
        with_lead = cases.lock_any(case)
        history.record(with_lead, event_type, by=APPLICANT, at=NOON)

    return change


CHANGES = {
    "data": lambda case, ada: update_lead(case, metadata={"colour": "blue"}),
    "a document came": lambda case, ada: write(
        partner_documents.upload_documents,
        partner=case.lead.partner,
        customer_id=str(case.lead.external_id),
        incoming=[incoming()],
        at=NOON,
    ),
    "accepted": lambda case, ada: case_documents.accept(case.lead.documents.get(), by=ada, at=NOON),
    "rejected": lambda case, ada: case_documents.reject(
        case.lead.documents.get(), reason="Blurred.", by=ada, at=NOON
    ),
    "kind": lambda case, ada: case_documents.change_kind(
        case.lead.documents.get(), LlcFileType.PASSPORT, by=ada, at=NOON
    ),
    "identity": lambda case, ada: cases.verify_identities(case, by=ada, at=NOON),
    "documents wanted": lambda case, ada: cases.request_documents(
        case, {LlcFileType.PASSPORT: "Who is it?"}, by=ada, at=NOON
    ),
    "identity wanted": lambda case, ada: cases.request_identity(case, [case.lead], by=ada, at=NOON),
    "withdrawn": lambda case, ada: attempts.withdraw_application(case, at=NOON),
    "checks": lambda case, ada: check_runs.run_checks(
        cases.lock_any(case), cause=RunCause.STAFF, at=NOON
    ),
    "tick": tick,
    "replaced": record(EventType.DOCUMENT_REPLACED),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_voids_the_proposal_at_once(make, ada, bob, change):
    case = make()
    run = make_check_run(case)
    by_hand = {"source": CheckSource.MANUAL, "code": CheckCode.ADDRESS_CONFIRMED}
    make_check(run, result=CheckResult.WARN, **by_hand)
    make_document(case.lead, llc_file_type="UTILITY_BILL")
    proposal = propose(case, by=ada)

    change(load(case), ada)

    proposal.refresh_from_db()
    assert (proposal.status, proposal.settled_at) == (ProposalStatus.VOIDED, NOON)
    assert proposal.settled_note
    voided = Event.objects.get(type=EventType.PROPOSAL_VOIDED)
    assert voided.details["proposal_id"] == str(proposal.external_id)
    assert list(audit.find_faults()) == []
    with pytest.raises(ProposalVoid):
        proposals.confirm(proposal, by=bob, at=NOON)


@pytest.mark.parametrize(
    "step",
    [
        lambda case, ada: cases.add_note(case, "Hm.", is_for_applicant=False, by=ada, at=NOON),
        lambda case, ada: cases.release(case, by=ada, at=NOON),
        lambda case, ada: case_documents.note_opened(case.lead.documents.get(), by=ada, at=NOON),
        lambda case, ada: attempts.renew_access(
            partner=case.lead.partner, customer_id=str(case.lead.external_id), at=NOON
        ),
    ],
)
def test_what_changes_no_evidence_voids_nothing(make, ada, bob, step):
    case = make()
    make_document(case.lead)
    proposal = propose(case, by=ada)

    step(load(case), ada)
    proposals.confirm(proposal, by=bob, at=NOON)

    assert load(case).status == Status.DENIED


@pytest.mark.parametrize("lost", ["account", "role"])
def test_the_proposal_of_a_colleague_who_left_is_void(make, ada, bob, lost):
    case = make()
    proposal = propose(case, by=ada)
    if lost == "account":
        User.objects.filter(pk=ada.pk).update(is_active=False)
    else:
        ada.user_permissions.clear()

    with pytest.raises(ProposalVoid):
        proposals.confirm(proposal, by=bob, at=NOON)

    proposal.refresh_from_db()
    assert proposal.settled_note == "The proposer no longer has the permission."
    assert load(case).status == Status.IN_REVIEW


@pytest.fixture
def rechecked(make, ada, tmp_path):
    """Return a case with a denial proposed, after a list with one row more was loaded."""

    def recheck(row):
        load_list(tmp_path)
        case = make()
        check_runs.run_checks(cases.lock_any(case), cause=RunCause.SUBMITTED, at=NOON)
        proposal = propose(load(case), by=ada)
        load_list(tmp_path, sdn=[*SDN, row], at=later(minutes=1))
        assert not any(one.fault for one in recheck_cases(at=later(minutes=2)))
        return case, proposal

    return recheck


def test_a_newer_list_that_finds_the_same_leaves_case_and_proposal(rechecked, bob):
    case, proposal = rechecked(SDN[0].replace("36", "37", 1))

    proposals.confirm(proposal, by=bob, at=later(minutes=3))

    assert case.check_runs.count() == 2
    assert load(case).status == Status.DENIED


def test_a_newer_list_with_a_new_hit_voids_the_proposal(rechecked, bob):
    case, proposal = rechecked(SDN[3].replace("4001", "4002").replace("PÉREZ-ÑAKAR, Ana", LISTED))

    with pytest.raises(ProposalVoid):
        proposals.confirm(proposal, by=bob, at=later(minutes=3))

    voided = case.events.get(type=EventType.PROPOSAL_VOIDED)
    assert voided.details["cause"] == check_runs.CHANGED_RESULTS
    assert list(audit.find_faults()) == []


def test_what_changed_behind_all_backs_voids_too_and_stays_void(make, ada, bob):
    proposal = propose(make(), by=ada)
    Lead.objects.update(first_name="Augusta")

    for _ in range(2):
        with pytest.raises(ProposalVoid):
            proposals.confirm(proposal, by=bob, at=later(hours=1))

    proposal.refresh_from_db()
    assert (proposal.status, proposal.settled_at) == (ProposalStatus.VOIDED, later(hours=1))
    assert types() == [EventType.PROPOSED, EventType.PROPOSAL_VOIDED]
    assert Application.objects.get().status == Status.IN_REVIEW
    assert list(audit.find_faults()) == []


@pytest.mark.django_db(transaction=True)
def test_a_confirmation_within_a_transaction_is_an_error(transactional_db):
    ada, bob = (make_reviewer("decide_application") for _ in range(2))
    proposal = propose(make_case(by=ada), by=ada)

    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        proposals.confirm(proposal, by=bob, at=NOON)


def test_of_four_second_persons_at_once_one_decides(in_threads):
    ada = make_reviewer()
    others = [make_reviewer() for _ in range(4)]
    case = make_checked_case(by=ada)
    Application.objects.update(risk=Risk.HIGH)
    proposal = propose(load(case), APPROVE, by=ada)

    outcomes = in_threads(
        lambda user: proposals.confirm(Proposal.objects.get(), by=user, at=NOON), others
    )

    assert sum(isinstance(one, ProposalSettled) for one in outcomes) == 3, outcomes
    proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.CONFIRMED
    assert accounts() == 2
    assert types().count(EventType.ACCOUNT_OPENED) == 1


def test_a_change_at_the_moment_of_the_confirmation_is_before_or_after_it(in_threads):
    ada, bob = make_reviewer(), make_reviewer()
    case = make_case(by=ada)
    proposal = propose(case, by=ada)
    steps = [
        lambda: proposals.confirm(Proposal.objects.get(), by=bob, at=NOON),
        lambda: update_lead(load(case), metadata={"colour": "blue"}),
    ]

    confirmed, changed = in_threads(lambda step: step(), steps)

    proposal.refresh_from_db()
    if isinstance(confirmed, ProposalVoid):
        assert (proposal.status, changed) == (ProposalStatus.VOIDED, None)
        assert load(case).status == Status.IN_REVIEW
    else:
        assert isinstance(changed, attempts.ApplicationClosed), changed
        assert load(case).status == Status.DENIED
    assert list(audit.find_faults()) == []


def test_of_two_proposals_at_once_one_waits(in_threads):
    ada = make_reviewer()
    case = make_case(by=ada)

    outcomes = in_threads(lambda kind: propose(load(case), DENY, by=ada), [1, 2])

    assert sum(isinstance(one, ProposalOpen) for one in outcomes) == 1, outcomes
    assert Proposal.objects.count() == 1


def test_a_partner_that_withdraws_voids(make, ada):
    case = make()
    proposal = propose(case, by=ada)
    customer = str(case.lead.external_id)

    attempts.withdraw_lead(partner=case.lead.partner, customer_id=customer, at=NOON)

    proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.VOIDED
    voided = Event.objects.get(type=EventType.PROPOSAL_VOIDED)
    assert (voided.role, voided.details["cause"]) == (PARTNER.role, "Withdrawn")


@pytest.fixture
def three_days(settings):
    settings.SECOND_PERSON_WAIT = timedelta(days=3)


def date_access(user, at):
    User.objects.filter(pk=user.pk).update(date_joined=at)
    user.refresh_from_db()


@pytest.mark.usefixtures("three_days")
def test_a_new_account_does_not_propose_what_needs_two(make, ada):
    case = make()
    date_access(ada, NOON - timedelta(days=2))

    with pytest.raises(AccountTooNew, match="is new"):
        propose(case, by=ada)

    assert not Proposal.objects.exists()


@pytest.mark.usefixtures("three_days")
def test_a_new_account_decides_what_needs_one(make, ada):
    date_access(ada, NOON)

    assert propose(make(risk=Risk.LOW), APPROVE, by=ada) is None


@pytest.mark.usefixtures("three_days")
@pytest.mark.parametrize("column", ["date_joined", "access_changed_at"])
def test_a_new_or_extended_account_is_no_second_person_for_three_days(make, ada, bob, column):
    for user in (ada, bob):
        date_access(user, NOON - timedelta(days=30))
    proposal = propose(make(), by=ada)
    User.objects.filter(pk=bob.pk).update(**{column: NOON - timedelta(days=2)})
    bob.refresh_from_db()

    with pytest.raises(AccountTooNew):
        proposals.confirm(proposal, by=bob, at=NOON)
    confirmed = proposals.confirm(proposal, by=bob, at=NOON + timedelta(days=1))

    assert confirmed.status == ProposalStatus.CONFIRMED


@pytest.mark.usefixtures("three_days")
def test_a_new_account_may_refuse(make, ada, bob):
    date_access(ada, NOON - timedelta(days=30))
    date_access(bob, NOON)
    proposal = propose(make(), by=ada)

    refused = proposals.refuse(proposal, note="No.", by=bob, at=NOON)

    assert refused.status == ProposalStatus.REFUSED


@pytest.mark.parametrize("is_creator", [True, False])
def test_a_person_and_the_creator_of_their_account_are_not_two(make, ada, bob, is_creator):
    created, creator = (bob, ada) if is_creator else (ada, bob)
    created.created_by = creator
    created.save()
    proposal = propose(make(), by=ada)

    with pytest.raises(CreatedByOther, match="A third person"):
        proposals.confirm(proposal, by=bob, at=NOON)

    assert Application.objects.get().status == Status.IN_REVIEW
