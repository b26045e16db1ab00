"""Documents of a case: staff open them, accept or reject them, and say what they are."""

from datetime import datetime

from django.db import IntegrityError, transaction

from banking.models import User
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, LlcFileType
from onboarding.event_types import EventType
from onboarding.models import Application, Document
from onboarding.queries.leads import lock_application
from onboarding.services.applications import attempts, lifecycle
from onboarding.services.events import history
from onboarding.services.reviews import cases
from onboarding.services.reviews.cases import Incomplete, StepRefused, Superseded

REVIEWED = {
    Status.SUBMITTED,
    Status.ID_VERIFICATION,
    Status.DOCUMENTS_REQUIRED,
    Status.IN_REVIEW,
    Status.APPROVED_TEMPORARY,
}
LONGEST_REASON = 255
JUDGED = {DocumentStatus.RECEIVED, DocumentStatus.ACCEPTED, DocumentStatus.REJECTED}


class NotReviewable(StepRefused):
    """The document is not one that staff judge: quarantined, replaced or without its file."""


@transaction.atomic
def accept(document: Document, *, by: User, at: datetime) -> Document:
    """Take a document for what it is said to be; one that was rejected is not asked for any more.

    If nothing else was waited for, the review goes on. Raises: NotClaimed, NotReviewable.
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
    """Refuse a document, for a reason that the applicant is told.

    Another one of its kind is asked for with the next request for documents; who waits for
    documents already is asked for it at once. Raises: Incomplete, NotClaimed, NotReviewable.
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
    """Say what a document is; if it is what was waited for, the review goes on.

    Raises: NotClaimed, NotReviewable.
    """
    application, mine = _begin(document, by=by, at=at)
    before, mine.llc_file_type = mine.llc_file_type, LlcFileType(kind)
    if before == mine.llc_file_type:
        return mine
    try:
        with transaction.atomic():
            mine.save(update_fields=["llc_file_type"])
    except IntegrityError:
        raise NotReviewable("The lead has the same file as that kind already.") from None
    details = {**_named(mine), "previous_llc_file_type": before}
    history.record(application, EventType.KIND_CHANGED, by=cases.actor(by), at=at, **details)
    _go_on(application, by=by, at=at)
    return mine


@transaction.atomic
def note_opened(document: Document, *, by: User, at: datetime) -> None:
    """Write down that somebody of staff looked at a document."""
    application = _lock(document)
    who = cases.actor(by)
    history.record(application, EventType.DOCUMENT_OPENED, by=who, at=at, **_named(document))


def _begin(document: Document, *, by: User, at: datetime) -> tuple[Application, Document]:
    """Return the document as it is now, and its application, locked. Raises as `accept` does."""
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
    """Move an application that waits for nothing more; who saw to that has touched it, too."""
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
    return {
        "llc_file_type": str(document.llc_file_type),
        "reason": reason,
        "requested_at": at.isoformat(),
        **owner,
    }


def _is_for(request: dict[str, str], document: Document) -> bool:
    """Say whether a request is for this kind of document, of the same person."""
    owner = str(document.owner.external_id) if document.owner else None
    return (request["llc_file_type"], request.get("ubo_id")) == (document.llc_file_type, owner)


def _asks_again(request: dict[str, str], document: Document) -> bool:
    """Say whether a request is there because this document was rejected."""
    was_rejected = document.status == DocumentStatus.REJECTED
    return (
        was_rejected and _is_for(request, document) and request["reason"] == document.status_reason
    )


def _keep_requests(application: Application, requests: list[dict[str, str]]) -> None:
    if requests != application.document_requests:
        application.document_requests = requests
        application.save(update_fields=["document_requests"])
