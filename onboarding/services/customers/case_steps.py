"""Decisions about customer cases, some of which a second person must confirm.

The proposer of an outcome never confirms it, and a change of the evidence voids the proposal.
"""

from datetime import datetime

from django.db import transaction

from banking.errors import StepRefused
from banking.models import User
from banking.services import second_person
from onboarding.choices import (
    CaseOutcome,
    ChangeDenialReason,
    CustomerCaseStatus,
    CustomerStatus,
    NotificationKind,
    Risk,
    RunCause,
)
from onboarding.event_types import EventType
from onboarding.models import CheckRun, CustomerCase
from onboarding.models.customers import ALWAYS_BY_TWO
from onboarding.queries import evidence
from onboarding.queries.screening_hits import open_hits
from onboarding.queries.staff import REVIEW
from onboarding.services.checks.check_runs import run_checks
from onboarding.services.customers import outcomes
from onboarding.services.customers.case_claims import begin_step, lock_case, record, tell
from onboarding.services.reviews.cases import (
    Incomplete,
    actor,
)
from onboarding.services.reviews.proposals import (
    NotOwnProposal,
    OwnProposal,
    ProposalSettled,
    ProposalVoid,
)

LONGEST_REASON = 4000
OF_REVIEWS = [
    CaseOutcome.NO_CHANGE,
    CaseOutcome.RISK_CHANGED,
    CaseOutcome.RESTRICTED,
    CaseOutcome.RESTRICTION_LIFTED,
    CaseOutcome.EXIT,
]
OF_CHANGES = [CaseOutcome.CHANGE_APPROVED, CaseOutcome.CHANGE_DENIED]
BY_TWO_FIELDS = {  # they change who the customer is; the applicant is an owner, too
    *("businessName", "uboList", "removedUboIds"),
    *("firstName", "lastName", "ownershipPercent"),
}


class PartnerMustNotLearn(StepRefused):
    """A restriction is not told to the partner while a screening hit is open."""

    message = (
        "The customer has screening hits that are not cleared. The partner must not learn of "
        "them: do not tell the partner of this restriction."
    )


def list_outcomes(case: CustomerCase) -> list[CaseOutcome]:
    """Return the outcomes that a case can have, given its kind and the status of its customer."""
    if not case.is_review:
        return OF_CHANGES
    unfit = {
        CustomerStatus.ACTIVE: {CaseOutcome.RESTRICTION_LIFTED},
        CustomerStatus.RESTRICTED: {CaseOutcome.RESTRICTED},
        CustomerStatus.LEAVING: {CaseOutcome.RESTRICTED, CaseOutcome.EXIT},
    }
    left = unfit.get(CustomerStatus(case.customer.status), set())
    return [outcome for outcome in OF_REVIEWS if outcome not in left]


def second_person_reasons(
    case: CustomerCase, outcome: CaseOutcome, *, new_risk: str = ""
) -> list[str]:
    """Return the reasons why an outcome needs a second person; empty if it needs none.

    Set `decided_by` of the case before: the person who asked for a change does not approve it
    alone.
    """
    reasons = []
    if outcome in ALWAYS_BY_TWO:
        reasons.append(f"“{outcome.label}” always needs a second person.")
    if Risk.HIGH in {case.customer.risk, new_risk}:
        reasons.append("The risk is high.")
    if outcome is CaseOutcome.CHANGE_APPROVED and BY_TWO_FIELDS & {*case.changed}:
        reasons.append("The name or the owners of the business change.")
    is_own = case.opened_by_id is not None and case.opened_by_id == case.decided_by_id
    if outcome is CaseOutcome.CHANGE_APPROVED and is_own:
        reasons.append("The person who asked for the change does not approve it alone.")
    if case.is_review and outcome is not CaseOutcome.RESTRICTED and _has_open_hits(case):
        reasons.append("The customer has screening hits that are not cleared.")
    return reasons


@transaction.atomic
def rerun_checks(case: CustomerCase, *, by: User, at: datetime) -> CheckRun:
    """Run the checks of the customer's application again. Raises: CaseClosed, NotClaimed."""
    locked = begin_step(case, by=by, at=at)
    return run_checks(locked.customer.application, cause=RunCause.STAFF, at=at, by=by)


@transaction.atomic
def decide(
    case: CustomerCase,
    outcome: CaseOutcome,
    *,
    reason: str,
    new_risk: str = "",
    denial_reason: str = "",
    is_for_partner: bool = False,
    by: User,
    at: datetime,
) -> CustomerCase:
    """Close a case with an outcome and carry it out, or propose it if it needs a second person.

    Raises: CaseClosed, NotClaimed, Incomplete, PartnerMustNotLearn, AccountTooNew,
    ChangeImpossible; ProposalSettled if an outcome is proposed already.
    """
    locked = begin_step(case, by=by, at=at)
    if locked.status != CustomerCaseStatus.OPEN:
        raise ProposalSettled("An outcome is proposed. It must be settled first.")
    outcome = CaseOutcome(outcome)
    is_risk = outcome is CaseOutcome.RISK_CHANGED
    is_denial = outcome is CaseOutcome.CHANGE_DENIED
    locked.outcome, locked.reason = outcome, reason.strip()
    locked.new_risk = Risk(new_risk).value if is_risk and new_risk else ""
    locked.denial_reason = (
        ChangeDenialReason(denial_reason).value if is_denial and denial_reason else ""
    )
    locked.is_for_partner = is_for_partner and outcome is CaseOutcome.RESTRICTED
    _require_complete(locked)
    locked.decided_by, locked.decided_at = by, at
    if not second_person_reasons(locked, outcome, new_risk=locked.new_risk):
        _close(locked, by=by, at=at)
        return locked
    second_person.require_wait_over(by, at=at)
    locked.status = CustomerCaseStatus.PROPOSED
    locked.evidence_digest = evidence.compute_digest(locked.customer.application)
    locked.save()
    details = {"outcome": outcome.value, "evidence_digest": locked.evidence_digest}
    record(locked, EventType.CUSTOMER_CASE_PROPOSED, by=by, at=at, **details)
    return locked


