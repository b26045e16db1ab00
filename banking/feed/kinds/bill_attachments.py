"""Files of bills."""

import base64
import binascii
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, Field, StringConstraints

from banking.feed.plain import PlainKind
from banking.feed.registry import Work, register
from banking.feed.schemas import Data, Id, Reference, Timestamp
from banking.models import BillAttachment
from banking.models.stored_files import store
from foundation.files import Download

BillId = Annotated[Id, Reference("bills")]
BEGINNINGS = {
    "application/pdf": b"%PDF-",
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff",
}
OTHER_TYPE = "The content is not of the type that contentType names."


def _base64(text: str) -> str:
    try:
        base64.b64decode(text, validate=True)
    except binascii.Error:
        raise ValueError("This is not Base64") from None
    return text


class AttachmentData(Data):
    """A file that came with a bill."""

    bill: BillId
    file_name: Annotated[str, StringConstraints(pattern=r"^[^/\\]{1,255}$")]
    content_type: Literal["application/pdf", "image/png", "image/jpeg"]
    content: Annotated[str, AfterValidator(_base64)] = Field(
        description="Base64; in answers `sha256` and `sizeBytes` stand for it.", min_length=1
    )
    uploaded_at: Timestamp


class AttachmentKind(PlainKind[AttachmentData]):
    """Files of bills: stored once under the hash of their content."""

    elsewhere: ClassVar[frozenset[str]] = frozenset({"content"})

    def complete(self, works: Sequence[Work[AttachmentData]], *, at: datetime) -> None:
        for work in works:
            data = work.data
            content = base64.b64decode(data.content)
            if not content.startswith(BEGINNINGS[data.content_type]):
                work.refuse(OTHER_TYPE, "content")
                continue
            columns = store(Download(data.content_type, data.file_name, content))
            for name, value in columns.items():
                setattr(work.row, name, value)

    def represent(self, row: BillAttachment) -> dict[str, Any]:
        return super().represent(row) | {"sha256": row.sha256, "sizeBytes": row.size_bytes}


register(
    AttachmentKind(
        "bill-attachments",
        AttachmentData,
        BillAttachment,
        shows=["svc_get_bill", "svc_download_bill_attachment"],
        fixed=["bill"],
    )
)
