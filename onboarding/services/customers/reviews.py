"""Reviews of customers: opened for a cause or when the periodic review is due, with due dates."""

import logging
from collections.abc import Iterator
from datetime import datetime, time
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from banking.errors import StepRefused
from banking.models import User
from onboarding.business_hours import HOURS_OF_A_DAY, NEW_YORK, add_business_hours
from onboarding.choices import (
    CustomerCaseKind,
    CustomerStatus,
    ReviewCause,
)
from onboarding.event_types import EventType
from onboarding.models import Application, Customer, CustomerCase, Owner
from onboarding.models.customers import OPEN, REVIEWS
from onboarding.queries.leads import lock_application
from onboarding.services import routing
from onboarding.services.applications.expiry import Outcome
from onboarding.services.events import history
from onboarding.services.events.history import CLOCK, Actor

logger = logging.getLogger(__name__)

CLOSES = time(17)  # in New York, on the day of a periodic review
USUAL_DAYS = 10  # business days for a review
URGENT_DAYS = 1
URGENT = {ReviewCause.NEW_HIT, ReviewCause.CONFIRMED_HIT}
WATCHED = [status.value for status in CustomerStatus if status is not CustomerStatus.CLOSED]


class CustomerGone(StepRefused):
    """The customer is closed."""

    message = "All accounts of this customer are closed."


def open_review(
    customer: Customer,
    cause: ReviewCause,
    *,
    text: str = "",
    by: Actor,
    user: User | None = None,
    at: datetime,
) -> CustomerCase:
    """Open a review, or add the cause to the open one and bring its due date forward.

    `text` is the reason of staff, or the words of the partner. A cause that the open review has
    already is added again only with a text. The lead must be locked.
    """
    review = CustomerCase.objects.filter(OPEN, customer=customer, kind__in=REVIEWS).first()
    due_at = _due_at(customer, cause, at)
    said = {"cause": cause.value, "text": text, "at": at.isoformat()}
    if review is None:
        is_due = cause is ReviewCause.DUE
        review = CustomerCase.objects.create(
            customer=customer,
            kind=CustomerCaseKind.PERIODIC if is_due else CustomerCaseKind.TRIGGERED,
            causes=[said],
            opened_as=by.role,
            opened_by=user,
            opened_at=at,
            due_at=due_at,
        )
        _record(review, EventType.CUSTOMER_CASE_OPENED, cause, by=by, at=at)
        routing.route_customer_case(review, at=at)
        return review
    if text or all(one["cause"] != cause for one in review.causes):
        review.causes = [*review.causes, said]
        review.due_at = min(review.due_at, due_at)
        review.save(update_fields=["causes", "due_at"])
        _record(review, EventType.CUSTOMER_CASE_CAUSED, cause, by=by, at=at)
    return review


def trigger(
    application: Application, cause: ReviewCause, *, by: Actor, at: datetime, text: str = ""
) -> CustomerCase | None:
    """Open a review of an application's customer as `open_review` does, whose lead is locked.

    None if the application has no customer, or the customer is closed.
    """
    customer = Customer.objects.filter(application=application, status__in=WATCHED).first()
    if customer is None:
        return None
    customer.application, customer.lead = application, application.lead
    return open_review(customer, cause, text=text, by=by, at=at)


@transaction.atomic
def open_with_reason(
    customer: Customer,
    *,
    text: str,
    cause: ReviewCause = ReviewCause.STAFF,
    by: Actor,
    user: User | None = None,
    at: datetime,
) -> CustomerCase:
    """Lock the customer's lead, and open a review with a reason, or add the reason to the open one.

    Raises: CustomerGone.
    """
    locked = lock_customer(customer)
    if locked.is_closed:
        raise CustomerGone
    return open_review(locked, cause, text=text.strip(), by=by, user=user, at=at)


