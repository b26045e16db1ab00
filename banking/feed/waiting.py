"""The inbox: lines that wait for records that they refer to."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, partial

from banking.choices import FeedSource
from banking.feed.faults import FaultCode, fault
from banking.feed.lines import Line
from banking.models.feed import FeedBatch, FeedChunk, FeedInboxLine

may_write: dict[str, Callable[..., bool]] = {}
"""Functions that return whether a sender may still write a kind, by source of the batch.

An app that knows the senders of a source adds its function.
"""


@dataclass(frozen=True)
class Missing:
    """A line, and the first record that it refers to and that is not there."""

    line: Line
    kind: str
    external_id: str


def keep(missing: Sequence[Missing], *, batch: FeedBatch, wait: timedelta, at: datetime) -> None:
    """Add lines to the inbox, where each waits for its missing record for `wait`.

    The same version of a record that is in the inbox already is replaced, and its wait begins anew.
    """
    for one in missing:
        FeedInboxLine.objects.update_or_create(
            kind=one.line.kind.name,
            external_id=one.line.external_id,
            version=one.line.version,
            defaults={
                "batch": batch,
                "line_number": one.line.number,
                "text": one.line.text.decode(),
                "missing_kind": one.kind,
                "missing_id": one.external_id,
                "received_at": at,
                "expires_at": at + wait,
                "fault": "",
            },
        )


def take_ready(created: Collection[tuple[str, str]], *, at: datetime) -> Iterator[FeedInboxLine]:
    """Yield the waiting lines for records that were created now, in the order of their versions.

    Each is locked; the caller deletes it when it is written. A line whose sender may not write its
    kind any more is refused.
    """
    kinds = {kind for kind, _ in created}
    waiting = FeedInboxLine.objects.waiting(at=at).filter(
        missing_kind__in=kinds, missing_id__in={external_id for _, external_id in created}
    )
    waiting = waiting.select_related("batch").select_for_update(of=("self",))
    permits = cache(partial(_permits, at=at))
    for line in waiting.order_by("version", "pk"):
        if (line.missing_kind, line.missing_id) not in created:
            continue
        if permits(line.batch.source, line.batch.sender, line.kind):
            yield line
        else:
            line.fault = fault(FaultCode.SENDER_ENDED, scope=f"{line.kind}:write").message
            line.save(update_fields=["fault"])


def _permits(source: str, sender: str, kind: str, *, at: datetime) -> bool:
    """Return whether a sender may still write a kind; True for lines that did not come by API."""
    if source != FeedSource.API:
        return True
    return source in may_write and may_write[source](sender, kind, at=at)


def delete_old(*, before: datetime) -> int:
    """Delete stored outcomes and refused inbox lines that are old; return the number of rows.

    Old are outcomes that were stored, and lines whose time to wait ended, before `before`. A row
    of outcomes holds those of a whole chunk of lines.
    """
    chunks, _ = FeedChunk.objects.filter(created_at__lt=before).delete()
    lines, _ = FeedInboxLine.objects.exclude(fault="").filter(expires_at__lt=before).delete()
    return chunks + lines


def expire(*, at: datetime) -> int:
    """Refuse the inbox lines whose time to wait has ended; return their number."""
    expired = 0
    for line in FeedInboxLine.objects.filter(fault="", expires_at__lte=at).order_by("pk"):
        message = fault(
            FaultCode.REFERENCE_EXPIRED, id=line.missing_id, kind=line.missing_kind
        ).message
        expired += FeedInboxLine.objects.filter(pk=line.pk, fault="").update(fault=message)
    return expired
