"""List exports: a staff event for each CSV file of a list."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from banking.choices import StaffEventType
from banking.models import User
from banking.services import staff_history


@transaction.atomic
def record_export(
    *, label: str, filters: Mapping[str, str], rows: int, by: User, at: datetime
) -> None:
    """Record that a user exported a list, with the filters and the number of rows."""
    summary = [f"{label.capitalize()}: {rows:,} row{'' if rows == 1 else 's'}."]
    summary += [f"{name}: {value}" for name, value in sorted(filters.items())]
    staff_history.record(
        StaffEventType.LIST_EXPORTED, by=by, at=at, list=label, rows=rows, summary=summary
    )
