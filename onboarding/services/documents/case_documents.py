"""Documents of a case: opened, accepted, rejected and classified by staff."""

from datetime import datetime

from django.db import IntegrityError, transaction

from banking.errors import StepRefused
from banking.models import User
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, LlcFileType, OpeningReason
from onboarding.event_types import EventType
from onboarding.models import Application, Document
from onboarding.queries.leads import lock_application
from onboarding.queries.staff import REVIEW
from onboarding.services.applications import attempts, lifecycle
from onboarding.services.events import history
from onboarding.services.privacy import reveals
from onboarding.services.reviews import cases
from onboarding.services.reviews.cases import Incomplete, Superseded

REVIEWED = {
    Status.SUBMITTED,
    Status.ID_VERIFICATION,
    Status.DOCUMENTS_REQUIRED,
    Status.IN_REVIEW,
    Status.APPROVED_TEMPORARY,
}
LONGEST_REASON = 255
ROTATIONS = {"0", "90", "180", "270"}  # degrees, clockwise
JUDGED = {DocumentStatus.RECEIVED, DocumentStatus.ACCEPTED, DocumentStatus.REJECTED}


class NotReviewable(StepRefused):
    """Staff cannot review the document now, for example because it is quarantined or replaced."""


class NotOpenable(StepRefused):
    """Nobody may open the file: it waits for its first scan, or has malware in it."""

    def __init__(self, document: Document) -> None:
        if document.malware:
            super().__init__("The scanner found malware in this file. It cannot be opened.")
        else:
            super().__init__("This file cannot be opened before it is scanned for malware.")


@transaction.atomic
def accept(document: Document, *, by: User, at: datetime) -> Document:
    """Accept a document, and drop the request that an earlier rejection added.

    The application moves on if it has all that its status waits for. Raises: NotClaimed;
    NotReviewable, also of a replaced document; Superseded if the lead has no current application.
    """
    application, mine = _begin(document, by=by, at=at)
    if mine.status == DocumentStatus.ACCEPTED:
        return mine
    requests = [one for one in application.document_requests if not _asks_again(one, mine)]
    _keep_requests(application, requests)
    _judge(application, mine, DocumentStatus.ACCEPTED, "", by=by, at=at)
    _go_on(application, by=by, at=at)
    return mine


@transaction.atomic
def reject(document: Document, *, reason: str, by: User, at: datetime) -> Document:
    """Reject a document, with a reason for the applicant, and request another of its kind.

    The applicant sees the request with the next request for documents, or at once if the
    application waits for documents. Raises: Incomplete, NotClaimed, NotReviewable, Superseded.
    """
    reason = reason.strip()
    if not 0 < len(reason) <= LONGEST_REASON:
        raise Incomplete(f"Say why, in at most {LONGEST_REASON} characters: the applicant is told.")
    application, mine = _begin(document, by=by, at=at)
    if mine.llc_file_type:
        kept = [one for one in application.document_requests if not _is_for(one, mine)]
        _keep_requests(application, [*kept, _request(mine, reason, at)])
    _judge(application, mine, DocumentStatus.REJECTED, reason, by=by, at=at)
    return mine


@transaction.atomic
def change_kind(document: Document, kind: LlcFileType, *, by: User, at: datetime) -> Document:
    """Change the kind of a document, and clear its side.

    The application moves on if it has all that its status waits for. Raises: NotClaimed,
    Superseded; NotReviewable, also if the lead has the same file as that kind.
    """
    application, mine = _begin(document, by=by, at=at)
    before, mine.llc_file_type = mine.llc_file_type, LlcFileType(kind)
    if before == mine.llc_file_type:
        return mine
    mine.side = ""
    try:
        with transaction.atomic():
            mine.save(update_fields=["llc_file_type", "side"])
    except IntegrityError:
        raise NotReviewable("The lead has the same file as that kind already.") from None
    details = {**_named(mine), "previous_llc_file_type": before}
    history.record(application, EventType.KIND_CHANGED, by=cases.actor(by), at=at, **details)
    _go_on(application, by=by, at=at)
    return mine


