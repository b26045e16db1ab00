"""Changes of a customer that owners with a sign-in ask for, or withdraw before the decision."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction

from banking.choices import BusinessOwnerRole
from banking.models import BusinessOwner
from onboarding.choices import CaseOutcome, CustomerCaseKind, CustomerCaseStatus
from onboarding.event_types import EventType
from onboarding.models import Customer, CustomerCase
from onboarding.models.customers import OPEN
from onboarding.queries.customer_changes import get_customer
from onboarding.services.customers import changes
from onboarding.services.customers.case_claims import lock_case
from onboarding.services.customers.reviews import lock_customer
from onboarding.services.events import history
from onboarding.services.events.history import APPLICANT, OWNER, Actor


class NoFullAccess(Exception):
    """The owner does not sign in for the business with full access, or no longer."""


@transaction.atomic
def request_change(
    owner: BusinessOwner,
    details: Mapping[str, Any],
    *,
    text: str = "",
    language: str,
    at: datetime,
) -> CustomerCase:
    """Save a change that an owner asks for, to be decided by the bank.

    `details` are values of the lead, `owners` to add or to change by email, and `removed_ubo_ids`.
    If the owner has an undecided change with equal `details`, that is returned instead.
    Raises: NoFullAccess, Customer.DoesNotExist, Invalid, ChangeTooEarly, ChangeLimitReached.
    """
    customer = lock_customer(get_customer(owner.business))
    asking = _require_full_access(owner)
    same = _find_same(customer, details, user_id=asking.user_id)
    if same is not None:
        return same
    return changes.request_change(
        customer,
        details,
        text=text,
        by=_actor(asking),
        user=asking.user,
        language=language,
        at=at,
    )


@transaction.atomic
def withdraw(case: CustomerCase, owner: BusinessOwner, *, at: datetime) -> None:
    """Close a change that the owner has asked for, before its decision, as WITHDRAWN.

    An outcome that staff have proposed for it ends.

    Raises: NoFullAccess, CaseClosed, CustomerCase.DoesNotExist for a change of somebody else.
    """
    locked = lock_case(case)
    asking = _require_full_access(owner)
    is_own = locked.opened_by_id == asking.user_id and locked.kind == CustomerCaseKind.CHANGE
    if not is_own or locked.customer.business_id != asking.business_id:
        raise CustomerCase.DoesNotExist
    locked.status, locked.outcome = CustomerCaseStatus.CLOSED, CaseOutcome.WITHDRAWN
    locked.closed_at = at
    locked.claimed_by = locked.claimed_until = None
    locked.decided_by = locked.decided_at = None
    locked.denial_reason = locked.reason = locked.evidence_digest = ""
    locked.save()
    history.record(
        locked.customer.application,
        EventType.CUSTOMER_CASE_CLOSED,
        by=_actor(asking),
        at=at,
        case_id=str(locked.external_id),
        kind=str(locked.kind),
        outcome=str(locked.outcome),
    )


def _require_full_access(owner: BusinessOwner) -> BusinessOwner:
    """Return the owner as stored now, with the user.

    Raises: NoFullAccess if the owner has no full access now, or another user than `owner`.
    """
    stored = BusinessOwner.objects.select_related("user").filter(pk=owner.pk).first()
    is_same = stored is not None and stored.user_id is not None and stored.user_id == owner.user_id
    if stored is None or not is_same or not stored.has_full_access:
        raise NoFullAccess
    return stored


def _actor(owner: BusinessOwner) -> Actor:
    is_applicant = owner.role == BusinessOwnerRole.PRIMARY_OWNER
    return APPLICANT if is_applicant else OWNER


def _find_same(
    customer: Customer, details: Mapping[str, Any], *, user_id: int | None
) -> CustomerCase | None:
    """Return an undecided change with the same values that the user has asked for, or None."""
    undecided = CustomerCase.objects.filter(
        OPEN, customer=customer, kind=CustomerCaseKind.CHANGE, opened_by=user_id
    )
    content = changes.as_content(details)
    return next((case for case in undecided if case.content == content), None)
