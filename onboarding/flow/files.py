"""Uploaded files of a form: written to temporary storage, refused above the size limit."""

from dataclasses import dataclass, replace
from typing import Any, cast

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler
from django.http import HttpRequest
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _

from foundation.inspection.file_types import OFFICE_TYPES, PLAIN, UNKNOWN, detect_type
from foundation.inspection.picture_metadata import without_metadata
from onboarding import validators
from onboarding.errors import InvalidValue
from onboarding.lazy_texts import StrOrPromise
from onboarding.services.documents.intake import SentDocument, inspect
from onboarding.uploads import Upload, Uploads

END = "end"  # the form's last field: without it, the form broke off
MEGABYTE = 1024**2
HEIC = "image/heic"
PICTURES = {"image/jpeg", "image/png"}
EDITABLE = {PLAIN, *OFFICE_TYPES}  # texts and office files prove nothing


class NotReceived(Exception):
    """A form whose upload is refused as a whole; the message is for the applicant."""


@dataclass
class SentFile:
    """A file as the browser sent it; the content of a file above the limit is discarded."""

    upload: Upload
    name: str
    content_type: str
    uploads: Uploads
    is_too_large: bool = False

    @property
    def fault(self) -> StrOrPromise:
        """Return the error message for the file; empty if there is no error."""
        if self.is_too_large:
            limit = settings.DOCUMENT_MAX_BYTES // MEGABYTE
            text = _("“%(name)s” was not sent: it is larger than %(limit)s MB.")
            return text % {"name": self.name, "limit": limit}
        if not self.upload.size_bytes:
            return _("“%(name)s” was not sent: it is empty.") % {"name": self.name}
        if detect_type(self.upload.head) == HEIC:
            text = _(
                "“%(name)s” was not kept: it is a HEIC picture, which we cannot show. Take a photo "
                "on this page instead. Or choose Settings, Camera, Formats, Most Compatible on "
                "your iPhone, and take the photo again."
            )
            return text % {"name": self.name}
        if detect_type(self.upload.head) in EDITABLE:
            text = _(
                "“%(name)s” was not kept: we need a PDF or a picture, which shows the document as "
                "it was issued. Save it as a PDF, or take a photo of it."
            )
            return text % {"name": self.name}
        return ""

    def inspect(self, kind: str, side: str = "") -> SentDocument:
        """Return the file as a document of a kind. Call this outside of transactions.

        A picture loses its metadata, which say where it was taken.
        """
        document = inspect(
            self.upload,
            content_type=self.content_type,
            file_name=self.name,
            llc_file_type=kind,
            side=side,
        )
        is_kept = document.doubt or document.detected_type not in PICTURES
        return document if is_kept else replace(document, upload=self._without_metadata())

    def _without_metadata(self) -> Upload:
        with self.upload.as_file() as file:
            content = file.read()
        cleaned = without_metadata(content)
        if cleaned == content:
            return self.upload
        upload = self.uploads.new()
        upload.write(cleaned)
        return upload

    def close(self) -> None:
        """Discard the content; Django closes every file of a request."""
        self.upload.close()


class Spooling(FileUploadHandler):
    """Receives the files of one form; reads on after an oversized file to report all errors.

    `request.FILES` then has SentFile objects, not Django's UploadedFile.
    """

    chunk_size = 64 * 1024

    def __init__(self, request: HttpRequest, uploads: Uploads) -> None:
        super().__init__(request)
        self._uploads = uploads
        self._count = 0
        self._bytes = 0

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self._count += 1
        name = (self.file_name or "")[-validators.FILE_NAME_MAX :]  # Django has removed directories
        content_type = declared_type(self.content_type or "")
        self._current = SentFile(self._uploads.new(), name, content_type, self._uploads)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self._bytes += len(raw_data)
        if self._current.is_too_large or self.is_over:
            return
        try:
            self._current.upload.write(raw_data)
        except InvalidValue:
            self._current.is_too_large = True
            self._current.close()

    def file_complete(self, file_size: int) -> SentFile:  # type: ignore[override]  # no UploadedFile
        return self._current

    @property
    def is_over(self) -> bool:
        """Return whether the form exceeds the limits of one request."""
        return (
            self._count > settings.DOCUMENTS_MAX_PER_REQUEST
            or self._bytes > settings.DOCUMENTS_MAX_BYTES_PER_REQUEST
        )


def sent_files(request: HttpRequest) -> dict[str, list[SentFile]]:
    """Return the files of a form by their fields, inside of `spooling`.

    Raises: NotReceived if the form broke off or exceeds the limits of one request.
    """
    files = cast("MultiValueDict[str, SentFile]", request.FILES)
    [spooling] = cast("list[Spooling]", request.upload_handlers)
    if END not in request.POST and not spooling.is_over:  # an oversized form is not read to its end
        raise NotReceived(
            _("The upload was interrupted, and nothing was saved. Send the files again.")
        )
    if spooling.is_over:
        facts = {
            "files": settings.DOCUMENTS_MAX_PER_REQUEST,
            "limit": settings.DOCUMENTS_MAX_BYTES_PER_REQUEST // MEGABYTE,
        }
        text = _(
            "Your files were not sent. You can send up to %(files)s files and %(limit)s MB "
            "at a time."
        )
        raise NotReceived(text % facts)
    return dict(files.lists())


def declared_type(sent: str) -> str:
    """Return the MIME type that the browser declares; the unknown type if it is invalid."""
    try:
        return validators.content_type(sent)
    except InvalidValue:
        return UNKNOWN
