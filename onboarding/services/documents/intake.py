"""Intake: files attached to a lead, and URLs recorded to fetch further files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.conf import settings

from foundation.inspection.file_contents import find_active_content
from foundation.inspection.file_types import detect_type, quarantine_reason
from foundation.scanning.stored_files import is_scanned
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, StatusGroup, Supplier
from onboarding.errors import ErrorCode, Fault, Refused
from onboarding.models import Application, Document, Lead, Owner
from onboarding.services.documents.file_store import FOLDER, FileStore
from onboarding.uploads import Upload

TO_FETCH = ["status", "status_reason", "uploaded_at", "fetch_due_at", "fetch_attempts"]
HAD_ALREADY = "The lead has this file already."


class TooManyDocuments(Refused):
    """The lead would have more documents than DOCUMENTS_MAX_PER_LEAD."""

    code = ErrorCode.TOO_MANY_DOCUMENTS


@dataclass(frozen=True)
class SentDocument:
    """A file with the name, content type and document type that its sender declares.

    `inspect` makes it: `detected_type` and `doubt`, the reason for a quarantine, are what it found.
    """

    upload: Upload
    content_type: str
    file_name: str
    llc_file_type: str
    detected_type: str
    doubt: str
    side: str = ""
    legibility_doubt: str = ""
    is_by_phone: bool = False


@dataclass(frozen=True)
class AttachedDocument:
    """A document of the lead, and whether the lead had the file before."""

    document: Document
    is_duplicate: bool
    is_renewed: bool = False  # a duplicate that was asked for, and counts as sent now


@dataclass(frozen=True)
class Attachments:
    """The documents of a request: a document per sent file, in order, and per new URL.

    `rows` are the rows to insert. A URL that is sent again after its file could not be fetched
    counts as new; its row is in `renewed`.
    """

    files: list[AttachedDocument]
    new_urls: list[str]
    rows: list[Document]
    renewed: list[Document] = field(default_factory=list)

    @property
    def are_new(self) -> bool:
        """Return whether a row is new or a failed URL starts again."""
        return bool(self.rows or self.renewed)

    @property
    def received(self) -> list[Document]:
        """Return the new documents that have their file."""
        return [one.document for one in self.files if not one.is_duplicate]


def inspect(
    upload: Upload, *, content_type: str, file_name: str, llc_file_type: str = "", side: str = ""
) -> SentDocument:
    """Detect the type of a complete upload and look for active content; return it as sent.

    Call this outside of transactions: a PDF may take seconds. Nothing is stored.
    """
    detected = detect_type(upload.head)
    doubt = quarantine_reason(content_type, file_name, detected)
    if not doubt:
        with upload.as_file() as content:
            doubt = find_active_content(content, detected)
    return SentDocument(upload, content_type, file_name, llc_file_type, detected, doubt, side)


def attach_documents(
    lead: Lead,
    incoming: Sequence[SentDocument],
    *,
    urls: Sequence[str] = (),
    owner: Owner | None = None,
    store: FileStore,
    supplied_by: Supplier,
    at: datetime,
) -> Attachments:
    """Write the sent files and record the URLs to fetch, for a lead that is new or locked.

    A file or URL that the lead has already is not added again. The rows are not saved yet: call
    `save_attachments` after the lead is saved. Runs one database query at most.
    Raises: TooManyDocuments.
    """
    if not incoming and not urls:
        return Attachments([], [], [])
    stored = list(lead.documents.all()) if lead.pk else []
    files, added = _files(lead, stored, incoming, owner, supplied_by, at)
    pending, renewed = _wanted(lead, stored, urls, supplied_by, at)
    _require_room(len(stored), added=len(added), pending=len(pending))
    for document, upload in added:
        document.file = store.save(upload, _name(document))
    new_urls = [document.source_url for document in (*pending, *renewed)]
    rows = [*pending, *(document for document, _ in added)]
    return Attachments(files, new_urls, rows, renewed)


def save_attachments(attachments: Attachments) -> None:
    """Insert the new rows of documents in one statement, and update renewed rows in another."""
    for document in attachments.rows:
        document.lead_id = document.lead.pk
    if attachments.rows:
        Document.objects.bulk_create(attachments.rows)
    if attachments.renewed:
        Document.objects.bulk_update(attachments.renewed, TO_FETCH)


def complete_fetched(
    document: Document, incoming: SentDocument, *, store: FileStore, at: datetime
) -> AttachedDocument:
    """Store the fetched file of a document that was sent as a URL, and save the document.

    The lead is locked. With a scanner the document stays PENDING until its first scan. If the lead
    has the same file already, the document gets the status REPLACED.
    """
    for name, value in {**_facts(incoming, at), "fetch_due_at": None}.items():
        setattr(document, name, value)
    others = document.lead.documents.exclude(pk=document.pk)
    same = {name: getattr(document, name) for name in ("sha256", "llc_file_type", "file_name")}
    twin = others.filter(**same, owner=document.owner_id).exclude(status=DocumentStatus.REPLACED)
    is_duplicate = twin.exists()
    if is_duplicate:
        document.status, document.status_reason = DocumentStatus.REPLACED, HAD_ALREADY
    document.file = store.save(incoming.upload, _name(document))
    document.save()
    return AttachedDocument(document, is_duplicate=is_duplicate)


def renew_duplicates(
    application: Application, attachments: Attachments, *, at: datetime
) -> Attachments:
    """Set the upload time of documents that were sent again to `at`; return all, these as renewed.

    Only if the application is in the group ACTION_REQUIRED: a request for documents is satisfied
    only by documents uploaded after it.
    """
    waits = Status(application.status).group is StatusGroup.ACTION_REQUIRED
    again = {one.document.pk for one in attachments.files if one.is_duplicate and one.document.pk}
    if not waits or not again:
        return attachments
    Document.objects.filter(pk__in=again).update(uploaded_at=at)
    files = [replace(one, is_renewed=one.document.pk in again) for one in attachments.files]
    return replace(attachments, files=files)


def _files(
    lead: Lead,
    stored: Iterable[Document],
    incoming: Sequence[SentDocument],
    owner: Owner | None,
    supplied_by: Supplier,
    at: datetime,
) -> tuple[list[AttachedDocument], list[tuple[Document, Upload]]]:
    """Return a document per sent file, in order, and the new documents with their content."""
    known = {
        _identity(document): document
        for document in stored
        if document.sha256 and document.status != DocumentStatus.REPLACED
    }
    files: list[AttachedDocument] = []
    added: list[tuple[Document, Upload]] = []
    for one in incoming:
        document = Document(
            lead=lead,
            owner=owner,
            llc_file_type=one.llc_file_type,
            side=one.side,
            doubt=one.legibility_doubt,
            is_by_phone=one.is_by_phone,
            supplied_by=supplied_by,
            **_facts(one, at),
        )
        first = known.setdefault(_identity(document), document)
        files.append(AttachedDocument(first, is_duplicate=first is not document))
        if first is document:
            added.append((document, one.upload))
    return files, added


def _require_room(stored: int, *, added: int, pending: int) -> None:
    limit = settings.DOCUMENTS_MAX_PER_LEAD
    if added + pending and stored + added + pending > limit:
        path = ("documentDataList",) if added else ("documentUrls",)
        raise TooManyDocuments([Fault(TooManyDocuments.code, path, {"limit": limit})])


def _wanted(
    lead: Lead, stored: Iterable[Document], urls: Iterable[str], supplied_by: Supplier, at: datetime
) -> tuple[list[Document], list[Document]]:
    """Return a new document for each new URL, and the documents whose fetch starts again."""
    known = {document.source_url: document for document in stored}
    pending: list[Document] = []
    renewed: list[Document] = []
    for url in dict.fromkeys(urls):
        if url not in known:
            pending.append(_pending(lead, url, supplied_by, at))
        elif known[url].status == DocumentStatus.NOT_FETCHED:
            fresh = _pending(lead, url, supplied_by, at)
            for name in TO_FETCH:
                setattr(known[url], name, getattr(fresh, name))
            renewed.append(known[url])
    return pending, renewed


def _pending(lead: Lead, url: str, supplied_by: Supplier, at: datetime) -> Document:
    return Document(
        lead=lead,
        source_url=url,
        status=DocumentStatus.PENDING,
        supplied_by=supplied_by,
        uploaded_at=at,
        fetch_due_at=at,
    )


def _facts(one: SentDocument, at: datetime) -> dict[str, Any]:
    """Return the columns that follow from the declared and the detected type of a file."""
    return {
        "file_name": one.file_name,
        "content_type": one.content_type,
        "detected_type": one.detected_type,
        "size_bytes": one.upload.size_bytes,
        "sha256": one.upload.sha256,
        "status": _first_status(one.doubt),
        "status_reason": one.doubt,
        "uploaded_at": at,
        "scan_due_at": at if is_scanned() else None,
    }


def _first_status(reason: str) -> DocumentStatus:
    """Return the status of a new file, given the reason for its quarantine, if any."""
    if reason:
        return DocumentStatus.QUARANTINED
    return DocumentStatus.PENDING if is_scanned() else DocumentStatus.RECEIVED


def _identity(document: Document) -> tuple[int | None, str, str, str]:
    return document.owner_id, document.llc_file_type, document.file_name, document.sha256


def _name(document: Document) -> str:
    return f"{FOLDER}/{document.lead.external_id}/{document.external_id}"
