"""Outbox: mails queued in the transaction of their cause, and sent by a worker."""

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Max

from banking.models import User
from foundation.tracing import spans
from onboarding.choices import WebhookStatus
from onboarding.event_types import EventType, MailKind
from onboarding.models import ApiKey, Application, Event, Mail, Owner, Partner, Webhook
from onboarding.queries.applications import ENGLISH, list_reading_languages
from onboarding.queries.webhooks import SECRETS
from onboarding.services.mails import mail_texts
from onboarding.services.mails.facts import CodeExpired, Overtaken
from onboarding.services.mails.sent_copies import SentCopy

logger = logging.getLogger(__name__)

DISPATCH_TIMEOUT = timedelta(minutes=1)  # until a mail whose message was lost is dispatched again
NOTICES = [timedelta(days=days) for days in (1, 7, 30)]  # before an access key expires
FAILING_FOR = timedelta(days=1)  # of failures only, before the first notice to the partner
BEFORE_DISABLING = timedelta(days=3)  # the time of the second notice


def queue(
    kind: MailKind,
    *,
    application: Application | None = None,
    owner: Owner | None = None,
    user: User | None = None,
    api_key: ApiKey | None = None,
    webhook: Webhook | None = None,
    event: Event | None = None,
    language: str,
    code: str = "",
    expires_at: datetime | None = None,
    at: datetime,
) -> Mail:
    """Save a mail that a worker sends once the transaction is committed, and `at` has come.

    The mail keeps the request id and the trace of the current request.
    """
    return Mail.objects.create(
        kind=kind,
        application=application,
        owner=owner,
        user=user,
        api_key=api_key,
        webhook=webhook,
        event=event,
        language=language,
        code=code,
        expires_at=expires_at,
        due_at=at,
        created_at=at,
        request_id=spans.current_request_id() or None,
        traceparent=spans.current_traceparent(),
    )


def queue_for_events(events: Iterable[Event], *, at: datetime) -> list[Mail]:
    """Queue the mails to applicants about these events, in a constant number of statements.

    Events of an application with the same kind of mail give a single mail, for the newest event.
    Links are mailed only for partners with `mails_links`.
    """
    wanted: dict[tuple[int, MailKind], Event] = {}
    for event in events:
        kind = EventType(event.type).spec.mail
        if kind:
            wanted[event.application_id, kind] = event
    _drop_links(wanted)
    if not wanted:
        return []
    languages = list_reading_languages({application_id for application_id, _ in wanted})
    return Mail.objects.bulk_create(
        Mail(
            kind=kind,
            application_id=application_id,
            event=event,
            language=languages[application_id],
            due_at=at,
            created_at=at,
            request_id=event.request_id or None,
            traceparent=event.traceparent,
        )
        for (application_id, kind), event in wanted.items()
    )


def dispatch(*, at: datetime, limit: int) -> list[tuple[int, int]]:
    """Return primary key and attempts of mails that are due to be sent, the longest due first.

    The caller sends workers a message about each, to call `send`. A mail is due again after
    DISPATCH_TIMEOUT, in case the message is lost; dispatched twice, it is sent once.
    """
    due = Mail.objects.due(at=at)
    found = list(due.order_by("due_at", "pk").values_list("pk", "attempts")[:limit])
    if found:
        due.filter(pk__in=[pk for pk, _ in found]).update(due_at=at + DISPATCH_TIMEOUT)
    return found


def send(pk: int, *, attempt: int, at: datetime) -> None:
    """Send a dispatched mail, unless its number of attempts is not `attempt` any more.

    If a worker dies before it saves the mail server's response, the mail is sent again with the
    same Message-ID, but a nudge is cancelled. A failed mail is retried later; an outdated mail is
    cancelled.
    """
    mail = Mail.objects.claim(pk, attempt=attempt, at=at)
    if mail is None:
        return
    with spans.work(f"mail {mail.kind}", request_id=mail.request_id, parent=mail.traceparent):
        _send(mail, at=at)


def _send(mail: Mail, *, at: datetime) -> None:
    try:
        _require_outcome(mail)
        message = mail_texts.compose(mail, at=at)
        copy = SentCopy.of(message, code=mail.code).dump()
        message.send()
    except Overtaken as exc:
        mail.cancel(reason=str(exc))
    except CodeExpired as exc:
        mail.give_up(fault=str(exc))
    except OSError as exc:
        mail.postpone(fault=_say(exc), at=at)
    except Exception as exc:
        logger.exception("%s cannot be composed", mail)
        mail.postpone(fault=_say(exc), at=at)
    else:
        mail.mark_sent(at=at, sent_copy=copy)


def _require_outcome(mail: Mail) -> None:
    """Refuse a nudge that an earlier attempt may have sent. Raises: Overtaken.

    An attempt whose outcome was saved has left a fault, which is cleared for the next attempt.
    """
    if mail.kind != MailKind.NUDGE:
        return
    if mail.attempts > 1 and not mail.fault:
        raise Overtaken("an earlier attempt may have sent it")
    Mail.objects.filter(pk=mail.pk).update(fault="")