def needs_reason(user: User) -> bool:
    """Return whether a user must give a reason to open documents, as they do not work on cases."""
    return not user.has_perm(REVIEW)


@transaction.atomic
def note_opened(
    document: Document, *, by: User, at: datetime, reason: str = "", note: str = ""
) -> None:
    """Record that a member of staff opens a document, with the reason if they need one.

    `reason` and `note` are required from users for whom `needs_reason` is true.
    Raises: NotOpenable, Superseded, Incomplete.
    """
    if not document.is_openable:
        raise NotOpenable(document)
    why = {}
    if needs_reason(by):
        if reason not in OpeningReason.values:
            raise Incomplete("Choose a reason for opening the document.")
        why = {"reason": reason, "note": reveals.require_reason(note)}
    application = _lock(document)
    details = {**_named(document), **why}
    history.record(application, EventType.DOCUMENT_OPENED, by=cases.actor(by), at=at, **details)


def rotate(document: Document, degrees: int) -> None:
    """Save the degrees clockwise by which staff turn a picture upright: 0, 90, 180 or 270.

    The rotation is not evidence of a decision, and no event is recorded.
    """
    Document.objects.filter(pk=document.pk).update(rotation=degrees)
    document.rotation = degrees


def _begin(document: Document, *, by: User, at: datetime) -> tuple[Application, Document]:
    """Lock the application of a document that staff judges; return both, the document read again.

    Raises: as `accept`, if the claim, the application's status or the document's does not allow it.
    """
    application = _lock(document)
    cases.require_claim(application, by=by, at=at)
    mine = Document.objects.select_related("owner").get(pk=document.pk)
    if application.status not in REVIEWED:
        raise NotReviewable("Documents of this application are not reviewed now.")
    if mine.status not in JUDGED:
        raise NotReviewable(f"This document is not reviewed: {mine.get_status_display()}.")
    return application, mine


def _lock(document: Document) -> Application:
    application = lock_application(lead=document.lead_id)
    if application is None:
        raise Superseded
    return application


def _judge(
    application: Application,
    document: Document,
    status: DocumentStatus,
    reason: str,
    *,
    by: User,
    at: datetime,
) -> None:
    document.status, document.status_reason = status, reason
    document.save(update_fields=["status", "status_reason"])
    is_accepted = status is DocumentStatus.ACCEPTED
    event_type = EventType.DOCUMENT_ACCEPTED if is_accepted else EventType.DOCUMENT_REJECTED
    history.record(application, event_type, by=cases.actor(by), at=at, **_named(document))


def _go_on(application: Application, *, by: User, at: datetime) -> None:
    """Move an application on if it has all that its status waits for.

    A move to IN_REVIEW also records staff's first step in that review.
    """
    target = attempts.next_status(application)
    if target:
        lifecycle.move(application, target, by=cases.actor(by), at=at)
        cases.touch(application, at=at)


def _named(document: Document) -> dict[str, str]:
    return {
        "document_id": str(document.external_id),
        "llc_file_type": str(document.llc_file_type),
    }


def _request(document: Document, reason: str, at: datetime) -> dict[str, str]:
    owner = {"ubo_id": str(document.owner.external_id)} if document.owner else {}
    side = {"side": document.side} if document.side else {}
    return {
        "llc_file_type": str(document.llc_file_type),
        "reason": reason,
        "requested_at": at.isoformat(),
        **owner,
        **side,
    }


def _is_for(request: dict[str, str], document: Document) -> bool:
    """Return whether a request is for this kind of document, or this side, of the same person."""
    owner = str(document.owner.external_id) if document.owner else None
    asked = (request["llc_file_type"], request.get("ubo_id"), request.get("side", document.side))
    return asked == (document.llc_file_type, owner, document.side)


def _asks_again(request: dict[str, str], document: Document) -> bool:
    """Return whether a request was added by the rejection of this document."""
    was_rejected = document.status == DocumentStatus.REJECTED
    return (
        was_rejected and _is_for(request, document) and request["reason"] == document.status_reason
    )


def _keep_requests(application: Application, requests: list[dict[str, str]]) -> None:
    if requests != application.document_requests:
        application.document_requests = requests
        application.save(update_fields=["document_requests"])
