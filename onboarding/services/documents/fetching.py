"""Fetching: downloads, by workers, of documents that a partner sent as URLs."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils.http import parse_header_parameters

from foundation.inspection.file_types import ACTIVE_EXTENSIONS, EXTENSIONS, UNKNOWN, detect_type
from foundation.outbound import http_client
from foundation.outbound.http_client import AddressRefused, RequestFailed, Response
from onboarding import validators
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, StatusGroup
from onboarding.errors import InvalidValue
from onboarding.models import Application, Document
from onboarding.queries.leads import lock_application
from onboarding.services.documents import intake
from onboarding.services.documents.arrivals import record_receipt
from onboarding.services.documents.file_store import file_transaction
from onboarding.services.documents.intake import Attachments, SentDocument
from onboarding.services.events.history import PARTNER
from onboarding.uploads import StorageUnavailable, Upload, Uploads

DISPATCH_TIMEOUT = timedelta(minutes=1)  # until a lost message is sent again
LEASE = timedelta(minutes=1)  # longer than an attempt takes
WAITS: Final = [timedelta(minutes=1), timedelta(minutes=10)]  # after the first failure, the second
LONGEST_WAIT = timedelta(hours=1)  # while files cannot be stored
CONNECT_SECONDS = 5
OK = 200
UNNAMED = "document"
LONGEST_EXTENSION = 20
LONGEST_HEADER = 2000  # characters; a longer header is ignored
ENDED = "the application had ended"
INTERRUPTED = "the last attempt was interrupted"


class _Failed(Exception):
    """The fetch failed; a retry would not help if `is_final`."""

    def __init__(self, reason: str, *, is_final: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_final = is_final


def dispatch(*, at: datetime, limit: int) -> list[tuple[int, int]]:
    """Return primary key and attempts of documents due to be fetched, the longest due first.

    The caller sends workers a message about each, to call `fetch`. A document is due again after
    DISPATCH_TIMEOUT, in case the message is lost; dispatched twice, it is fetched once.
    """
    due = Document.objects.filter(fetch_due_at__lte=at)
    order = due.order_by("fetch_due_at", "pk")
    found = list(order.values_list("pk", "fetch_attempts")[:limit])
    if found:
        due.filter(pk__in=[pk for pk, _ in found]).update(fetch_due_at=at + DISPATCH_TIMEOUT)
    return found


def fetch(pk: int, *, attempt: int, at: datetime) -> None:
    """Fetch a dispatched document, unless its number of attempts is not `attempt` any more.

    The file is stored like an upload. After a failure the document is due again; after the last
    try or a final failure it is NOT_FETCHED and a requirement of the lead. While files cannot be
    stored the attempt does not count, and the document waits as long again as it has waited, so
    that the server is not asked for the same file every minute.
    """
    document = _claim(pk, attempt, at)
    if document is None:
        return
    waited = at - document.uploaded_at  # since the URL was recorded
    uploads = Uploads()
    try:
        _require_use(document, attempt)
        _receive(document, _get(document, uploads.new()), at)
    except _Failed as failed:
        _note(document, failed, at)
    except StorageUnavailable:
        wait = min(max(waited, WAITS[0]), LONGEST_WAIT)
        _ours(document).update(fetch_due_at=at + wait, fetch_attempts=F("fetch_attempts") - 1)
    finally:
        uploads.close()


def _claim(pk: int, attempt: int, at: datetime) -> Document | None:
    """Claim a document for LEASE; None if the attempt was claimed already."""
    free = Document.objects.filter(
        pk=pk, status=DocumentStatus.PENDING, fetch_attempts=attempt, fetch_due_at__isnull=False
    )
    if not free.update(fetch_attempts=attempt + 1, fetch_due_at=at + LEASE):
        return None
    return Document.objects.filter(pk=pk, fetch_attempts=attempt + 1).first()


def _require_use(document: Document, attempt: int) -> None:
    """Refuse to fetch a file if the application has ended or no try is left. Raises: _Failed."""
    current = Application.objects.filter(lead=document.lead_id, is_current=True)
    status = current.values_list("status", flat=True).first()
    if status and Status(status).group is StatusGroup.CLOSED:
        raise _Failed(ENDED, is_final=True)
    if attempt >= settings.DOCUMENT_URL_TRIES:  # a worker was killed during the last try
        raise _Failed(INTERRUPTED, is_final=True)


def _get(document: Document, upload: Upload) -> SentDocument:
    """Download the file at the document's URL. Raises: _Failed."""
    try:
        answer = http_client.send_request(
            "GET",
            document.source_url,
            connect_seconds=CONNECT_SECONDS,
            seconds=settings.DOCUMENT_URL_SECONDS,
            max_bytes=settings.DOCUMENT_MAX_BYTES,
            allow_loopback=settings.ALLOW_LOOPBACK,
            into=upload.write,
        )
    except AddressRefused as refused:
        raise _Failed(str(refused), is_final=True) from None
    except RequestFailed as failed:
        raise _Failed(failed.reason) from None
    _require_file(answer, upload)
    return intake.inspect(
        upload,
        content_type=_content_type(answer.headers),
        file_name=_file_name(answer.headers, document.source_url, upload),
    )


