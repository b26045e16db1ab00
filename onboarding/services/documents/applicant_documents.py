"""Documents from the applicant or an owner: added to a lead, or replacing a document."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db import IntegrityError, transaction

from onboarding.choices import ApplicationStatus, DocumentStatus, LlcFileType, Role, Supplier
from onboarding.event_types import EventType
from onboarding.models import Application, Document, Owner
from onboarding.queries.leads import lock_application
from onboarding.queries.requirements import is_usable
from onboarding.services.applications import lifecycle
from onboarding.services.applications.attempts import LeadLocked, lock_open, next_status
from onboarding.services.documents import intake
from onboarding.services.documents.arrivals import record_receipt
from onboarding.services.documents.file_store import FileStore
from onboarding.services.documents.intake import AttachedDocument, SentDocument
from onboarding.services.events.history import APPLICANT, Actor, record

REMOVED = "The applicant has removed it."
REPLACEABLE = {DocumentStatus.RECEIVED, DocumentStatus.QUARANTINED, DocumentStatus.REJECTED}


class NotReplaceable(Exception):
    """The document was accepted or replaced meanwhile, or its file is not fetched yet."""


class SameAsOtherSide(Exception):
    """The same file was sent before as another side of the identity document."""


def is_replaceable(document: Document) -> bool:
    """Return whether the document's status allows its sender to replace it.

    It does not if the document was accepted or replaced, or has no file.
    """
    return document.status in REPLACEABLE or document.awaits_receipt


def is_removable(document: Document) -> bool:
    """Return whether the applicant sent the document, and may remove or move it."""
    return document.supplied_by == Supplier.APPLICANT and is_replaceable(document)


def add_documents(
    application: Application,
    incoming: Sequence[SentDocument],
    *,
    owner_id: UUID | None = None,
    store: FileStore,
    at: datetime,
) -> list[AttachedDocument]:
    """Add documents about another owner or, without `owner_id`, the applicant or the business.

    Call it in a `file_transaction`, with its store. The application moves on if nothing that its
    status waits for is missing any more.
    Raises: ApplicationClosed, CustomerAlreadyOnboarded, TooManyDocuments, Owner.DoesNotExist.
    """
    locked = lock_open(application)
    owner = locked.lead.owners.get(external_id=owner_id) if owner_id else None
    return _receive(locked, incoming, store, at, owner=owner)


def add_identity_proof(
    application: Application,
    incoming: SentDocument,
    *,
    owner_id: UUID | None = None,
    by: Supplier = Supplier.APPLICANT,
    phones: Collection[str] | None = None,
    store: FileStore,
    at: datetime,
) -> list[AttachedDocument]:
    """Add a file of an identity document of an owner or, without `owner_id`, of the applicant.

    Call it in a `file_transaction`, with its store. A usable file replaces the newest replaceable
    file that `by` sent for the same kind and side. With `phones`, the external ids of files that
    the phone sent, only these and unusable or doubted files are replaced.
    Raises: ApplicationClosed, CustomerAlreadyOnboarded, TooManyDocuments, Owner.DoesNotExist;
    SameAsOtherSide if the file was sent for another side.
    """
    locked = lock_open(application)
    owner = locked.lead.owners.get(external_id=owner_id) if owner_id else None
    sent = locked.lead.documents.filter(owner=owner, llc_file_type=incoming.llc_file_type)
    before = list(sent.exclude(status=DocumentStatus.REPLACED).order_by("pk"))
    sha256 = incoming.upload.sha256
    if any(one.side != incoming.side and one.sha256 == sha256 for one in before):
        raise SameAsOtherSide
    same = [one for one in before if one.side == incoming.side and one.supplied_by == by]
    old = next(
        (
            one
            for one in reversed(same)
            if is_replaceable(one) and (phones is None or _is_left_to_phones(one, phones))
        ),
        None,
    )
    return _receive(locked, [incoming], store, at, owner=owner, old=old, by=by)


def _is_left_to_phones(document: Document, own: Collection[str]) -> bool:
    return str(document.external_id) in own or document.is_doubted or not is_usable(document)


@transaction.atomic
def confirm_document(
    application: Application, document_id: UUID, *, by: Supplier = Supplier.APPLICANT, at: datetime
) -> None:
    """Record that the sender `by` says that a document is legible, which a check had doubted.

    The document then counts, and the application moves on if nothing else is missing. Does nothing
    without a doubt. Raises: ApplicationClosed, CustomerAlreadyOnboarded, Document.DoesNotExist;
    NotReplaceable if another supplier sent the document or it may not be replaced any more.
    """
    locked = lock_open(application)
    document = locked.lead.documents.get(external_id=document_id)
    if document.supplied_by != by or not is_replaceable(document):
        raise NotReplaceable
    if not document.is_doubted:
        return
    document.doubt_confirmed_at = at
    document.save(update_fields=["doubt_confirmed_at"])
    facts = {"document_id": str(document.external_id), "doubt": document.doubt}
    actor = Actor(Role(by))
    record(locked, EventType.DOCUMENT_CONFIRMED, by=actor, at=at, **facts)
    if target := next_status(locked):
        lifecycle.move(locked, target, by=actor, at=at)


def replace_document(
    application: Application,
    document_id: UUID,
    incoming: SentDocument,
    *,
    by: Supplier = Supplier.APPLICANT,
    store: FileStore,
    at: datetime,
) -> list[AttachedDocument]:
    """Replace a document by a file, which gets the kind, side and owner of the document.

    Call it in a `file_transaction`, with its store. The old document stays on record as REPLACED,
    at once even if the new file waits for its scan. It stays unchanged if the new file is not
    usable or the lead has it already.
    Raises: ApplicationClosed, CustomerAlreadyOnboarded, TooManyDocuments, Document.DoesNotExist;
    NotReplaceable, also for a document of an owner unless `by` is OWNER.
    """
    locked = lock_open(application)
    old = locked.lead.documents.select_related("owner").get(external_id=document_id)
    is_anothers = by != Supplier.OWNER and old.supplied_by == Supplier.OWNER
    if not is_replaceable(old) or is_anothers:
        raise NotReplaceable
    same = replace(incoming, llc_file_type=old.llc_file_type, side=old.side)
    return _receive(locked, [same], store, at, owner=old.owner, old=old, by=by)


@transaction.atomic
def remove_document(application: Application, document_id: UUID, *, at: datetime) -> None:
    """Take a document that the applicant sent off the application, before the submission.

    It stays on record as REPLACED, and satisfies no requirement any more.
    Raises: LeadLocked, Document.DoesNotExist, NotReplaceable.
    """
    locked, document = _lock_own(application, document_id)
    document.status, document.status_reason = DocumentStatus.REPLACED, REMOVED
    document.save(update_fields=["status", "status_reason"])
    facts = {"document_id": str(document.external_id), "is_removed": True}
    record(locked, EventType.DOCUMENT_REPLACED, by=APPLICANT, at=at, **facts)


@transaction.atomic
def move_document(
    application: Application, document_id: UUID, kind: LlcFileType, *, at: datetime
) -> None:
    """Change the kind of a document that the applicant sent, before the submission.

    Raises: LeadLocked, Document.DoesNotExist, NotReplaceable, also if the lead has the same file as
    that kind already.
    """
    locked, document = _lock_own(application, document_id)
    before, document.llc_file_type = document.llc_file_type, kind
    if before == kind:
        return
    document.side = ""
    try:
        with transaction.atomic():
            document.save(update_fields=["llc_file_type", "side"])
    except IntegrityError:
        raise NotReplaceable from None
    facts = {"document_id": str(document.external_id), "llc_file_type": str(kind)}
    facts["previous_llc_file_type"] = before
    record(locked, EventType.KIND_CHANGED, by=APPLICANT, at=at, **facts)


def _lock_own(application: Application, document_id: UUID) -> tuple[Application, Document]:
    locked = lock_application(pk=application.pk)
    if locked is None or not ApplicationStatus(locked.status).is_editable:
        raise LeadLocked
    document = locked.lead.documents.get(external_id=document_id)
    if not is_removable(document):
        raise NotReplaceable
    return locked, document


def _receive(
    application: Application,
    incoming: Sequence[SentDocument],
    store: FileStore,
    at: datetime,
    *,
    owner: Owner | None,
    old: Document | None = None,
    by: Supplier = Supplier.APPLICANT,
) -> list[AttachedDocument]:
    """Attach files, record their events, and move the application if nothing is missing.

    If a new file is usable, `old` becomes REPLACED.
    """
    attachments = intake.attach_documents(
        application.lead, incoming, owner=owner, store=store, supplied_by=by, at=at
    )
    intake.save_attachments(attachments)
    attachments = intake.renew_duplicates(application, attachments, at=at)
    usable = [document for document in attachments.received if is_usable(document)]
    replacing: dict[str, str] = {}
    if old and usable:
        replacing = {"document_id": str(old.external_id), "replaced_by": str(usable[0].external_id)}
        Document.objects.filter(pk=old.pk).update(status=DocumentStatus.REPLACED)
    actor = Actor(Role(by))
    record_receipt(application, attachments, replacing=replacing, by=actor, at=at)
    return attachments.files