def confirm(case: CustomerCase, *, by: User, at: datetime) -> CustomerCase:
    """Confirm the proposed outcome as the second person, carry it out and close the case.

    If the evidence has changed, or the proposer lost the permission, the proposal ends, the case is
    open again, and ProposalVoid is raised after the commit. Do not call it within a transaction.
    Raises: CaseClosed, OwnProposal, ProposalVoid, AccountTooNew, CreatedByOther, CreatedBySame,
    Incomplete, PartnerMustNotLearn, ChangeImpossible; ProposalSettled if no outcome is proposed.
    """
    with transaction.atomic(durable=True):
        locked, proposer = _lock_proposed(case)
        if proposer.pk == by.pk:
            raise OwnProposal
        second_person.require_two_people(proposer, by, at=at)
        digests = evidence.compute_digests(locked.customer.application)
        may_still = second_person.may_still(proposer, REVIEW)
        is_void = not may_still or locked.evidence_digest not in digests
        if is_void:
            _end_proposal(locked, "voided", by=by, at=at)
        else:
            _require_complete(locked)
            locked.confirmed_by = by
            _close(locked, by=by, at=at)
        ended = NotificationKind.PROPOSAL_VOIDED if is_void else NotificationKind.PROPOSAL_CONFIRMED
        tell(ended, proposer, locked, by=by, at=at)
    if is_void:
        raise ProposalVoid
    return locked


@transaction.atomic
def refuse(case: CustomerCase, *, note: str, by: User, at: datetime) -> None:
    """Reject the outcome that another user proposed, with a reason. The case is open again.

    Raises: CaseClosed, OwnProposal, Incomplete; ProposalSettled if no outcome is proposed.
    """
    if not 0 < len(note.strip()) <= LONGEST_REASON:
        raise Incomplete("Enter a reason.")
    locked, proposer = _lock_proposed(case)
    if proposer.pk == by.pk:
        raise OwnProposal
    _end_proposal(locked, "refused", by=by, at=at, note=note.strip())
    tell(NotificationKind.PROPOSAL_REFUSED, proposer, locked, by=by, at=at)


@transaction.atomic
def withdraw(case: CustomerCase, *, by: User, at: datetime) -> None:
    """Withdraw the user's own proposal. The case is open again.

    Raises: CaseClosed, NotOwnProposal; ProposalSettled if no outcome is proposed.
    """
    locked, proposer = _lock_proposed(case)
    if proposer.pk != by.pk:
        raise NotOwnProposal
    _end_proposal(locked, "withdrawn", by=by, at=at)


def _lock_proposed(case: CustomerCase) -> tuple[CustomerCase, User]:
    locked = lock_case(case)
    if locked.status != CustomerCaseStatus.PROPOSED or locked.decided_by is None:
        raise ProposalSettled
    return locked, locked.decided_by


def _require_complete(case: CustomerCase) -> None:
    """Refuse an outcome that lacks a value, or would tell the partner of a screening hit.

    Raises: Incomplete, PartnerMustNotLearn.
    """
    if case.outcome not in list_outcomes(case):
        raise Incomplete("Choose one of the outcomes that this case can have.")
    if not 0 < len(case.reason) <= LONGEST_REASON:
        raise Incomplete("Enter a reason. Auditors will read it.")
    if case.outcome == CaseOutcome.RISK_CHANGED and case.new_risk in {"", case.customer.risk}:
        raise Incomplete("Choose another risk than the customer has.")
    if case.outcome == CaseOutcome.CHANGE_DENIED and not case.denial_reason:
        raise Incomplete("Choose a reason for the partner.")
    if case.is_for_partner and _has_open_hits(case):
        raise PartnerMustNotLearn


def _has_open_hits(case: CustomerCase) -> bool:
    return open_hits().filter(lead=case.customer.lead_id).exists()


def _close(case: CustomerCase, *, by: User, at: datetime) -> None:
    """Carry out the outcome of a case and close it."""
    case.status, case.closed_at = CustomerCaseStatus.CLOSED, at
    case.claimed_by = case.claimed_until = None
    case.save()
    details = {"outcome": str(case.outcome), "risk": case.new_risk or case.customer.risk}
    if case.confirmed_by_id and case.decided_by:
        details["proposed_by"] = str(case.decided_by.external_id)
    record(case, EventType.CUSTOMER_CASE_CLOSED, by=by, at=at, **details)
    outcomes.carry_out(case, by=actor(by), at=at)


def _end_proposal(case: CustomerCase, how: str, *, by: User, at: datetime, note: str = "") -> None:
    """Open a case again without its proposed outcome.

    Records an event with `how`: "voided", "refused" or "withdrawn".
    """
    details = {"how": how, "outcome": str(case.outcome)} | ({"note": note} if note else {})
    case.status, case.outcome, case.evidence_digest = CustomerCaseStatus.OPEN, "", ""
    case.new_risk = case.denial_reason = ""
    case.is_for_partner, case.decided_by, case.decided_at = False, None, None
    case.save()
    record(case, EventType.CUSTOMER_CASE_PROPOSAL_ENDED, by=by, at=at, **details)