def open_due(*, at: datetime) -> Iterator[Outcome]:
    """Open the periodic reviews that are due soon, and reviews for identity documents that expire.

    Works while the result is iterated, in one transaction per customer. A failure is logged, and
    the next customer follows. Yields an outcome for each customer, whose `application_id` is the
    external id of the customer.
    """
    for cause, found in (
        (ReviewCause.DUE, _due(at)),
        (ReviewCause.IDENTITY_EXPIRES, _expiring(at)),
    ):
        for pk, external_id in list(found.values_list("pk", "external_id")):
            yield _try_open(pk, external_id, cause, at=at)


def lock_customer(customer: Customer) -> Customer:
    """Return a customer with its application, read after its lead's row was locked."""
    application = lock_application(lead=customer.lead_id)
    mine = Customer.objects.select_related("application", "business").get(pk=customer.pk)
    if application is not None:
        mine.lead = mine.application.lead = application.lead
        if application.pk == mine.application_id:
            mine.application = application
    return mine


def _due(at: datetime) -> QuerySet[Customer]:
    """Return the customers without an open review whose periodic review is to be opened.

    It is opened REVIEW_OPENED_BEFORE the due day. Any review that closes sets the next due day, so
    an open review of another kind replaces the periodic one. Closed customers are left out.
    """
    until = (at + settings.REVIEW_OPENED_BEFORE).astimezone(NEW_YORK).date()
    due = Customer.objects.filter(status__in=WATCHED, review_due_on__lte=until)
    opened = CustomerCase.objects.filter(OPEN, customer=OuterRef("pk"), kind__in=REVIEWS)
    return due.filter(~Exists(opened)).order_by("pk")


def _expiring(at: datetime) -> QuerySet[Customer]:
    """Return the customers with an identity document that expires soon or has just expired.

    It expires at most REVIEW_IDENTITY_BEFORE away, before or after today. Customers are left out
    that have an open review, or one that closed in the last two such periods: its reviewer saw it.
    """
    before = settings.REVIEW_IDENTITY_BEFORE
    today = at.astimezone(NEW_YORK).date()
    soon = {"id_expiration_date__lte": today + before, "id_expiration_date__gt": today - before}
    owners = Owner.objects.filter(**soon).values("lead")
    of_applicant = Q(**{f"lead__{name}": value for name, value in soon.items()})
    reviewed = CustomerCase.objects.filter(
        OPEN | Q(closed_at__gte=at - 2 * before), customer=OuterRef("pk"), kind__in=REVIEWS
    )
    found = Customer.objects.filter(of_applicant | Q(lead__in=owners), status__in=WATCHED)
    return found.filter(~Exists(reviewed)).order_by("pk")


def _try_open(pk: int, external_id: UUID, cause: ReviewCause, *, at: datetime) -> Outcome:
    try:
        with transaction.atomic():
            customer = lock_customer(Customer.objects.get(pk=pk))
            still = _due(at) if cause is ReviewCause.DUE else _expiring(at)
            if still.filter(pk=pk).exists():
                open_review(customer, cause, by=CLOCK, at=at)
    except Exception as exc:
        logger.exception("opening a review of customer %s failed", external_id)
        return Outcome(external_id, type(exc).__name__)
    return Outcome(external_id)


def _due_at(customer: Customer, cause: ReviewCause, at: datetime) -> datetime:
    days = URGENT_DAYS if cause in URGENT else USUAL_DAYS
    soonest = add_business_hours(at, days * HOURS_OF_A_DAY)
    if cause is ReviewCause.DUE and customer.review_due_on:
        day = datetime.combine(customer.review_due_on, CLOSES, tzinfo=NEW_YORK)
        return max(soonest, day)
    return soonest


def _record(
    review: CustomerCase, event_type: EventType, cause: ReviewCause, *, by: Actor, at: datetime
) -> None:
    details = {"case_id": str(review.external_id), "kind": str(review.kind), "cause": cause.value}
    history.record(review.customer.application, event_type, by=by, at=at, **details)
