"""Documents: attach files to a lead, and record the URLs to fetch others from."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from django.conf import settings

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, StatusGroup, Supplier
from onboarding.errors import ErrorCode, Fault, Refused
from onboarding.file_types import detect_type, quarantine_reason
from onboarding.models import Application, Document, Lead, Owner
from onboarding.services.documents.file_store import FOLDER, FileStore
from onboarding.uploads import Upload

TO_FETCH = ["status", "status_reason", "uploaded_at", "fetch_due_at", "fetch_attempts"]
HAD_ALREADY = "The lead has this file already."


class TooManyDocuments(Refused):
    """More files than a lead may have."""

    code = ErrorCode.TOO_MANY_DOCUMENTS


@dataclass(frozen=True)
class Incoming:
    """A file that somebody sends, with what they say of it; an empty kind is none."""

    upload: Upload
    content_type: str
    file_name: str
    llc_file_type: str = ""


@dataclass(frozen=True)
class Attached:
    """A document of the lead, and whether it was there before."""

    document: Document
    is_duplicate: bool
    is_renewed: bool = False  # a duplicate that was asked for, and counts as sent now


@dataclass(frozen=True)
class Attachments:
    """What was attached: one per file sent, in that order; new URLs; the rows of what is new.

    A URL is new, too, if it is sent again after its file could not be fetched: `renewed`.
    """

    files: list[Attached]
    new_urls: list[str]
    rows: list[Document]
    renewed: list[Document] = field(default_factory=list)

    @property
    def are_new(self) -> bool:
        """Say whether the lead has anything that it had not before."""
        return bool(self.rows or self.renewed)

    @property
    def received(self) -> list[Document]:
        """Return what is new and has its file."""
        return [one.document for one in self.files if not one.is_duplicate]


def attach_documents(
    lead: Lead,
    incoming: Sequence[Incoming],
    *,
    urls: Sequence[str] = (),
    owner: Owner | None = None,
    store: FileStore,
    supplied_by: Supplier,
    at: datetime,
) -> Attachments:
    """Write files, and note URLs to fetch others from, for a lead that is new or locked.

    What the lead has already is not added again. At most one statement, none without anything.
    The rows are not saved yet: `save_attachments` does that, once the lead is.
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
    """Insert the rows of what is new, in one statement; one more lets failed URLs start anew."""
    for document in attachments.rows:
        document.lead_id = document.lead.pk
    if attachments.rows:
        Document.objects.bulk_create(attachments.rows)
    if attachments.renewed:
        Document.objects.bulk_update(attachments.renewed, TO_FETCH)


def complete_fetched(
    document: Document, incoming: Incoming, *, store: FileStore, at: datetime
) -> Attached:
    """Give a document that was known by its URL its file; its lead is locked.

    A file that the lead has already is kept as REPLACED: nothing points to it, nothing is lost.
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
    return Attached(document, is_duplicate=is_duplicate)


def renew_duplicates(
    application: Application, attachments: Attachments, *, at: datetime
) -> Attachments:
    """Let files that are sent again while the application waits for some count as sent now.

    What is asked for is met by what came after the request only.
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
    incoming: Sequence[Incoming],
    owner: Owner | None,
    supplied_by: Supplier,
    at: datetime,
) -> tuple[list[Attached], list[tuple[Document, Upload]]]:
    """Return one per file sent, in that order, and those to be added with their content."""
    known = {
        _identity(document): document
        for document in stored
        if document.sha256 and document.status != DocumentStatus.REPLACED
    }
    files: list[Attached] = []
    added: list[tuple[Document, Upload]] = []
    for one in incoming:
        document = _received(lead, one, owner, supplied_by, at)
        first = known.setdefault(_identity(document), document)
        files.append(Attached(first, is_duplicate=first is not document))
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
    """Return a new document for each URL that the lead has not, and those that start anew."""
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


def _received(
    lead: Lead, one: Incoming, owner: Owner | None, supplied_by: Supplier, at: datetime
) -> Document:
    return Document(
        lead=lead,
        owner=owner,
        llc_file_type=one.llc_file_type,
        supplied_by=supplied_by,
        **_facts(one, at),
    )


def _facts(one: Incoming, at: datetime) -> dict[str, Any]:
    """Return what a file is by what is said of it, and by what it holds."""
    detected = detect_type(one.upload.head)
    reason = quarantine_reason(one.content_type, one.file_name, detected)
    return {
        "file_name": one.file_name,
        "content_type": one.content_type,
        "detected_type": detected,
        "size_bytes": one.upload.size_bytes,
        "sha256": one.upload.sha256,
        "status": DocumentStatus.QUARANTINED if reason else DocumentStatus.RECEIVED,
        "status_reason": reason,
        "uploaded_at": at,
    }


def _identity(document: Document) -> tuple[int | None, str, str, str]:
    return document.owner_id, document.llc_file_type, document.file_name, document.sha256


def _name(document: Document) -> str:
    return f"{FOLDER}/{document.lead.external_id}/{document.external_id}"
