"""Hit alerts: new screening hits of customers and records, their clock, and the mails to staff."""

from datetime import datetime, timedelta

from django.db.models import Q

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import (
    HitStatus,
    MailStatus,
    NotificationKind,
    PartyKind,
    ReviewCause,
    RoutedWork,
)
from onboarding.event_types import MailKind
from onboarding.models import Application, Mail, ScreeningHit
from onboarding.queries.screening_hits import alert_due_at
from onboarding.queries.staff import list_reviewers
from onboarding.services import routing
from onboarding.services.customers import reviews
from onboarding.services.events.history import CHECKS
from onboarding.services.notifications import notify

CUSTOMERS = [Status.APPROVED, Status.APPROVED_TEMPORARY]  # they have an account
MAILED_AFTER = timedelta(minutes=5)  # one mail is about all hits that a new list brings


def update_alert(application: Application, *, is_alert: bool, at: datetime) -> None:
    """Begin the alert of a customer if `is_alert`, or end it if no hit is unreviewed.

    `is_alert` says that a hit is new or was reopened. An alert is due after one business day, is
    routed to staff, mails them and opens a review; the status stays. Does nothing for applications
    that are not approved. The lead must be locked.
    """
    if application.status not in CUSTOMERS:
        return
    if not has_unreviewed(application):
        if application.new_hit_at:
            _set(application, new_hit_at=None, due_at=None)
    elif is_alert:
        if application.new_hit_at is None:
            _set(application, new_hit_at=at, due_at=alert_due_at(at=at))
            routing.route(application, RoutedWork.HIT, at=at)
        mail_staff(application=application, at=at)
        reviews.trigger(application, ReviewCause.NEW_HIT, by=CHECKS, at=at)


def alert_record(hit: ScreeningHit, *, at: datetime) -> None:
    """Begin the alert of a hit of a party in the bank's records, and mail staff.

    The hit is due after one business day.
    """
    hit.due_at = alert_due_at(at=at)
    hit.save(update_fields=["due_at"])
    mail_staff(hit=hit, at=at)


def end_record_alerts(kind: PartyKind, row: int) -> None:
    """Clear the due times of hits that are judged or no longer current, of a party of the records.

    `row` is the primary key of the party's row.
    """
    settled = ~Q(status=HitStatus.UNREVIEWED) | Q(is_current=False)
    hits = ScreeningHit.objects.filter(settled, party_kind=kind, party_row=row)
    hits.exclude(due_at=None).update(due_at=None)


def has_unreviewed(application: Application) -> bool:
    """Return whether a current hit of the lead is unreviewed."""
    current = ScreeningHit.objects.filter(lead=application.lead_id, is_current=True)
    return current.filter(status=HitStatus.UNREVIEWED).exists()


def mail_staff(
    *, application: Application | None = None, hit: ScreeningHit | None = None, at: datetime
) -> None:
    """Notify everybody who may judge hits, unless a mail about hits is queued for the person.

    A queued mail whose notification was read does not count, since it may be cancelled. The
    notification is mailed after MAILED_AFTER, unless it was read before.
    """
    queued = Mail.objects.filter(kind=MailKind.SCREENING_HITS, status=MailStatus.QUEUED)
    waiting = queued.filter(notification__read_at=None)
    mailed = set(waiting.values_list("user", flat=True))
    unmailed = [user for user in list_reviewers() if user.pk not in mailed]
    mailed_at = at + MAILED_AFTER
    notify(
        NotificationKind.NEW_HIT,
        unmailed,
        application=application,
        hit=hit,
        mailed_at=mailed_at,
        at=at,
    )


def _set(application: Application, **values: datetime | None) -> None:
    for name, value in values.items():
        setattr(application, name, value)
    application.save(update_fields=list(values))
