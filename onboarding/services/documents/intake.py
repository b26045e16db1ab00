"""Documents: attach files to a lead, record where others are, keep files and rows in step."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.files.storage import storages

from banking.services import stores
from foundation.jobs.registry import Incomplete
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, StatusGroup, Supplier
from onboarding.errors import ErrorCode, Fault, Refused
from onboarding.file_types import detect_type, quarantine_reason
from onboarding.models import Application, Document, Lead, Owner
from onboarding.services.documents import quarantine
from onboarding.uploads import Upload, writing

logger = logging.getLogger(__name__)
FOLDER = "leads"
BATCH = 500
ORPHANS_MAX, ORPHANS_MAX_PERCENT = 100, 1  # files without a row that are moved unconfirmed
TO_FETCH = ["status", "status_reason", "uploaded_at", "fetch_due_at", "fetch_attempts"]
HAD_ALREADY = "The lead has this file already."
_storing: ContextVar["Store | None"] = ContextVar("storing", default=None)


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


class TooManyOrphans(Incomplete):
    """So many files have no row that the database may be the wrong one."""


@dataclass(frozen=True)
class SweepReport:
    """What a sweep found: files without a row, stale uploads, documents without their file.

    `put_back` are documents whose file waited in quarantine, `purged` the files that waited there
    for long enough, `file_count` all files that documents may have.
    """

    orphans: list[str]
    stale_uploads: list[str]
    missing: list[UUID]
    put_back: list[str] = field(default_factory=list)
    purged: list[str] = field(default_factory=list)
    file_count: int = field(default=0, compare=False)

    @property
    def outcome(self) -> str:
        """Return what a sweep does, in the past tense."""
        return (
            f"moved {len(self.orphans)} files without a row to quarantine, "
            f"put {len(self.put_back)} back, deleted {len(self.purged)} from it "
            f"and {len(self.stale_uploads)} stale uploads"
        )

    @property
    def doubt(self) -> str:
        """Return why a sweep wants to be confirmed, or nothing."""
        count = len(self.orphans)
        if count <= ORPHANS_MAX and count * 100 <= ORPHANS_MAX_PERCENT * self.file_count:
            return ""
        return (
            f"{count} of {self.file_count} files have no row, more than {ORPHANS_MAX_PERCENT} % or "
            f"{ORPHANS_MAX}: is this the database of the store? `manage.py sweep_documents "
            "--dry-run` names them, --yes moves them."
        )


class Store:
    """Writes files, and remembers them until their rows are committed."""

    def __init__(self) -> None:
        self._storage = storages["documents"]
        self._names: list[str] = []

    def save(self, upload: Upload, name: str) -> str:
        """Write the file and return the name it got. Raises: StorageUnavailable."""
        self._names.append(name)  # first: a write may fail halfway
        with upload.as_file() as content, writing():
            stored = self._storage.save(name, content)
        if stored != name:
            self._names.append(stored)
        return stored

    @property
    def names(self) -> list[str]:
        """Return the names of what was written."""
        return self._names

    def adopt(self, inner: "Store") -> None:
        """Answer for what another one wrote, too."""
        self._names += inner.names

    def discard(self) -> None:
        """Delete what was written, save what has a row: a commit may succeed and seem to fail."""
        try:
            for name in _without_row(self._names):
                self._storage.delete(name)
        except Exception:
            logger.exception("Files of a failed request are left for the next sweep.")


class Rehearsal(Store):
    """A store that writes nothing: for a preview."""

    def save(self, upload: Upload, name: str) -> str:
        """Return the name that the file would get."""
        return name


@contextmanager
def storing() -> Iterator[Store]:
    """Yield what writes files; if the block fails, the transaction in it included, they go.

    Blocks may stand in each other: what the inner one wrote goes with the outer one, too.
    """
    store, outer = Store(), _storing.get()
    within = _storing.set(store)
    try:
        yield store
    except BaseException:
        store.discard()
        raise
    finally:
        _storing.reset(within)
    if outer:
        outer.adopt(store)


def attach_documents(
    lead: Lead,
    incoming: Sequence[Incoming],
    *,
    urls: Sequence[str] = (),
    owner: Owner | None = None,
    store: Store,
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
    document: Document, incoming: Incoming, *, store: Store, at: datetime
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


def sweep(*, before: datetime, dry_run: bool = False, is_confirmed: bool = False) -> SweepReport:
    """Move files without a row to quarantine, delete stale uploads, both older than `before`.

    What a process that died had begun is found by this alone. Younger files may belong to requests
    that still run. A file that a document lacks is put back from quarantine; without it, the
    document is only reported. Files that were put in long ago are deleted.
    Raises: StoreOfAnother, TooManyOrphans unless `is_confirmed`; then nothing was changed.
    """
    if not dry_run:
        stores.require_own()
    report = _report(before)
    if dry_run:
        return report
    if report.doubt and not is_confirmed:
        raise TooManyOrphans(report.doubt)
    for name in report.put_back:
        quarantine.put_back(name)
    for name in report.purged:
        storages["documents"].delete(name)
    for name in report.orphans:
        quarantine.put_in(name)
    for upload in report.stale_uploads:
        (settings.DOCUMENT_SPOOL / upload).unlink(missing_ok=True)
    return report


def _report(before: datetime) -> SweepReport:
    """Find the files and documents that a sweep would change."""
    stored = list(quarantine.list_files(storages["documents"], FOLDER))
    without_file = list(_documents_without_file())
    put_back = [name for _, name in without_file if quarantine.holds(name)]
    old = quarantine.list_old(before=before - settings.ORPHANS_KEPT_FOR)
    wanted = {f"{quarantine.FOLDER}/{name}" for name in put_back}
    return SweepReport(
        orphans=list(_old_orphans(stored, before)),
        stale_uploads=list(_stale_uploads(before)),
        missing=[key for key, name in without_file if name not in put_back],
        put_back=put_back,
        purged=[name for name in old if name not in wanted],
        file_count=len(stored),
    )


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


def _document_id(name: str) -> UUID | None:
    """Return the document that a file was written for; None if it was not written here."""
    try:
        return UUID(name.rpartition("/")[2].partition("_")[0])
    except ValueError:
        return None


def _without_row(names: Iterable[str]) -> Iterator[str]:
    """Yield the names of files that no document has, of those that were written here."""
    ours = ((name, key) for name in names if (key := _document_id(name)))
    while batch := list(islice(ours, BATCH)):
        documents = Document.objects.filter(external_id__in=[key for _, key in batch])
        recorded = set(documents.values_list("file", flat=True))
        yield from (name for name, _ in batch if name not in recorded)


def _old_orphans(stored: Iterable[str], before: datetime) -> Iterator[str]:
    return (name for name in _without_row(stored) if quarantine.is_older(name, before))


def _stale_uploads(before: datetime) -> Iterator[str]:
    for path in settings.DOCUMENT_SPOOL.glob("upload-*"):
        with suppress(FileNotFoundError):  # the request is done
            if path.stat().st_mtime < before.timestamp():
                yield path.name


def _documents_without_file() -> Iterator[tuple[UUID, str]]:
    """Yield id and file name of documents whose file is missing."""
    stored = Document.objects.exclude(file="").order_by("pk").values_list("external_id", "file")
    for external_id, name in stored.iterator():
        if not storages["documents"].exists(name):
            yield external_id, name
