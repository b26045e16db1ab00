"""Decisions: approvals, denials, reopenings and requests, with their immediate effects."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django.db import transaction

from banking.errors import StepRefused
from banking.models import Account, User
from foundation.times import show_time
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DenialReason, IdentityStatus, LlcFileType
from onboarding.event_types import EVENT_BY_STATUS, EventType
from onboarding.models import Application, Event, Lead, Owner
from onboarding.models.events import staff_id
from onboarding.queries.leads import lock_application, open_lead_file
from onboarding.queries.requirements import list_missing_documents
from onboarding.queries.screening_hits import count_open
from onboarding.services.access import links
from onboarding.services.applications import account_opening, attempts, lifecycle
from onboarding.services.events import history
from onboarding.services.events.history import Actor

TEMPORARY_LIFETIME = timedelta(days=30)
VERBS = {
    EventType.APPROVED: ("approved", ""),
    EventType.APPROVED_TEMPORARY: ("approved", " temporarily"),
    EventType.DENIED: ("denied", ""),
}


class AccountStillOpen(Exception):
    """The denied lead has an open account, which belongs to the denied attempt."""

    def __init__(self, account: Account) -> None:
        super().__init__("The account of this attempt is still open. Settle it first.")
        self.account = account


class AlreadyDecided(StepRefused):
    """Somebody has decided about the application meanwhile; `decision` is the event."""

    def __init__(self, decision: Event) -> None:
        who = staff_id(decision.who)
        decider = User.objects.filter(external_id=who).first() if who else None
        verb, adverb = VERBS[EventType(decision.type)]
        said = f"{decider} {verb} this application" if decider else f"This application was {verb}"
        super().__init__(f"{said}{adverb} on {show_time(decision.occurred_at)}.")


class HitsOpen(StepRefused):
    """Screening hits that are not cleared block every approval."""

    def __init__(self, count: int) -> None:
        hits = "1 screening hit is" if count == 1 else f"{count} screening hits are"
        super().__init__(
            f"{hits} not cleared. Nobody can approve before each is judged a false positive and a "
            "second person has confirmed that."
        )


def require_no_open_hits(application: Application) -> None:
    """Refuse an approval while hits are unreviewed, inconclusive or confirmed. Raises: HitsOpen.

    A confirmed politically exposed person does not block it.
    """
    if count := count_open(application.lead):
        raise HitsOpen(count)


def require_undecided(application: Application) -> None:
    """Refuse a decision about an application that is decided already. Raises: AlreadyDecided."""
    if not application.is_decided:
        return
    of_status = EVENT_BY_STATUS[Status(application.status)]
    decision = Event.objects.filter(application=application, type=of_status).last()
    if decision:
        raise AlreadyDecided(decision)


@transaction.atomic
def approve(application: Application, *, by: Actor, at: datetime, **details: Any) -> None:
    """Approve an application permanently, and open its account unless it is open already.

    The caller has locked the lead. `details` go into the event. Raises: InvalidMove, HitsOpen.
    """
    require_no_open_hits(application)
    lifecycle.move(application, Status.APPROVED, by=by, at=at, **details)
    _keep(application, expiration_date=None)
    account_opening.open_account(application, by=by, at=at)


@transaction.atomic
def approve_temporarily(
    application: Application, *, until: date | None = None, by: Actor, at: datetime, **details: Any
) -> None:
    """Approve an application until its documents are due, and open its account.

    Units: `until` is the last day; None stands for TEMPORARY_LIFETIME after `at`, a day in UTC.
    The caller has locked the lead. Raises: InvalidMove, HitsOpen.
    """
    require_no_open_hits(application)
    ends = until or (at + TEMPORARY_LIFETIME).date()
    lifecycle.move(
        application,
        Status.APPROVED_TEMPORARY,
        by=by,
        at=at,
        expiration_date=ends.isoformat(),
        missing_documents=list_missing_documents(open_lead_file(application).requirements),
        **details,
    )
    _keep(application, expiration_date=ends)
    account_opening.open_account(application, by=by, at=at)


@transaction.atomic
def deny(
    application: Application,
    *,
    reasons: Collection[DenialReason],
    applicant_text: str = "",
    by: Actor,
    at: datetime,
    **details: Any,
) -> None:
    """Deny an application, with reasons for its partner. Raises: InvalidMove.

    Without an `applicant_text` the applicant reads the text of the reasons, in their language.
    The account of a temporary approval is closed if it is empty, and stays open otherwise.
    """
    has_account = application.status == Status.APPROVED_TEMPORARY
    codes = [reason.value for reason in reasons]
    lifecycle.move(application, Status.DENIED, by=by, at=at, reason_codes=codes, **details)
    if applicant_text:
        _keep(application, applicant_text=applicant_text)
    if has_account:
        account_opening.end_account(application, by=by, at=at)


@transaction.atomic
def reopen(application: Application, *, by: Actor, at: datetime, **details: Any) -> Application:
    """Create and return a new attempt of a denied lead, with a new link for the applicant.

    Raises: InvalidMove, AccountStillOpen.
    """
    denied = lock_application(pk=application.pk, status=Status.DENIED)
    if denied is None:
        raise lifecycle.InvalidMove(source=application.status, target=Status.CREATED)
    if left := Account.objects.open().filter(application__lead=denied.lead_id).first():
        raise AccountStillOpen(left)
    attempt = attempts.next_attempt(denied, at)
    links.grant(attempt, at=at)
    attempt.save()
    history.record(attempt, EventType.REOPENED, by=by, at=at, **details)
    return attempt


@transaction.atomic
def request_documents(
    application: Application,
    reasons: Mapping[LlcFileType, str],
    *,
    of_owners: Mapping[tuple[LlcFileType, Owner], str] | None = None,
    by: Actor,
    at: datetime,
) -> None:
    """Request documents, each with a reason for the applicant; `of_owners` has those of owners.

    Documents that are missing from the checklist are requested with them. The caller has locked
    the lead. Raises: InvalidMove.
    """
    wanted: dict[tuple[str, str | None], str] = {
        (kind.value, None): reason for kind, reason in reasons.items()
    }
    for (kind, owner), reason in (of_owners or {}).items():
        wanted[kind.value, str(owner.external_id)] = reason
    kept = [
        request
        for request in application.document_requests
        if (request["llc_file_type"], request.get("ubo_id")) not in wanted
    ]
    asked = [
        {"llc_file_type": kind, "reason": reason, "requested_at": at.isoformat()}
        | ({"ubo_id": ubo_id} if ubo_id else {})
        for (kind, ubo_id), reason in wanted.items()
    ]
    application.document_requests = [*kept, *asked]
    missing = list_missing_documents(open_lead_file(application).requirements)
    lifecycle.move(application, Status.DOCUMENTS_REQUIRED, by=by, at=at, missing_docs=missing)
    _keep(application, document_requests=application.document_requests)


@transaction.atomic
def request_identity(
    application: Application, people: Sequence[Lead | Owner], *, by: Actor, at: datetime
) -> None:
    """Request proofs of identity from at least one person. Raises: InvalidMove."""
    first, *others = people
    lifecycle.move(application, Status.ID_VERIFICATION, by=by, at=at, **_named(first))
    for person in others:
        history.record(application, EventType.IDENTITY_REQUESTED, by=by, at=at, **_named(person))
    for person in people:
        _set_identity(person, IdentityStatus.REQUESTED)


@transaction.atomic
def verify_identities(application: Application, *, by: Actor, at: datetime) -> None:
    """Mark the identities of the applicant and all owners as verified.

    An application that is not IN_REVIEW moves there, or to DOCUMENTS_REQUIRED if documents are
    missing.

    Raises: InvalidMove.
    """
    locked = lock_application(pk=application.pk)
    if locked is None:
        raise lifecycle.InvalidMove(source=application.status, target=Status.IN_REVIEW)
    file = open_lead_file(locked)
    for person in file.people:
        _set_identity(person, IdentityStatus.VERIFIED)
    if locked.status == Status.IN_REVIEW:
        history.record(locked, EventType.IDENTITY_COMPLETED, by=by, at=at)
        return
    missing = list_missing_documents(file.requirements)
    target = Status.DOCUMENTS_REQUIRED if missing else Status.IN_REVIEW
    details = {"missing_docs": missing} if missing else {}
    lifecycle.move(locked, target, by=by, at=at, **details)


def _keep(application: Application, **values: Any) -> None:
    for name, value in values.items():
        setattr(application, name, value)
    application.save(update_fields=list(values))


def _named(person: Lead | Owner) -> dict[str, str]:
    return {"ubo_id": str(person.ubo_id)} if person.ubo_id else {}


def _set_identity(person: Lead | Owner, status: IdentityStatus) -> None:
    person.identity_status = status
    type(person).objects.filter(pk=person.pk).update(identity_status=status)
