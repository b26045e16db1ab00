"""Files of bills."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any, ClassVar

from banking.feed import sent_files as files
from banking.feed.plain import PlainKind
from banking.feed.registry import Work, register
from banking.feed.schemas import Data, Id, Reference, Timestamp
from banking.models import BillAttachment
from banking.services import sent_files

BillId = Annotated[Id, Reference("bills")]


class AttachmentData(Data):
    """A file that came with a bill."""

    bill: BillId
    file_name: files.FileName
    content_type: files.ContentType
    content: files.Content
    uploaded_at: Timestamp


class AttachmentKind(PlainKind[AttachmentData]):
    """Files of bills; a file that a line replaces or removes is deleted after the commit."""

    elsewhere: ClassVar[frozenset[str]] = frozenset({"content"})

    def complete(self, works: Sequence[Work[AttachmentData]], *, at: datetime) -> None:
        for work in works:
            if not work.faults:
                files.set_file(work.row, work.data, work.line, at=at)

    def save(self, works: Sequence[Work[AttachmentData]], *, at: datetime) -> None:
        former = {work.line.number: work.row.file.name for work in works if work.row}
        super().save(works, at=at)
        for work in works:
            if work.had_row and not work.faults:
                sent_files.delete_after_commit(BillAttachment, former[work.line.number])

    def remove(self, row: BillAttachment, *, at: datetime) -> None:
        super().remove(row, at=at)
        sent_files.delete_after_commit(BillAttachment, str(row.file.name))

    def represent(self, row: BillAttachment) -> dict[str, Any]:
        return super().represent(row) | files.represent(row)


register(
    AttachmentKind(
        "bill-attachments",
        AttachmentData,
        BillAttachment,
        shows=["svc_get_bill", "svc_download_bill_attachment"],
        fixed=["bill"],
    )
)
