"""The policy in decisions: refusals in words, documents accepted at once, and changed rules."""

import pytest
from django.contrib.auth.models import Permission

from banking.models import Account, User
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import (
    CheckCode,
    CheckSource,
    DocumentStatus,
    ProposalKind,
    ProposalStatus,
    Risk,
)
from onboarding.event_types import EventType
from onboarding.models import Application, DocumentRule, Event, Proposal
from onboarding.queries import audit, evidence
from onboarding.services.documents import case_documents
from onboarding.services.reviews import proposals, steps
from onboarding.services.reviews.approval_requirements import DocumentsUnopened
from onboarding.services.reviews.cases import Incomplete
from onboarding.services.reviews.decision_policy import EvidenceLacking, NotEntitled
from onboarding.services.reviews.decisions import HitsOpen
from onboarding.services.reviews.proposals import ProposalVoid
from tests.factories import NOON, later, make_check, make_check_run, make_document
from tests.onboarding.cases import load, make_checked_case, make_reviewer
from tests.onboarding.hits import make_hit
from tests.onboarding.policies import set_rule

pytestmark = pytest.mark.django_db
APPROVE, TEMPORARILY = ProposalKind.APPROVE, ProposalKind.APPROVE_TEMPORARILY
LETTER = "IRS_EIN_LETTER"


@pytest.fixture
def case(ada):
    """A checked case of low risk that Ada has, with the one document that it needs."""
    case = make_checked_case(by=ada)
    Application.objects.update(risk=Risk.LOW)
    DocumentRule.objects.all().delete()
    DocumentRule.objects.create(
        business_type=case.lead.business_type, code="PROOF", accepted_types=[LETTER], message="EIN."
    )
    make_document(case.lead, llc_file_type=LETTER, file_name="letter.pdf")
    return load(case)


def letter(case):
    return case.lead.documents.get(llc_file_type=LETTER)


def open_letter(case, by):
    case_documents.note_opened(letter(case), by=by, at=NOON)


def decide(case, kind=APPROVE, *, by, at=NOON, **values):
    values = {"internal_text": "Because it is all there.", **values}
    return proposals.decide(load(case), kind, by=by, at=at, **values)


def test_a_required_document_that_was_only_opened_is_not_enough(case, ada):
    open_letter(case, ada)

    with pytest.raises(EvidenceLacking) as refusal:
        decide(case, by=ada)

    assert str(refusal.value) == (
        "Not accepted yet: EIN. By rule 70 of the decision policy: No check failed, and the risk "
        "is not high."
    )
    assert load(case).status == Status.IN_REVIEW


def test_an_approval_accepts_the_documents_that_the_person_opened(case, ada):
    open_letter(case, ada)

    decide(case, by=ada, accepting=[letter(case)])

    assert load(case).status == Status.APPROVED
    assert letter(case).status == DocumentStatus.ACCEPTED
    types = list(Event.objects.order_by("number").values_list("type", flat=True))
    assert types.index(EventType.DOCUMENT_ACCEPTED) < types.index(EventType.APPROVED)
    accepted = Event.objects.get(type=EventType.DOCUMENT_ACCEPTED)
    assert accepted.who == str(ada.external_id)
    assert list(audit.find_faults()) == []


def test_nobody_accepts_what_only_a_colleague_opened(case, ada, bob):
    open_letter(case, bob)

    with pytest.raises(DocumentsUnopened):
        decide(case, by=ada, accepting=[letter(case)])

    assert letter(case).status == DocumentStatus.RECEIVED
    assert not Event.objects.filter(type=EventType.DOCUMENT_ACCEPTED).exists()


def test_documents_of_another_lead_are_not_accepted(case, ada):
    open_letter(case, ada)
    foreign = make_document(llc_file_type=LETTER)

    with pytest.raises(EvidenceLacking):
        decide(case, by=ada, accepting=[foreign])

    foreign.refresh_from_db()
    assert foreign.status == DocumentStatus.RECEIVED


def test_a_refused_approval_accepts_nothing(case, ada):
    open_letter(case, ada)
    set_rule(1, shortest_reason=200)

    with pytest.raises(Incomplete):
        decide(case, by=ada, accepting=[letter(case)])

    assert letter(case).status == DocumentStatus.RECEIVED


def test_a_temporary_approval_needs_no_accepted_document(case, ada):
    decide(case, TEMPORARILY, by=ada)

    assert load(case).status == Status.APPROVED_TEMPORARY


def test_a_temporary_approval_ends_with_accepted_documents_too(case, ada):
    decide(case, TEMPORARILY, by=ada)
    Application.objects.update(claimed_by=ada, claimed_until=later(minutes=30))
    open_letter(case, ada)

    with pytest.raises(EvidenceLacking):
        decide(case, by=ada)
    decide(case, by=ada, accepting=[letter(case)])

    assert load(case).status == Status.APPROVED


