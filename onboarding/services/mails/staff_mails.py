"""Staff mails: the facts of mails to staff about screening hits, proposals and notifications.

Facts are the variables of a mail's template.
"""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.urls import reverse

from banking.models import User
from foundation.times import show_time
from onboarding.choices import NotificationKind, ProposalStatus
from onboarding.event_types import MailKind
from onboarding.models import Application, Mail, Notification, Proposal
from onboarding.queries.notifications import address_of
from onboarding.queries.reviews import count_hit_alerts
from onboarding.queries.screening_hits import alert_due_at, alerts_of_records
from onboarding.queries.staff import REVIEW
from onboarding.services.mails.facts import DEFAULT_COLOR, Overtaken, facts_of_partner

OF_BANK = {"partner_name": "", "is_bank": True, "color": DEFAULT_COLOR}  # without a partner


def facts_of_staff(mail: Mail, user: User) -> dict[str, Any]:
    """Return the template variables of a mail to a member of staff. They name no customer.

    Raises: Overtaken if the person may not work on cases any more, has read the notification and
    was notified of all hits, or nothing is left to do.
    """
    if not (user.is_active and user.is_staff and user.has_perm(REVIEW)):
        raise Overtaken("the person may not work on cases any more")
    application = mail.application
    facts = {
        **(facts_of_partner(application.lead.partner) if application else OF_BANK),
        "bank_name": settings.BANK_NAME,
        "to": user.email,
        "support_email": "",
        "reference": application.reference if application else "",
    }
    if mail.notification and mail.notification.read_at and not _is_about_more(mail.notification):
        raise Overtaken("the person has read the notification")
    if mail.kind == MailKind.SCREENING_HITS:
        return facts | _facts_of_hits()
    if mail.notification and mail.kind == MailKind.STAFF_NOTICE:
        return facts | _facts_of_notice(mail.notification)
    if application is None:
        raise Overtaken("there is no case")
    return facts | _facts_of_void(application, user, mail.created_at)


def _is_about_more(notification: Notification) -> bool:
    """Return whether other hits became alerts between a notification of hits and its reading.

    Nobody is notified of these hits while the mail about the first one is queued. The mail is about
    all hits.
    """
    if notification.kind != NotificationKind.NEW_HIT or notification.read_at is None:
        return False
    unread = (notification.at, notification.read_at)
    is_other = ~Q(pk=notification.application_id)
    customers = Application.objects.filter(is_other, is_current=True, new_hit_at__range=unread)
    due = [alert_due_at(at=time) for time in unread]
    records = alerts_of_records().filter(~Q(pk=notification.hit_id), due_at__range=due)
    return customers.exists() or records.exists()


def _facts_of_notice(notification: Notification) -> dict[str, Any]:
    case = notification.customer_case or notification.hit or notification.application
    due_at = notification.due_at or (case and case.due_at)
    return {
        "what": notification.get_kind_display(),
        "due": show_time(due_at) if due_at else "",
        "url": f"{settings.BASE_URL}{address_of(notification)}",
        "settings_url": f"{settings.BASE_URL}{reverse('admin:onboarding_notification_mails')}",
    }


def _facts_of_hits() -> dict[str, Any]:
    count, records = count_hit_alerts(), alerts_of_records().count()
    if not count and not records:
        raise Overtaken("every hit was judged meanwhile")
    queue = reverse("admin:onboarding_application_changelist")
    hits = reverse("admin:onboarding_screeninghit_changelist")
    return {
        "count": count,
        "url": f"{settings.BASE_URL}{queue}?queue=hits",
        "records": records,
        "records_url": f"{settings.BASE_URL}{hits}?state=records",
    }


def _facts_of_void(application: Application, user: User, since: datetime) -> dict[str, Any]:
    voided = application.proposals.filter(
        status=ProposalStatus.VOIDED, proposed_by=user, settled_at__lte=since
    )
    proposal: Proposal | None = voided.order_by("-settled_at").first()
    if proposal is None:
        raise Overtaken("there is no voided proposal")
    case = reverse("admin:onboarding_application_change", args=[application.pk])
    return {
        "decision": proposal.get_kind_display(),
        "cause": proposal.settled_note,
        "url": f"{settings.BASE_URL}{case}#decision",
    }
