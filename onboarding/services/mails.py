"""Mails: queued in the transaction that causes them, sent by a worker."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from onboarding.choices import EventType, MailKind
from onboarding.models import ApiKey, Application, Event, Mail, Partner
from onboarding.queries.applications import list_reading_languages

HANDED_OUT = timedelta(minutes=1)  # until a mail whose message was lost is handed out again
WRITTEN_ABOUT = {
    EventType.CREATED: MailKind.LINK,
    EventType.DOCUMENTS_REQUIRED: MailKind.WANTED,
    EventType.IDENTITY_REQUESTED: MailKind.WANTED,
    EventType.APPROVED: MailKind.APPROVED,
    EventType.APPROVED_TEMPORARY: MailKind.APPROVED_TEMPORARY,
    EventType.DENIED: MailKind.DENIED,
}


def queue(
    kind: MailKind,
    *,
    application: Application | None = None,
    api_key: ApiKey | None = None,
    event: Event | None = None,
    language: str,
    code: str = "",
    expires_at: datetime | None = None,
    at: datetime,
) -> Mail:
    """Write a mail down, to be sent once the transaction is committed."""
    return Mail.objects.create(
        kind=kind,
        application=application,
        api_key=api_key,
        event=event,
        language=language,
        code=code,
        expires_at=expires_at,
        due_at=at,
        created_at=at,
    )


def queue_for_events(events: Iterable[Event], *, at: datetime) -> list[Mail]:
    """Queue what applicants are written about these events, in a constant number of statements.

    Of several of one application that would say the same, the newest has the mail. Links are
    mailed for the partners alone that want it.
    """
    wanted: dict[tuple[int, MailKind], Event] = {}
    for event in events:
        kind = WRITTEN_ABOUT.get(EventType(event.type))
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
        )
        for (application_id, kind), event in wanted.items()
    )


def hand_out(*, at: datetime, limit: int) -> list[tuple[int, int]]:
    """Return key and attempts of due mails, the longest due first, for a message about each.

    What is handed out twice is sent once: see `send`.
    """
    due = Mail.objects.due(at=at)
    found = list(due.order_by("due_at", "pk").values_list("pk", "attempts")[:limit])
    if found:
        due.filter(pk__in=[pk for pk, _ in found]).update(due_at=at + HANDED_OUT)
    return found


def _drop_links(wanted: dict[tuple[int, MailKind], Event]) -> None:
    """Leave out the links of partners that hand them to the applicants themselves."""
    links = {key: event for key, event in wanted.items() if key[1] is MailKind.LINK}
    if not links:
        return
    partners = {event.lead.partner_id for event in links.values()}
    mailing = Partner.objects.filter(pk__in=partners, mails_links=True)
    willing = set(mailing.values_list("pk", flat=True))
    for key, event in links.items():
        if event.lead.partner_id not in willing:
            del wanted[key]
