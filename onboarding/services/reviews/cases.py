"""Cases: claims, notes, and requests of staff to applicants."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from banking.errors import StepRefused
from banking.models import User
from foundation.times import show_clock
from onboarding.business_hours import HOURS_OF_A_DAY, add_business_hours
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import LlcFileType, NotificationKind, Role
from onboarding.event_types import EventType, MailKind
from onboarding.models import Application, CustomerCase, Lead, Note, Owner
from onboarding.queries.applications import get_reading_language
from onboarding.queries.leads import lock_application, open_lead_file
from onboarding.queries.mentions import find_mentioned
from onboarding.queries.requirements import list_missing_documents
from onboarding.services.events import history
from onboarding.services.events.history import Actor
from onboarding.services.mails import outbox
from onboarding.services.notifications import notify
from onboarding.services.reviews import decisions

CLAIMABLE = {
    Status.SUBMITTED,
    Status.ID_VERIFICATION,
    Status.DOCUMENTS_REQUIRED,
    Status.IN_REVIEW,
    Status.APPROVED_TEMPORARY,
    Status.DENIED,  # to reopen it
}


class ClaimedByAnother(StepRefused):
    """Another user has claimed the case until `until`."""

    def __init__(self, until: datetime) -> None:
        self.until = until
        super().__init__(f"Someone else has claimed this case until {show_clock(until)}.")


class NotClaimed(StepRefused):
    """The user has not claimed the case, or the claim has ended."""

    message = "Claim the case first. You have not claimed it, or your claim has ended."


class NotClaimable(StepRefused):
    """The status of the application is not CLAIMABLE."""

    message = "There is nothing to review in this application now."


class Incomplete(StepRefused):
    """A value that the step needs is missing or not valid."""


class Superseded(StepRefused):
    """The lead has a newer attempt."""

    message = "This attempt has ended. There is a newer one."


class NotesUnread(StepRefused):
    """Colleagues have added `notes` since the page that the user decides from was loaded."""

    def __init__(self, notes: Sequence[Note]) -> None:
        self.notes = notes
        writers = {note.by for note in notes}
        if len(notes) == 1:
            said = f"{notes[0].by} has added a note since you opened this page. Read it"
        elif len(writers) == 1:
            said = f"{notes[0].by} has added notes since you opened this page. Read them"
        else:
            said = "Colleagues have added notes since you opened this page. Read them"
        super().__init__(f"{said}, then decide.")


def actor(user: User) -> Actor:
    """Return the actor for events of a member of staff."""
    return Actor(Role.REVIEWER, str(user.external_id))


def has_claim(application: Application, *, by: User, at: datetime) -> bool:
    """Return whether a user has a claim on the case now."""
    until = application.claimed_until
    return application.claimed_by_id == by.pk and until is not None and until > at


def clear_inactive_assignee(case: Application | CustomerCase) -> None:
    """Clear the assignee, without saving the case, if the assignee's account was deactivated."""
    if case.assignee and not case.assignee.is_active:
        case.assignee = None


@transaction.atomic
def claim(application: Application, *, by: User, at: datetime) -> Application:
    """Claim a case, or renew the claim, for CLAIM_LIFETIME; an unassigned case becomes the user's.

    So does the case of an assignee whose account was deactivated.
    Of two concurrent calls one succeeds. Raises: ClaimedByAnother, NotClaimable, Superseded.
    """
    locked = lock(application)
    if locked.status not in CLAIMABLE:
        raise NotClaimable
    clear_inactive_assignee(locked)
    had_it = has_claim(locked, by=by, at=at)
    becomes = {} if locked.assignee_id else {"becomes": "assignee"}
    free = Q(claimed_by=None) | Q(claimed_until__lte=at) | Q(claimed_by=by)
    if not _hand(locked, to=by, at=at, where=free, **_taken_up(locked, by, at)):
        raise ClaimedByAnother(locked.claimed_until or at)
    if not had_it or becomes:
        history.record(locked, EventType.CLAIMED, by=actor(by), at=at, **becomes)
    return locked


