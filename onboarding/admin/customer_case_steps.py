"""The steps of staff with a customer case: who may take each, and what it does."""

from onboarding.admin.case_forms import ReassignForm
from onboarding.admin.customer_case_forms import (
    CloseReviewForm,
    DenyChangeForm,
    ReasonForm,
    RefuseOutcomeForm,
)
from onboarding.admin.step_pages import StepPage
from onboarding.choices import CaseOutcome, CustomerCaseStatus
from onboarding.queries.staff import CONFIRM, REVIEW
from onboarding.services.customers import case_claims, case_steps
from onboarding.services.reviews import assignments

DECIDE = "onboarding.decide_application"
PROPOSED = "Proposed. A second person must confirm it."
CLOSED = "The case is closed, with the outcome “{}”."


def _take(service, done):
    def take(case, said, **by):
        service(case, **said, **by)
        return done

    return take


def _decide(outcome=None):
    def take(case, said, **by):
        chosen = CaseOutcome(said.pop("outcome", None) or outcome)
        decided = case_steps.decide(case, chosen, **said, **by)
        is_closed = decided.status == CustomerCaseStatus.CLOSED
        return CLOSED.format(chosen.label) if is_closed else PROPOSED

    return take


def is_open(case):
    """Return whether a case waits for somebody, be it for a decision or for its confirmation."""
    return case.status != CustomerCaseStatus.CLOSED


def _may_claim(case, *, user, at):
    free = case.claimed_until is None or case.claimed_until <= at
    return is_open(case) and free


def _is_mine(case, *, user, at):
    return is_open(case) and case_claims.has_claim(case, by=user, at=at)


def _may_close_review(case, *, user, at):
    return case.is_review and _is_mine(case, user=user, at=at) and case.status == "OPEN"


def _may_decide_change(case, *, user, at):
    return not case.is_review and _is_mine(case, user=user, at=at) and case.status == "OPEN"


def _may_hand_over(case, *, user, at):
    return is_open(case) and assignments.may_hand_over(case, by=user)


def _is_of_another(case, *, user, at):
    return case.status == "PROPOSED" and case.decided_by_id != user.pk


def _is_own(case, *, user, at):
    return case.status == "PROPOSED" and case.decided_by_id == user.pk


STEP_PAGES = {
    "claim": StepPage(
        "Claim", REVIEW, _take(case_claims.claim, "You have claimed the case."), _may_claim,
        tone="first",
    ),
    "approve_change": StepPage(
        "Approve the change", DECIDE, _decide(CaseOutcome.CHANGE_APPROVED), _may_decide_change,
        ReasonForm, "The lead and the bank's records change, and the checks run again.",
        tone="first",
    ),
    "deny_change": StepPage(
        "Deny the change", DECIDE, _decide(CaseOutcome.CHANGE_DENIED), _may_decide_change,
        DenyChangeForm, "The partner receives the reason that you choose.",
    ),
    "close_review": StepPage(
        "Close the review", DECIDE, _decide(), _may_close_review, CloseReviewForm,
        "A high risk, the end of the relationship and the lifting of a restriction need a "
        "second person.", tone="first",
    ),
    "rerun_checks": StepPage(
        "Run the checks again", REVIEW,
        _take(case_steps.rerun_checks, "The checks were run again."), _is_mine,
    ),
    "confirm": StepPage(
        "Confirm the outcome", CONFIRM,
        _take(case_steps.confirm, "Confirmed. The case is closed."), _is_of_another,
        tone="first",
    ),
    "refuse": StepPage(
        "Reject the outcome", CONFIRM,
        _take(case_steps.refuse, "Rejected. The case is open again."), _is_of_another,
        RefuseOutcomeForm,
    ),
    "withdraw": StepPage(
        "Withdraw the proposal", DECIDE,
        _take(case_steps.withdraw, "Withdrawn. The case is open again."), _is_own,
    ),
    "release": StepPage(
        "Release", REVIEW, _take(case_claims.release, "You have released the case."), _is_mine
    ),
    "reassign": StepPage(
        "Hand over", REVIEW, _take(case_claims.reassign, "The case was handed over."),
        _may_hand_over, ReassignForm,
    ),
}  # fmt: skip
