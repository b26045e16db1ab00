"""Files in lines: the types of their fields, and the checks of their content.

A file is checked while its line is parsed, before the transaction: a PDF may take seconds.
"""

import base64
import binascii
from datetime import datetime
from io import BytesIO
from typing import Annotated, Any, Literal, Protocol

from django.conf import settings
from pydantic import AfterValidator, Field, StringConstraints, ValidationInfo

from banking.feed.lines import Line
from banking.models.stored_files import SentFile
from banking.services import sent_files
from foundation.files import Download
from foundation.inspection.file_contents import find_active_content
from foundation.inspection.file_types import HEAD_BYTES, detect_type, quarantine_reason


class HasFile(Protocol):
    """Data with the fields of a file."""

    @property
    def file_name(self) -> str: ...
    @property
    def content_type(self) -> str: ...
    @property
    def content(self) -> str: ...


def _inspected(text: str, info: ValidationInfo) -> str:
    """Return the Base64 text of a file as it was sent, after checks of the content.

    Raises: ValueError if the text is not Base64, or if the file is too large, has active content
    (for example scripts) or is not of the declared type.
    """
    try:
        content = base64.b64decode(text, validate=True)
    except binascii.Error:
        raise ValueError("This is not Base64") from None
    if len(content) > settings.DOCUMENT_MAX_BYTES:
        raise ValueError(f"The file has more than {settings.DOCUMENT_MAX_BYTES // 1024**2} MiB")
    declared, name = info.data.get("content_type"), info.data.get("file_name")
    if declared is None or name is None:
        return text  # which is refused already
    detected = detect_type(content[:HEAD_BYTES])
    reason = quarantine_reason(declared, name, detected)
    if reason := reason or find_active_content(BytesIO(content), detected):
        raise ValueError(reason)
    return text


FileName = Annotated[str, StringConstraints(pattern=r"^[^/\\]{1,255}$")]
ContentType = Literal["application/pdf", "image/png", "image/jpeg"]
Content = Annotated[  # comes after the name and the type
    str,
    AfterValidator(_inspected),
    Field(
        min_length=1,
        description="Base64; in answers `sha256`, `sizeBytes` and `scan` stand for it.",
    ),
]


def set_file(row: SentFile, data: HasFile, line: Line, *, at: datetime) -> None:
    """Store the file of a line, and set the columns of the unsaved row that keeps it."""
    download = Download(data.content_type, data.file_name, base64.b64decode(data.content))
    owner = f"{line.kind.name} {line.external_id} {line.version}"
    sent_files.set_file(row, download, owner=owner, at=at)


def represent(row: SentFile) -> dict[str, Any]:
    """Return the fields that stand for a file's content in answers: its SHA-256, size and scan."""
    return {"sha256": row.sha256, "sizeBytes": row.size_bytes, "scan": row.scan_state.value}