@transaction.atomic
def release(application: Application, *, by: User, at: datetime) -> Application:
    """End the user's claim on a case. Raises: NotClaimed, Superseded."""
    locked = lock(application)
    mine = Application.objects.filter(pk=locked.pk, claimed_by=by)
    if not mine.update(claimed_by=None, claimed_until=None):
        raise NotClaimed
    locked.claimed_by = locked.claimed_until = None
    history.record(locked, EventType.RELEASED, by=actor(by), at=at)
    return locked


@transaction.atomic
def require_claim(application: Application, *, by: User, at: datetime) -> None:
    """Require the user's claim, and renew it for CLAIM_LIFETIME. Raises: NotClaimed."""
    mine = Q(claimed_by=by, claimed_until__gt=at)
    if not _hand(application, to=by, at=at, where=mine, **_taken_up(application, by, at)):
        raise NotClaimed


def begin_step(application: Application, *, by: User, at: datetime) -> Application:
    """Lock a case and its lead, and require and renew the user's claim. Needs a transaction.

    Raises: NotClaimed, Superseded.
    """
    locked = lock(application)
    require_claim(locked, by=by, at=at)
    return locked


def lock(application: Application) -> Application:
    """Return the application with its lead, both rows locked. Raises: Superseded."""
    locked = lock_application(pk=application.pk)
    if locked is None:
        raise Superseded
    return locked


def lock_any(application: Application) -> Application:
    """Return an application, current or not, with its lead.

    Locks the lead and its current application; a past application itself is not locked.
    """
    current = lock_application(lead=application.lead_id)
    if current is None or current.pk == application.pk:
        return current or application
    past = Application.objects.get(pk=application.pk)
    past.lead = current.lead
    return past


def touch(application: Application, *, at: datetime) -> None:
    """Record the first step of staff in a review, and set the due time of the decision.

    Does nothing after the first step, or outside a review.
    """
    values = _touched(application, at)
    if values:
        Application.objects.filter(pk=application.pk).update(**values)
        _set(application, values)


@transaction.atomic
def add_note(
    application: Application, text: str, *, is_for_applicant: bool, by: User, at: datetime
) -> Note:
    """Add a note to a case, for staff or for the applicant, who gets a mail about it.

    Raises: Incomplete.
    """
    if not text.strip():
        raise Incomplete("Enter a note.")
    locked = lock_any(application)
    if is_for_applicant:
        language = get_reading_language(locked)
        outbox.queue(MailKind.MESSAGE, application=locked, language=language, at=at)
    touch(locked, at=at)
    return write_note(locked, text, is_for_applicant=is_for_applicant, by=by, at=at)


def require_notes_read(application: Application, shown_note: int | None, *, by: User) -> None:
    """Refuse a decision from a page that does not show the newest internal note of others.

    `shown_note` is the key of the newest note on the page, 0 without any, and None if the page
    shows no notes, which refuses nothing. The lead must be locked. Raises: NotesUnread.
    """
    if shown_note is None:
        return
    others = application.notes.filter(pk__gt=shown_note, is_for_applicant=False).exclude(by=by)
    if notes := list(others.select_related("by")):
        raise NotesUnread(notes)


def write_note(
    application: Application, text: str, *, is_for_applicant: bool = False, by: User, at: datetime
) -> Note:
    """Save a note about a case whose lead is locked, with its event."""
    note = Note.objects.create(
        application=application, is_for_applicant=is_for_applicant, text=text.strip(), by=by, at=at
    )
    details = {"note_id": str(note.external_id), "is_for_applicant": is_for_applicant}
    history.record(application, EventType.NOTED, by=actor(by), at=at, **details)
    mentioned = find_mentioned(note.text)
    notify(NotificationKind.MENTIONED, mentioned, application=application, by=by, at=at)
    return note


