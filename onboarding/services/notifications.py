"""Notifications: texts about cases that staff read in the back office, and their mails."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from banking.models import User
from foundation.tracing import spans
from onboarding.choices import NotificationKind as Kind
from onboarding.event_types import MailKind
from onboarding.models import (
    Application,
    CustomerCase,
    Mail,
    MutedMail,
    Notification,
    ScreeningHit,
)
from onboarding.models.customers import OPEN
from onboarding.queries.routing import list_deputies

Case = TypeVar("Case", Application, CustomerCase)
SOON = timedelta(hours=2)  # before the deadline
MAX_NOTIFICATIONS = 500  # of deadlines, in one run
MAILS = {  # kinds with a mail of their own
    Kind.NEW_HIT: MailKind.SCREENING_HITS,
    Kind.PROPOSAL_VOIDED: MailKind.PROPOSAL_VOIDED,
}
OF_EVERYBODY = {Kind.NEW_HIT}  # all who may judge hits are notified, the deputies among them


@transaction.atomic
def notify(
    kind: Kind,
    users: Iterable[User],
    *,
    application: Application | None = None,
    customer_case: CustomerCase | None = None,
    hit: ScreeningHit | None = None,
    by: User | None = None,
    due_at: datetime | None = None,
    mailed_at: datetime | None = None,
    at: datetime,
) -> None:
    """Notify users about a case, or a hit of the records; mail those who have not muted the kind.

    A `customer_case` needs the customer's `application`, too. The deputy of an absent user is
    notified as well, except of new hits. The user `by`, who caused it, and inactive users are not
    notified. Mails are sent from `mailed_at` on (None: from `at`), and cancelled if the
    notification was read before.
    """
    recipients = [user for user in users if user != by]
    if kind not in OF_EVERYBODY:
        recipients += list_deputies(recipients, at=at)
    notified = {user.pk: user for user in recipients if user.is_active and user != by}
    if not notified:
        return
    made = Notification.objects.bulk_create(
        Notification(
            user=user,
            kind=kind,
            application=application,
            customer_case=customer_case,
            hit=hit,
            by=by,
            due_at=due_at,
            at=at,
        )
        for user in notified.values()
    )
    muting = MutedMail.objects.filter(user__in=notified, kind=kind)
    muted = set(muting.values_list("user", flat=True))
    Mail.objects.bulk_create(
        Mail(
            kind=MailKind.STAFF_NOTICE if customer_case else MAILS.get(kind, MailKind.STAFF_NOTICE),
            application=application,
            user=one.user,
            notification=one,
            language=settings.LANGUAGE_CODE,
            due_at=mailed_at or at,
            created_at=at,
            request_id=spans.current_request_id() or None,
            traceparent=spans.current_traceparent(),
        )
        for one in made
        if one.user_id not in muted
    )


def notify_answer(application: Application, *, at: datetime) -> None:
    """Notify the assignee of an application that the applicant has answered.

    Does nothing without an assignee, or while an earlier such notification is unread.
    """
    assignee = application.assignee
    if assignee is None:
        return
    unread = Notification.objects.filter(
        application=application, user=assignee, kind=Kind.RETURNED, read_at=None
    )
    if not unread.exists():
        notify(Kind.RETURNED, [assignee], application=application, at=at)


def notify_deadlines(*, at: datetime) -> int:
    """Notify assignees once of each deadline within SOON, and once of each that has passed.

    An application and a case of its customer with the same deadline and assignee give a single
    notification. Returns how many deadlines the assignees were notified of.
    """
    cases = Application.objects.filter(is_current=True)
    reviews = CustomerCase.objects.filter(OPEN).select_related("customer__application")
    count = 0
    for kind, near in (
        (Kind.DUE_SOON, {"due_at__gt": at, "due_at__lte": at + SOON}),
        (Kind.OVERDUE, {"due_at__lte": at}),
    ):
        for case in _list_unnotified(cases.filter(**near), "pk", kind):
            _notify_deadline(kind, case, application=case, at=at)
            count += 1
        for review in _list_unnotified(reviews.filter(**near), "customer__application", kind):
            application = review.customer.application
            _notify_deadline(kind, review, application=application, customer_case=review, at=at)
            count += 1
    return count


def _list_unnotified(due: QuerySet[Case], application: str, kind: Kind) -> list[Case]:
    """Return the cases with an active assignee who was not notified of the deadline."""
    notified = Notification.objects.filter(
        application=OuterRef(application),
        user=OuterRef("assignee"),
        due_at=OuterRef("due_at"),
        kind=kind,
    )
    waiting = due.filter(~Exists(notified), assignee__is_active=True).select_related("assignee")
    return list(waiting.order_by("due_at", "pk")[:MAX_NOTIFICATIONS])


def _notify_deadline(kind: Kind, case: Application | CustomerCase, **about: Any) -> None:
    notify(kind, filter(None, [case.assignee]), due_at=case.due_at, **about)


def mark_read(user: User, *, at: datetime, pks: Iterable[int] | None = None) -> int:
    """Mark notifications of a user as read, all or those with these keys; return how many."""
    unread = Notification.objects.filter(user=user, read_at=None)
    return (unread if pks is None else unread.filter(pk__in=pks)).update(read_at=at)


@transaction.atomic
def set_mails(user: User, *, kinds: Iterable[Kind]) -> None:
    """Save that a user gets mails about these kinds of notifications, and no mails about others."""
    wanted = set(kinds)
    MutedMail.objects.filter(user=user).delete()
    MutedMail.objects.bulk_create(
        MutedMail(user=user, kind=kind) for kind in Kind if kind not in wanted
    )
