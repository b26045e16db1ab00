"""Changes of records that were made here, told to the bank's systems that read the changes."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Model

from banking.choices import FeedResult
from banking.models.feed import CHANGED_HERE, FeedChange, FeedRecord
from foundation.database.inserts import insert
from foundation.external_ids import name_of


def lock(kind: str, rows: Sequence[Model]) -> None:
    """Lock the FeedRecords of rows, in the caller's transaction, before the rows are locked."""
    records = FeedRecord.objects.select_for_update(of=("self",), no_key=True).order_by("pk")
    list(records.filter(kind=kind, row_id__in=[row.pk for row in rows]).values_list("pk"))


@transaction.atomic
def announce(kind: str, rows: Sequence[Model], result: FeedResult, *, at: datetime) -> None:
    """Add rows that change here to the changes that the bank's systems read from the record feed.

    A row has the sender's external id and version, or else its own name and version 0. A line that
    repeats that version is stale and changes nothing from now on. Call it before the rows are
    locked, as the record feed locks records before rows.
    """
    sent = FeedRecord.objects.filter(kind=kind, row_id__in=[row.pk for row in rows])
    sent.update(digest=CHANGED_HERE)
    names = {
        row_id: (name, version)
        for row_id, name, version in sent.values_list("row_id", "external_id", "version")
    }
    insert(
        *(
            FeedChange(kind=kind, external_id=name, version=version, result=result, changed_at=at)
            for name, version in (names.get(row.pk) or (name_of(row), 0) for row in rows)
        )
    )
