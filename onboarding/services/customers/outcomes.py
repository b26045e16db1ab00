"""Outcomes of customer cases: the changes that each makes to the customer."""

from datetime import datetime

from banking.errors import StepRefused
from banking.services.business_changes import PrimaryOwnerStays
from onboarding.business_hours import NEW_YORK
from onboarding.choices import CaseOutcome, CustomerStatus, Risk
from onboarding.errors import Invalid
from onboarding.event_types import EventType
from onboarding.models import CustomerCase
from onboarding.services.customers import changes
from onboarding.services.customers.records import next_review
from onboarding.services.events import history
from onboarding.services.events.history import Actor


class ChangeImpossible(StepRefused):
    """A requested change cannot be made, because it contradicts the data stored by now."""

    def __init__(self, faults: str) -> None:
        super().__init__(f"The change cannot be made as it was requested: {faults} Deny it.")


def carry_out(case: CustomerCase, *, by: Actor, at: datetime) -> None:
    """Change the customer as the outcome of a closed case says. The lead must be locked.

    Raises: ChangeImpossible.
    """
    match CaseOutcome(case.outcome):
        case CaseOutcome.CHANGE_APPROVED:
            _apply(case, by=by, at=at)
        case CaseOutcome.CHANGE_DENIED:
            changes.deny_change(case, by=by, at=at)
        case outcome:
            _end_review(case, outcome, by=by, at=at)


def _apply(case: CustomerCase, *, by: Actor, at: datetime) -> None:
    try:
        changes.apply_change(case, by=by, at=at)
    except Invalid as exc:
        faults = " ".join(dict.fromkeys(fault.text() for fault in exc.faults))
        raise ChangeImpossible(faults) from exc
    except PrimaryOwnerStays as exc:
        raise ChangeImpossible("The applicant signs in for the business and stays.") from exc


def _end_review(case: CustomerCase, outcome: CaseOutcome, *, by: Actor, at: datetime) -> None:
    """Change the customer by the outcome of a review, and set the day of the next review.

    The day follows from the new risk. Adds a CUSTOMER_RESTRICTED event if the case is for the
    partner.
    """
    customer = case.customer
    if outcome is CaseOutcome.RISK_CHANGED:
        customer.risk = case.new_risk
    elif outcome is CaseOutcome.RESTRICTED:
        customer.status, customer.restricted_at = CustomerStatus.RESTRICTED, at
    elif outcome is CaseOutcome.RESTRICTION_LIFTED:
        customer.status, customer.restricted_at = CustomerStatus.ACTIVE, None
    elif outcome is CaseOutcome.EXIT:
        customer.status = CustomerStatus.LEAVING
    today = at.astimezone(NEW_YORK).date()
    customer.review_due_on = next_review(Risk(customer.risk), since=today)
    customer.save(update_fields=["status", "risk", "restricted_at", "review_due_on"])
    if case.is_for_partner:
        history.record(customer.application, EventType.CUSTOMER_RESTRICTED, by=by, at=at)