@transaction.atomic
def notify_key_expiry(*, at: datetime) -> int:
    """Queue a notice of each access key that expires, 30, 7 and 1 days before; return how many.

    They are sent to the partner's support email; the log counts keys of partners without it. Each
    notice is queued once; of several that are due, only the latest.
    """
    ending = ApiKey.objects.live(at=at).filter(
        expires_at__lte=at + NOTICES[-1], partner__suspended_at=None
    )
    keys = list(ending.select_related("partner").select_for_update(of=("self",)).order_by("pk"))
    sent = Mail.objects.filter(kind=MailKind.KEY_EXPIRY, api_key__in=keys).order_by()
    newest = dict(sent.values_list("api_key").annotate(Max("created_at")))
    unheard = [key for key in keys if not _is_noticed(key, newest.get(key.pk), at=at)]
    reachable = [key for key in unheard if key.partner.support_email]
    if len(reachable) < len(unheard):
        logger.warning(
            "%s access keys expire of partners without a support email",
            len(unheard) - len(reachable),
        )
    for key in reachable:
        queue(MailKind.KEY_EXPIRY, api_key=key, language=ENGLISH, at=at)
    return len(reachable)


def _is_noticed(key: ApiKey, noticed_at: datetime | None, *, at: datetime) -> bool:
    """Return whether the latest due notice of a key was queued already."""
    since = next(key.expires_at - notice for notice in NOTICES if key.expires_at <= at + notice)
    return noticed_at is not None and noticed_at >= since


def notify_webhook_failures(*, at: datetime) -> int:
    """Queue notices of webhooks failing for a day, and 3 days before disabling; return how many.

    They are sent to the partner's support email; the log counts webhooks of partners without it.
    """
    failing = Webhook.objects.kept().filter(
        status=WebhookStatus.ACTIVE,
        failing_since__lte=at - FAILING_FOR,
        partner__suspended_at=None,
    )
    known = failing.select_related("partner").defer(*SECRETS).order_by("pk")
    unheard = [one for one in known if one.failure_notices < _count_notices(one, at=at)]
    reachable = [webhook for webhook in unheard if webhook.partner.support_email]
    if len(reachable) < len(unheard):
        logger.warning(
            "%s webhooks fail of partners without a support email", len(unheard) - len(reachable)
        )
    return sum(_notify_failure(webhook, at=at) for webhook in reachable)


def notify_disabling(webhook: Webhook, *, at: datetime) -> None:
    """Queue the mail about a webhook that failed and was disabled, if its partner has an address.

    Call it in the transaction that disables the webhook.
    """
    if webhook.partner.support_email:
        queue(MailKind.WEBHOOK_DISABLED, webhook=webhook, language=ENGLISH, at=at)


def _count_notices(webhook: Webhook, *, at: datetime) -> int:
    """Return the number of notices about the failures of a webhook that are due by `at`."""
    if webhook.failing_since is None:
        return 0
    last = settings.WEBHOOK_DISABLED_AFTER - BEFORE_DISABLING
    return sum(webhook.failing_since + delay <= at for delay in (FAILING_FOR, last))


@transaction.atomic
def _notify_failure(webhook: Webhook, *, at: datetime) -> bool:
    """Queue the notice that is due, unless it was queued or the webhook changed meanwhile."""
    count = _count_notices(webhook, at=at)
    same = Webhook.objects.filter(
        pk=webhook.pk,
        status=WebhookStatus.ACTIVE,
        failing_since=webhook.failing_since,
        failure_notices__lt=count,
    )
    if not same.update(failure_notices=count):
        return False
    queue(MailKind.WEBHOOK_FAILING, webhook=webhook, language=ENGLISH, at=at)
    return True


def _say(exc: Exception) -> str:
    """Return an exception's name and SMTP code, if it has one, to save as the fault of a mail.

    The text of the mail server is left out: it may name the applicant.
    """
    name = type(exc).__name__
    refused = getattr(exc, "recipients", {})
    codes = [code for code, _ in refused.values()] or [getattr(exc, "smtp_code", "")]
    return f"{name} {codes[0]}".strip()


def _drop_links(wanted: dict[tuple[int, MailKind], Event]) -> None:
    """Remove the link mails of partners without `mails_links`, which pass on links themselves."""
    links = {key: event for key, event in wanted.items() if key[1] is MailKind.LINK}
    if not links:
        return
    partners = {event.lead.partner_id for event in links.values()}
    mailing = Partner.objects.filter(pk__in=partners, mails_links=True)
    willing = set(mailing.values_list("pk", flat=True))
    for key, event in links.items():
        if event.lead.partner_id not in willing:
            del wanted[key]
