"""Routing changes: a staff event for each change of a team, a rule or an absence."""

from datetime import datetime

from django.db import transaction
from django.db.models import Model

from banking.choices import StaffEventType
from banking.models import User
from banking.services import staff_history


@transaction.atomic
def record_change(row: Model, verb: str, *, by: User, at: datetime) -> None:
    """Record a staff event with a row's values, once it is added or changed, or before a deletion.

    `verb` is "Added", "Changed" or "Deleted".
    """
    summary = [f"{verb} {row._meta.verbose_name} {row}.", *_values(row)]
    staff_history.record(StaffEventType.ROUTING_CHANGED, by=by, at=at, summary=summary)


def _values(row: Model) -> list[str]:
    fields = [field for field in row._meta.concrete_fields if not field.primary_key]
    values = [(field.verbose_name, getattr(row, field.name)) for field in fields]
    values += [
        (field.verbose_name, ", ".join(map(str, getattr(row, field.name).all())))
        for field in row._meta.many_to_many
    ]
    return [f"{name}: {value}" for name, value in values if value not in {None, ""}]
