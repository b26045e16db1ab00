"""Sessions of applicants and owners: opened by a mailed code or a token, extended by use, ended."""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.crypto import salted_hmac

from foundation import times
from foundation.privacy.secret_digests import digest
from onboarding.choices import REPEATABLE, StatusGroup, Supplier
from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import EventType
from onboarding.models import Application, Document, FlowSession, OwnerInvitation
from onboarding.queries.leads import lock_application
from onboarding.queries.owner_invitations import OPEN
from onboarding.queries.reminders import first_look
from onboarding.services.applications import lifecycle
from onboarding.services.events import history
from onboarding.services.events.history import APPLICANT, OWNER

MINUTE = timedelta(minutes=1)
SALT = "vestibule.session.numbers"


class TokenSpent(Exception):
    """The token was used, has expired, was replaced, or belongs to another lead."""


class NoWayIn(Exception):
    """No session can be opened: the application or invitation has ended or was replaced.

    An application is replaced by a newer attempt, an invitation's link by a newer link.
    """


@dataclass(frozen=True)
class OpenSession:
    """A session with its key in clear; only the digest of the key is stored."""

    session: FlowSession
    key: str = field(repr=False)


@transaction.atomic
def open_session(
    application: Application,
    *,
    language: str,
    at: datetime,
    is_embedded: bool = False,
    time_zone: str = "",
) -> OpenSession:
    """Open a session of the applicant; the first session sets the application IN_PROGRESS.

    The caller has checked the mailed code or the token. `is_embedded` is true in a partner's frame,
    where a mailed code must still be entered. `time_zone` is that of the browser, for mails; an
    unknown name is ignored.
    Raises: NoWayIn if the application expired, was withdrawn, or has a newer attempt.
    """
    locked = lock_application(pk=application.pk)
    if locked is None or locked.status in REPEATABLE:
        raise NoWayIn
    locked.entered_at = at
    if Status(locked.status).is_editable:
        locked.reminders_sent, locked.remind_at = 0, first_look(Status(locked.status), at=at)
    if times.is_known(time_zone):
        locked.time_zone = time_zone
    locked.save(update_fields=["entered_at", "reminders_sent", "remind_at", "time_zone"])
    if locked.status == Status.CREATED:
        lifecycle.move(locked, Status.IN_PROGRESS, by=APPLICANT, at=at)
    else:
        history.record(locked, EventType.ENTERED, by=APPLICANT, at=at)
    return _open(locked, language, at, is_embedded=is_embedded)


@transaction.atomic
def open_owner_session(invitation: OwnerInvitation, *, language: str, at: datetime) -> OpenSession:
    """Open a session for an owner's own part, after the owner entered a mailed code.

    Raises: NoWayIn if the application has ended, the applicant took the part over, or the link was
    replaced.
    """
    locked = lock_application(lead=invitation.owner.lead_id)
    mine = OwnerInvitation.objects.filter(
        pk=invitation.pk, link_digest=invitation.link_digest, status__in=OPEN
    )
    if locked is None or locked.group is StatusGroup.CLOSED or not mine.update(language=language):
        raise NoWayIn
    owner = invitation.owner
    ubo_id = str(owner.external_id)
    history.record(locked, EventType.OWNER_ENTERED, by=OWNER, at=at, ubo_id=ubo_id)
    return _open(locked, language, at, owner=owner)


def _open(application: Application, language: str, at: datetime, **values: Any) -> OpenSession:
    """Insert a session. In a partner's frame, it begins without an entered mailed code."""
    key = secrets.token_urlsafe(32)
    session = FlowSession.objects.create(
        application=application,
        digest=digest(key),
        code_entered_at=None if values.get("is_embedded") else at,
        language=language,
        created_at=at,
        expires_at=at + settings.FLOW_SESSION_LIFETIME,
        **values,
    )
    return OpenSession(session, key)


@transaction.atomic
def exchange_token(
    *, customer_id: str, token: str, language: str, at: datetime, time_zone: str = ""
) -> OpenSession:
    """Exchange a token for a session of the embedded flow, once, even if called concurrently.

    `customer_id` is the external id of the lead, a valid UUID. Raises: TokenSpent, NoWayIn.
    """
    usable = Application.objects.filter(
        token_digest=digest(token),
        token_used_at=None,
        token_expires_at__gt=at,
        is_current=True,
        lead__external_id=customer_id,
    )
    application = usable.first()
    if application is None:
        raise TokenSpent
    locked = lock_application(pk=application.pk, token_digest=digest(token), token_used_at=None)
    if locked is None:
        raise TokenSpent
    locked.token_used_at = at
    locked.save(update_fields=["token_used_at"])
    return open_session(locked, language=language, at=at, is_embedded=True, time_zone=time_zone)