@transaction.atomic
def request_documents(
    application: Application,
    reasons: Mapping[LlcFileType, str],
    *,
    of_owners: Mapping[tuple[LlcFileType, Owner], str] | None = None,
    by: User,
    at: datetime,
) -> Application:
    """Request documents, each with a reason for the applicant; `of_owners` has those of owners.

    Missing documents, rejected documents included, are requested with them; `reasons` may be
    empty if any is missing. Raises: NotClaimed, Incomplete, InvalidMove, Superseded.
    """
    owned = of_owners or {}
    if not all(reason.strip() for reason in [*reasons.values(), *owned.values()]):
        raise Incomplete("Give a reason for each document. The applicant will see it.")
    locked = begin_step(application, by=by, at=at)
    if not all(is_person_of(owner, locked) for _kind, owner in owned):
        raise Incomplete("Choose owners of this business.")
    if not (reasons or owned) and not list_missing_documents(open_lead_file(locked).requirements):
        raise Incomplete("Choose a document to ask for. None is missing from the checklist.")
    stripped = {kind: reason.strip() for kind, reason in reasons.items()}
    proofs = {wanted: reason.strip() for wanted, reason in owned.items()}
    decisions.request_documents(locked, stripped, of_owners=proofs, by=actor(by), at=at)
    return locked


@transaction.atomic
def request_identity(
    application: Application, people: Sequence[Lead | Owner], *, by: User, at: datetime
) -> Application:
    """Request proofs of identity from people of the application.

    Raises: NotClaimed, Incomplete, InvalidMove, Superseded.
    """
    locked = begin_step(application, by=by, at=at)
    if not people or not all(is_person_of(person, locked) for person in people):
        raise Incomplete("Choose who must prove their identity.")
    decisions.request_identity(locked, people, by=actor(by), at=at)
    return locked


@transaction.atomic
def verify_identities(application: Application, *, by: User, at: datetime) -> Application:
    """Mark the identities of the applicant and all owners as verified, for staff with the claim.

    An application that waited for them moves on. Raises: NotClaimed, InvalidMove, Superseded.
    """
    locked = begin_step(application, by=by, at=at)
    decisions.verify_identities(locked, by=actor(by), at=at)
    return locked


def is_person_of(person: Lead | Owner, application: Application) -> bool:
    """Return whether a person is the applicant or another owner of the application."""
    lead = person.pk if isinstance(person, Lead) else person.lead_id
    return lead == application.lead_id


def _hand(
    application: Application, *, to: User, at: datetime, where: Q | None = None, **also: Any
) -> bool:
    """Give a user the claim and set the columns in `also`, if the row meets the condition `where`.

    Return whether the row was updated.
    """
    until = at + settings.CLAIM_LIFETIME
    values = {"claimed_by": to, "claimed_until": until, **also}
    free = Application.objects.filter(where or Q(), pk=application.pk)
    if not free.update(**values):
        return False
    _set(application, values)
    return True


def _taken_up(application: Application, by: User, at: datetime) -> dict[str, Any]:
    """Return the new values of columns when a user takes up a case, besides those of the claim.

    They assign a case without an assignee to the user, end a return, and record a first touch.
    """
    values: dict[str, Any] = dict(_touched(application, at))
    if application.assignee_id is None:
        values["assignee"] = by
    if application.assignee_id in {None, by.pk} and application.returned_at:
        values["returned_at"] = None
    return values


def _touched(application: Application, at: datetime) -> dict[str, datetime]:
    """Return the values that record the first step of staff, and the due time of the decision.

    Empty after the first step, or outside a review.
    """
    began_at = application.review_began_at
    if application.status != Status.IN_REVIEW or application.touched_at or began_at is None:
        return {}
    return {"touched_at": at, "due_at": add_business_hours(began_at, HOURS_OF_A_DAY)}


def _set(application: Application, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(application, name, value)