def test_a_rule_reserves_a_decision_for_approvers(case, ada):
    set_rule(1, decisions=[TEMPORARILY], decider="APPROVER", people=1, reason="Open at once.")
    carl = make_reviewer("decide_application")
    Application.objects.update(claimed_by=carl)

    with pytest.raises(NotEntitled, match="rule 1 of the decision policy an approver decides"):
        decide(case, TEMPORARILY, by=carl)
    offered = [one.name for one in steps.list_moves(load(case), user=carl, at=NOON)]
    Application.objects.update(claimed_by=ada)
    decide(case, TEMPORARILY, by=ada)

    assert "approve" in offered
    assert "approve_temporarily" not in offered


def test_a_rule_wants_a_second_person_at_low_risk(case, ada, bob):
    set_rule(1, decisions=[TEMPORARILY], people=2)

    proposal = decide(case, TEMPORARILY, by=ada)

    assert proposal.rule["version"] == 2
    assert proposal.rule["number"] == 1
    proposals.confirm(proposal, by=bob, at=NOON)
    approved = Event.objects.get(type=EventType.APPROVED_TEMPORARY)
    assert (approved.details["rule"], approved.details["policy_version"]) == (1, 2)


def test_a_rule_wants_a_reason_of_some_length(case, ada):
    set_rule(1, decisions=[TEMPORARILY], people=1, shortest_reason=15)

    with pytest.raises(Incomplete, match="15 letters or more, by rule 1"):
        decide(case, TEMPORARILY, by=ada, internal_text="1234567890 1234567890 ok")
    decide(case, TEMPORARILY, by=ada)


def test_a_rule_wants_a_check_with_a_document(case, ada):
    item = {"code": CheckCode.ADDRESS_CONFIRMED, "source": CheckSource.MANUAL, "by": ada}
    make_check(make_check_run(case), **item, note="Called the owner.")
    set_rule(1, people=1, check_codes=[CheckCode.ADDRESS_CONFIRMED])

    with pytest.raises(EvidenceLacking, match="Name the document that shows it"):
        decide(case, TEMPORARILY, by=ada)


def test_no_rule_lets_an_open_hit_pass(case, ada):
    set_rule(1, people=1)
    make_hit(case)

    with pytest.raises(HitsOpen):
        decide(case, TEMPORARILY, by=ada)

    assert Account.objects.of_customers().count() == 0


def propose(case, ada):
    Application.objects.update(risk=Risk.HIGH)
    return decide(case, TEMPORARILY, by=ada)


def test_a_rule_that_demands_something_else_voids_a_proposal(case, ada, bob):
    proposal = propose(case, ada)
    set_rule(60, document_kinds=["PASSPORT"])

    with pytest.raises(ProposalVoid):
        proposals.confirm(proposal, by=bob, at=NOON)

    proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.VOIDED
    assert proposal.settled_note == proposals.POLICY_CHANGED
    assert load(case).status == Status.IN_REVIEW
    assert list(audit.find_faults()) == []


def test_a_changed_policy_that_demands_the_same_leaves_a_proposal(case, ada, bob):
    proposal = propose(case, ada)
    set_rule(60, reason="In other words.", sampled_percent=3)
    set_rule(65, decisions=["REOPEN"])

    proposals.confirm(proposal, by=bob, at=NOON)

    assert load(case).status == Status.APPROVED_TEMPORARY
    approved = Event.objects.get(type=EventType.APPROVED_TEMPORARY)
    assert approved.details["policy_version"] == 3


def test_a_proposal_of_before_the_policy_is_void(case, ada, bob):
    proposal = propose(case, ada)
    Proposal.objects.update(rule={})
    assert proposal.evidence_digest == evidence.compute_digest(load(case))

    with pytest.raises(ProposalVoid):
        proposals.confirm(proposal, by=bob, at=NOON)


def test_the_second_person_meets_the_same_demands(case, ada, bob):
    Application.objects.update(risk=Risk.HIGH)
    open_letter(case, ada)
    proposal = decide(case, by=ada, accepting=[letter(case)])

    proposals.confirm(proposal, by=bob, at=NOON)

    assert load(case).status == Status.APPROVED


@pytest.mark.django_db(transaction=True)
def test_a_proposal_reserved_for_approvers_is_void_once_its_proposer_is_none(case, ada, bob):
    set_rule(1, decider="APPROVER", people=2)
    approving = Permission.objects.get(codename="confirm_application")
    ada.user_permissions.add(approving)
    open_letter(case, ada)
    proposal = decide(case, by=User.objects.get(pk=ada.pk))
    ada.user_permissions.remove(approving)

    with pytest.raises(ProposalVoid):
        proposals.confirm(proposal, by=bob, at=NOON)

    proposal.refresh_from_db()
    assert proposal.settled_note == "The proposer no longer has the permission."
    assert load(case).status == Status.IN_REVIEW