def _require_file(answer: Response, upload: Upload) -> None:
    """Require a complete, uncompressed, nonempty file as response. Raises: _Failed."""
    if answer.status != OK:
        is_redirect = 300 <= answer.status < 400
        raise _Failed(f"the server answered {answer.status}", is_final=is_redirect)
    if answer.is_cut:
        limit = f"{settings.DOCUMENT_MAX_BYTES:,} bytes"
        raise _Failed(f"the file is larger than {limit}", is_final=True)
    if answer.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise _Failed("the server sent it compressed, which nobody asked for")
    if not upload.size_bytes:
        raise _Failed("the file is empty")


def _receive(document: Document, incoming: SentDocument, at: datetime) -> None:
    """Store the file and record its events, as for an upload. Raises: _Failed."""
    with file_transaction() as store:
        application = lock_application(lead=document.lead_id)
        if application is None or not _ours(document).exists():
            return
        if Status(application.status).group is StatusGroup.CLOSED:
            raise _Failed(ENDED, is_final=True)
        document.lead = application.lead
        attached = intake.complete_fetched(document, incoming, store=store, at=at)
        fetched = Attachments([attached], [], rows=[document])
        record_receipt(application, fetched, by=PARTNER, at=at)


def _note(document: Document, failed: _Failed, at: datetime) -> None:
    """Schedule the next try after a failure; after the last try or a final failure give up.

    Giving up sets the status NOT_FETCHED and the upload time, and updates the lead's `updated_at`.
    """
    tried = document.fetch_attempts
    if not failed.is_final and tried < settings.DOCUMENT_URL_TRIES:
        wait = WAITS[min(tried, len(WAITS)) - 1]
        _ours(document).update(fetch_due_at=at + wait, status_reason=failed.reason)
        return
    with transaction.atomic():
        application = lock_application(lead=document.lead_id)
        given_up = _ours(document).update(
            status=DocumentStatus.NOT_FETCHED,
            status_reason=failed.reason,
            fetch_due_at=None,
            uploaded_at=at,  # documents sent after this time replace it
        )
        if application and given_up:
            application.lead.save(update_fields=["updated_at"])


def _ours(document: Document) -> QuerySet[Document]:
    """Return a queryset of the document; empty once it is fetched or another attempt has begun."""
    return Document.objects.filter(
        pk=document.pk, status=DocumentStatus.PENDING, fetch_attempts=document.fetch_attempts
    )


def _content_type(headers: Mapping[str, str]) -> str:
    try:
        return validators.content_type(headers.get("Content-Type", "").strip())
    except InvalidValue:
        return UNKNOWN


def _file_name(headers: Mapping[str, str], url: str, upload: Upload) -> str:
    """Return the file name from the server, else the end of the URL's path, else a default.

    An end with the extension of a program is not used: it names the script, not its output.
    """
    named = _clean(_disposition(headers.get("Content-Disposition", "")))
    if named:
        return named
    last = _clean(unquote(urlsplit(url).path.rpartition("/")[2]))
    if last and last.rpartition(".")[2].lower() not in ACTIVE_EXTENSIONS:
        return last
    detected = detect_type(upload.head)
    extensions = (f".{one}" for one, mime in EXTENSIONS.items() if mime == detected)
    return UNNAMED + next(extensions, "")


def _disposition(value: str) -> str:
    """Return the file name in a Content-Disposition header. Source: RFC 6266."""
    if len(value) > LONGEST_HEADER:
        return ""
    try:
        _, parameters = parse_header_parameters(value)
    except ValueError:
        return ""
    name = str(parameters.get("filename", ""))
    with suppress(UnicodeError):  # many servers write UTF-8 where Latin-1 was meant
        return name.encode("latin-1").decode()
    return name


def _clean(name: str) -> str:
    """Return the last part of a path as printable text, shortened if need be; may be empty."""
    part = name.replace("\\", "/").rpartition("/")[2]
    seen = " ".join(validators.visible(part).split())
    if len(seen) > validators.FILE_NAME_MAX:
        stem, dot, extension = seen.rpartition(".")
        end = f"{dot}{extension}" if stem and len(extension) <= LONGEST_EXTENSION else ""
        seen = (stem if end else seen)[: validators.FILE_NAME_MAX - len(end)] + end
    return "" if seen in {".", ".."} else seen
