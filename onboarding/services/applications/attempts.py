"""Attempts: the start, withdrawal and access of applications, and the changes they accept."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from django.db import transaction

from onboarding.choices import REPEATABLE, InvitationStatus, StatusGroup
from onboarding.choices import ApplicationStatus as Status
from onboarding.errors import ErrorCode, Fault, Refused
from onboarding.event_types import EventType
from onboarding.models import Application, Lead, OwnerInvitation, Partner
from onboarding.names import wire
from onboarding.queries.leads import lock_application, lock_current_application, open_lead_file
from onboarding.queries.reminders import first_look
from onboarding.queries.requirements import Kind, Requirement
from onboarding.services.access import links
from onboarding.services.applications import lifecycle
from onboarding.services.events import history
from onboarding.services.events.history import APPLICANT, PARTNER
from onboarding.services.leads.owners import OwnerMerge

ALWAYS_OPEN = {"metadata", "edd_answers"}  # values that may still change after submission


WHY_CLOSED = {  # in English and Spanish
    Status.DENIED: (
        "it was denied on {date}, and only the bank can reopen it",
        "se rechazó el {date} y solo el banco puede reabrirla",
    ),
    Status.EXPIRED: (
        "it expired on {date}; create the lead again for a new attempt",
        "venció el {date}; cree de nuevo el lead para otro intento",
    ),
    Status.WITHDRAWN: (
        "it was withdrawn on {date}; create the lead again for a new attempt",
        "se retiró el {date}; cree de nuevo el lead para otro intento",
    ),
}

ASK_FOR_CHANGE = {
    "en": " Names, phone numbers, addresses, identification and owners of a customer are changed "
    "by POST …/lead/{customerId}/changes.",
    "es": " Los nombres, teléfonos, direcciones, identificaciones y propietarios de un cliente se "
    "cambian con POST …/lead/{customerId}/changes.",
}
REPLACED = {
    "en": "a newer attempt has taken its place",
    "es": "un intento más reciente ocupó su lugar",
}


class LeadLocked(Refused):
    """The change is refused, because the application was submitted."""

    code = ErrorCode.LEAD_LOCKED

    def __init__(self, faults: Iterable[Fault] = ()) -> None:
        super().__init__(faults, remedy="")


class ApplicationClosed(Refused):
    """The application was denied, has expired, was withdrawn or was replaced by a newer attempt."""

    code = ErrorCode.APPLICATION_CLOSED

    @classmethod
    def since(cls, application: Application) -> "ApplicationClosed":
        """Return the exception that says how and on which UTC day a closed application ended.

        It also says who can open it again, in English and Spanish.
        """
        date = f"{application.status_changed_at.astimezone(UTC):%Y-%m-%d}"
        english, spanish = WHY_CLOSED[Status(application.status)]
        return cls(why={"en": english.format(date=date), "es": spanish.format(date=date)})


class CustomerAlreadyOnboarded(Refused):
    """The step is refused, because the application is approved: the customer has an account."""

    code = ErrorCode.CUSTOMER_ALREADY_ONBOARDED


@transaction.atomic
def withdraw_lead(*, partner: Partner, customer_id: str, at: datetime) -> Application:
    """Withdraw the current application of a lead, unless it is withdrawn already.

    Raises: LeadNotFound, InvalidMove.
    """
    application = lock_current_application(partner=partner, customer_id=customer_id)
    if application.status != Status.WITHDRAWN:
        lifecycle.move(application, Status.WITHDRAWN, by=PARTNER, at=at)
    return application


@transaction.atomic
def withdraw_application(application: Application, *, at: datetime) -> Application:
    """Withdraw an application for its applicant, unless it is withdrawn already.

    Raises: InvalidMove, also if a newer attempt exists.
    """
    locked = lock_application(pk=application.pk)
    if locked is None:
        raise lifecycle.InvalidMove(source=application.status, target=Status.WITHDRAWN)
    if locked.status != Status.WITHDRAWN:
        lifecycle.move(locked, Status.WITHDRAWN, by=APPLICANT, at=at)
    return locked


@transaction.atomic
def renew_access(
    *, partner: Partner, customer_id: str, at: datetime, rotates_link: bool = False
) -> tuple[Application, links.Access]:
    """Issue a new token, and extend the applicant's link or, with `rotates_link`, replace it.

    Raises: LeadNotFound, ApplicationClosed.
    """
    application = lock_current_application(partner=partner, customer_id=customer_id)
    require_open(application)
    if not rotates_link:
        return application, links.regrant(application, at=at)
    access = links.replace_link(application, at=at)
    history.record(application, EventType.LINK_REPLACED, by=PARTNER, at=at)
    return application, access


@transaction.atomic
def regrant_access(
    *, partner: Partner, customer_id: str, at: datetime
) -> tuple[Application, links.Access]:
    """Issue a new token, extend the applicant's link, and return both, for a repeated create.

    Also after the application has ended. Raises: LeadNotFound.
    """
    application = lock_current_application(partner=partner, customer_id=customer_id)
    return application, links.regrant(application, at=at)


def next_application(
    current: Application | None, partner: Partner, email: str, at: datetime
) -> Application:
    """Return the application for a partner's request to create a lead, which may exist already.

    `current` is the lead's current application, locked, or None without a lead. It is returned if
    it is not submitted. Otherwise the application is unsaved: of a new lead with `email`, or the
    next attempt after one that expired or was withdrawn.
    Raises: LeadLocked, ApplicationClosed if it was denied, CustomerAlreadyOnboarded.
    """
    if current is None:
        return _begin(Lead(partner=partner, email=email), at)
    status = Status(current.status)
    if status.is_editable:
        return current
    if status in REPEATABLE:
        return next_attempt(current, at)
    if status is Status.DENIED:
        raise ApplicationClosed.since(current)
    if status.group is StatusGroup.APPROVED:
        raise CustomerAlreadyOnboarded
    raise LeadLocked


def next_attempt(current: Application, at: datetime) -> Application:
    """Return an unsaved new attempt of a lead, after saving that `current` is not current any more.

    The lead is locked. Owners who have signed their own part must sign it again: their consents are
    of the former attempt.
    """
    Application.objects.filter(pk=current.pk).update(is_current=False, remind_at=None)
    completed = OwnerInvitation.objects.filter(
        owner__lead=current.lead_id, status=InvitationStatus.COMPLETED
    )
    completed.update(status=InvitationStatus.INVITED, completed_at=None)
    attempt, referral = current.attempt + 1, current.referral_id
    return _begin(current.lead, at, attempt=attempt, referral_id=referral)


def _begin(lead: Lead, at: datetime, **values: Any) -> Application:
    remind_at = first_look(Status.CREATED, at=at)
    return Application(
        lead=lead, status_changed_at=at, created_at=at, remind_at=remind_at, **values
    )


def next_status(application: Application) -> Status | None:
    """Return the status to which an application moves once its status has nothing to wait for.

    None if it is in neither DOCUMENTS_REQUIRED nor ID_VERIFICATION, still lacks a document or a
    proof of identity that this status waits for, or has a document that waits for its first scan.
    """
    if Status(application.status).group is not StatusGroup.ACTION_REQUIRED:
        return None
    file = open_lead_file(application)
    if any(document.awaits_receipt for document in file.documents):
        return None
    missing = {requirement.kind for requirement in file.requirements if requirement.is_awaited}
    if application.status == Status.DOCUMENTS_REQUIRED:
        return None if Kind.DOCUMENT in missing else Status.IN_REVIEW
    if Kind.IDENTITY in missing:
        return None
    return Status.DOCUMENTS_REQUIRED if Kind.DOCUMENT in missing else Status.IN_REVIEW


def lock_open(application: Application) -> Application:
    """Return the application, locked with its lead, if it still accepts documents and answers.

    Raises: ApplicationClosed, also if a newer attempt exists; CustomerAlreadyOnboarded if it is
    APPROVED.
    """
    locked = lock_application(pk=application.pk)
    if locked is None:
        raise ApplicationClosed(why=REPLACED)
    require_open(locked)
    if not Status(locked.status).takes_documents:
        raise CustomerAlreadyOnboarded
    return locked


def require_open(application: Application) -> None:
    """Refuse an application that has ended. Raises: ApplicationClosed."""
    if Status(application.status).group is StatusGroup.CLOSED:
        raise ApplicationClosed.since(application)


def require_unlocked(
    application: Application, changed: set[str], merge: OwnerMerge, asked: list[Requirement]
) -> None:
    """Refuse changes of a submitted application, except ALWAYS_OPEN values and fields of `asked`.

    `changed` are the names of changed values of the lead, `asked` the requirements that the
    applicant is asked to meet. Owners can be neither added nor removed. Raises: LeadLocked, with a
    fault for each refused value.
    """
    if Status(application.status).is_editable:
        return
    open_fields = {
        (requirement.ubo_id, field) for requirement in asked for field in requirement.fields
    }
    refused = [
        (wire(name),)
        for name in sorted(changed - ALWAYS_OPEN)
        if (None, f"/{wire(name)}") not in open_fields
    ]
    owners_changed = [
        (merge.owners[place].external_id, f"/{wire(name)}")
        for place, names in merge.changed.items()
        for name in names
    ]
    if merge.added or merge.removed or any(change not in open_fields for change in owners_changed):
        refused.append((wire("owners"),))
    if refused:
        is_customer = Status(application.status).group is StatusGroup.APPROVED
        params = {"remedy": ASK_FOR_CHANGE if is_customer else ""}
        raise LeadLocked(Fault(ErrorCode.LEAD_LOCKED, path, params) for path in refused)