def keep_alive(session: FlowSession, *, at: datetime) -> None:
    """Extend a session that is in use to FLOW_SESSION_LIFETIME from `at`, and save it.

    Writes at most once per minute. A session never lasts longer than FLOW_SESSION_LONGEST in all.
    """
    latest = session.created_at + settings.FLOW_SESSION_LONGEST
    expires_at = min(at + settings.FLOW_SESSION_LIFETIME, latest)
    if expires_at - session.expires_at >= MINUTE:
        session.expires_at = expires_at
        session.save(update_fields=["expires_at"])


def seconds_left(session: FlowSession | None, *, at: datetime) -> int:
    """Return the seconds until the end of a session; 0 without one."""
    return max(int((session.expires_at - at).total_seconds()), 0) if session else 0


def confirm(session: FlowSession, *, at: datetime) -> None:
    """Record that the applicant has entered a mailed code in the session."""
    session.code_entered_at = at
    session.save(update_fields=["code_entered_at"])


def lacks_code(session: FlowSession) -> bool:
    """Return whether a session in a partner's frame still has to ask for a mailed code.

    Without the code the partner itself may be using the session. False for a session outside a
    frame and for a partner whose contract waives the code.
    """
    partner = session.application.lead.partner
    is_unproved = session.is_embedded and session.code_entered_at is None
    return is_unproved and not partner.code_waiver_contract


def choose_language(session: FlowSession, language: str) -> None:
    """Save the language that the applicant or the owner of a session chose for pages and mails."""
    session.language = language
    session.save(update_fields=["language"])
    if session.owner_id:
        OwnerInvitation.objects.filter(owner=session.owner_id).update(language=language)


def end_session(session: FlowSession) -> None:
    """Delete a session, which makes its key invalid."""
    session.delete()


@transaction.atomic
def record_uploads(session: FlowSession, sent: Iterable[Document]) -> None:
    """Add files to those that were sent in the session; `may_open` lets the session show them.

    Locks the session's row: other requests of the session may record files at the same time.
    """
    locked = FlowSession.objects.select_for_update(of=("self",), no_key=True).get(pk=session.pk)
    session.uploads = [*locked.uploads, *(str(one.external_id) for one in sent)]
    session.save(update_fields=["uploads"])


def record_numbers(session: FlowSession, typed: Mapping[str, str]) -> None:
    """Save, as keyed hashes, the personal numbers that were typed last in a flow session.

    `typed` has the numbers by field; other fields keep their hashes. The hashes of the same fields
    in other sessions of the application are removed: a number that was guessed in one session would
    be shown when it is typed in another.
    """
    for one in FlowSession.objects.filter(application=session.application_id):
        kept = [mark for mark in one.typed_numbers if mark.partition("=")[0] not in typed]
        if one.pk == session.pk:
            kept += [_mark(session, name, number) for name, number in typed.items()]
            session.typed_numbers = kept
        if kept != one.typed_numbers:
            FlowSession.objects.filter(pk=one.pk).update(typed_numbers=kept)


def was_typed(session: FlowSession, name: str, number: str) -> bool:
    """Return whether `record_numbers` last saved `number` for the field `name` of `session`."""
    return _mark(session, name, number) in session.typed_numbers


def _mark(session: FlowSession, name: str, number: str) -> str:
    key = f"{session.digest}:{name}:{number}"
    return f"{name}={salted_hmac(SALT, key, algorithm='sha256').hexdigest()[:32]}"


def may_open(session: FlowSession, document: Document) -> bool:
    """Return whether a session may show the content of a file.

    True once a mailed code was entered. Before, the partner itself may be using the session in its
    frame: only files that the partner supplied or that were sent in `session` may be shown.
    """
    is_sent_here = str(document.external_id) in session.uploads
    is_partners = document.supplied_by == Supplier.PARTNER
    return session.code_entered_at is not None or is_sent_here or is_partners
