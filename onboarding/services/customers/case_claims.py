"""Claims and assignees of customer cases, by the rules for the cases of applications.

A claim is a lock: only one person works on a case, and the claim ends CLAIM_LIFETIME after their
last step. The assignee is responsible for the case until it is closed or handed over.
"""

from datetime import datetime

from django.conf import settings
from django.db import transaction

from banking.errors import StepRefused
from banking.models import User
from onboarding.choices import CustomerCaseStatus, NotificationKind
from onboarding.event_types import EventType
from onboarding.models import CustomerCase
from onboarding.queries.staff import may_review
from onboarding.services.customers.reviews import lock_customer
from onboarding.services.events import history
from onboarding.services.notifications import notify
from onboarding.services.reviews.assignments import NotReviewer, require_right
from onboarding.services.reviews.cases import (
    ClaimedByAnother,
    NotClaimed,
    actor,
    clear_inactive_assignee,
    write_note,
)


class CaseClosed(StepRefused):
    """The case is closed."""

    message = "This case is closed."


def has_claim(case: CustomerCase, *, by: User, at: datetime) -> bool:
    """Return whether a user has a claim on the case now."""
    until = case.claimed_until
    return case.claimed_by_id == by.pk and until is not None and until > at


@transaction.atomic
def claim(case: CustomerCase, *, by: User, at: datetime) -> CustomerCase:
    """Claim a case, or renew the claim, for CLAIM_LIFETIME; assign an unassigned case to the user.

    The case of a deactivated assignee becomes the user's, too.
    Raises: CaseClosed; ClaimedByAnother while the claim of another user lasts.
    """
    locked = lock_case(case)
    until = locked.claimed_until
    if until and until > at and locked.claimed_by_id != by.pk:
        raise ClaimedByAnother(until)
    clear_inactive_assignee(locked)
    had_it = has_claim(locked, by=by, at=at)
    becomes = {} if locked.assignee_id else {"becomes": "assignee"}
    _hand(locked, to=by, at=at, **({"assignee": by} if becomes else {}))
    if not had_it or becomes:
        record(locked, EventType.CUSTOMER_CASE_CLAIMED, by=by, at=at, **becomes)
    return locked


@transaction.atomic
def release(case: CustomerCase, *, by: User, at: datetime) -> None:
    """End the user's claim on a case; its assignee stays. Raises: CaseClosed, NotClaimed."""
    locked = lock_case(case)
    if locked.claimed_by_id != by.pk:
        raise NotClaimed
    locked.claimed_by = locked.claimed_until = None
    locked.save(update_fields=["claimed_by", "claimed_until"])
    record(locked, EventType.CUSTOMER_CASE_RELEASED, by=by, at=at)


@transaction.atomic
def release_for(user: User, case: CustomerCase, *, by: User, at: datetime) -> None:
    """End `user`'s claim on a case, because `by` has deactivated the account of `user`.

    Does nothing if another user or nobody has the claim. Raises: CaseClosed.
    """
    locked = lock_case(case)
    if locked.claimed_by_id != user.pk:
        return
    locked.claimed_by = locked.claimed_until = None
    locked.save(update_fields=["claimed_by", "claimed_until"])
    details = {"of": str(user.external_id), "reason": "The account was deactivated."}
    record(locked, EventType.CUSTOMER_CASE_RELEASED, by=by, at=at, **details)


@transaction.atomic
def reassign(case: CustomerCase, *, to: User, note: str = "", by: User, at: datetime) -> None:
    """Hand a case over to a colleague, with the claim and a note for staff, and notify them.

    `by` must have the permission to hand over the cases of others, or be the assignee while no
    other user has the claim.
    Raises: CaseClosed, NotReviewer, NotAssignee, ClaimedByAnother.
    """
    if not may_review(to):
        raise NotReviewer
    locked = lock_case(case)
    require_right(locked, by=by, at=at)
    details = {"to": str(to.external_id)}
    if locked.assignee:
        details["from"] = str(locked.assignee.external_id)
    _hand(locked, to=to, at=at, assignee=to)
    if note.strip():
        saved = write_note(locked.customer.application, note, by=by, at=at)
        details["note_id"] = str(saved.external_id)
    record(locked, EventType.CUSTOMER_CASE_REASSIGNED, by=by, at=at, **details)
    tell(NotificationKind.HANDED_OVER, to, locked, by=by, at=at)


def tell(kind: NotificationKind, user: User, case: CustomerCase, *, by: User, at: datetime) -> None:
    """Notify `user` about a customer case because of a step of `by`, who is not notified."""
    application = case.customer.application
    notify(kind, [user], application=application, customer_case=case, by=by, at=at)


def lock_case(case: CustomerCase) -> CustomerCase:
    """Return an open case with its customer, read after the lead was locked. Raises: CaseClosed."""
    customer = lock_customer(case.customer)
    locked = CustomerCase.objects.select_related("decided_by", "assignee").get(pk=case.pk)
    locked.customer = customer
    if locked.status == CustomerCaseStatus.CLOSED:
        raise CaseClosed
    return locked


def begin_step(case: CustomerCase, *, by: User, at: datetime) -> CustomerCase:
    """Lock a case, and require and renew the user's claim. Raises: CaseClosed, NotClaimed."""
    locked = lock_case(case)
    if not has_claim(locked, by=by, at=at):
        raise NotClaimed
    _hand(locked, to=by, at=at)
    return locked


def _hand(case: CustomerCase, *, to: User, at: datetime, **values: User) -> None:
    values |= {"claimed_by": to}
    for name, value in values.items():
        setattr(case, name, value)
    case.claimed_until = at + settings.CLAIM_LIFETIME
    case.save(update_fields=[*values, "claimed_until"])


def record(
    case: CustomerCase, event_type: EventType, *, by: User, at: datetime, **details: str
) -> None:
    """Record an event of a customer case by a member of staff. The lead must be locked."""
    named = {"case_id": str(case.external_id), "kind": str(case.kind)}
    application = case.customer.application
    history.record(application, event_type, by=actor(by), at=at, **named, **details)
