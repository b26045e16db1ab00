"""Row changes: rows of a table of rules that two administrators add, change and delete."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.db import models

from banking.models import StaffChange, User
from banking.services import staff_changes
from banking.services.staff_changes import Kind

NOTHING: tuple[Any, ...] = (None, "", [])  # 0 and False are values


def register(
    model: type[models.Model],
    *,
    before_change: Callable[[Any, datetime], None] | None = None,
    context: Callable[[], Any] | None = None,
    after_change: Callable[[StaffChange], dict[str, Any]] | None = None,
) -> Kind:
    """Register the kind of change that adds, changes or deletes a row of a model, and return it.

    The columns of the model hold values that JSON can hold. `before_change` is called with the
    changed row, before it is saved, and the time; not for new and deleted rows. `after_change` is
    called with a StaffChange that was carried out, and returns details for its event. If the value
    that `context` returns, or the row, differs at the confirmation, the proposal is void.
    """

    def basis(change: StaffChange) -> Any:
        said = change.payload
        found = model._default_manager.filter(pk=said["pk"] or 0)  # noqa: SLF001 - Django's name for it
        now = [list(found.values()), _is_taken(model, said["values"] or {}, said["pk"])]
        return [*now, context()] if context else now

    def carry_out(change: StaffChange) -> dict[str, Any] | None:
        said = change.payload
        rows = model._default_manager.all()  # noqa: SLF001 - as above
        row = rows.get(pk=said["pk"]) if said["pk"] else model()
        if said["values"] is None:
            row.delete()
        else:
            for name, value in said["values"].items():
                setattr(row, name, value)
            if said["pk"] and before_change and change.settled_at:
                before_change(row, change.settled_at)
            row.save()
        return after_change(change) if after_change else None

    name = str(model._meta.verbose_name)
    return staff_changes.register(
        Kind(model._meta.label_lower.upper(), name.capitalize(), basis, carry_out)
    )


def propose(
    kind: Kind,
    row: models.Model | None,
    values: Mapping[str, Any] | None,
    *,
    by: User,
    at: datetime,
) -> StaffChange:
    """Propose a new row, other values of a row, or its deletion with None as `values`.

    With None as `row` the row is new. Raises: AccountTooNew.
    """
    had = {name: getattr(row, name) for name in values or {}} if row else {}
    if values is None:
        summary = [f"Delete {row}."]
    elif row is None:
        summary = [
            f"Add: {name.replace('_', ' ')} {_say(value)}"
            for name, value in values.items()
            if value not in NOTHING
        ]
    else:
        summary = [f"Change {row}."]
        summary += [
            f"{name.replace('_', ' ')} {_say(value)} instead of {_say(had[name])}"
            for name, value in values.items()
            if value != had[name]
        ]
    payload = {"pk": row.pk if row else None, "values": dict(values) if values else None}
    return staff_changes.propose(kind, payload=payload, summary=summary, by=by, at=at)


def _say(value: Any) -> str:
    if value in NOTHING:
        return "nothing"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _is_taken(model: type[models.Model], values: Mapping[str, Any], pk: int | None) -> list[bool]:
    """Return for each unique constraint without a condition whether another row has the values."""
    rows = model._default_manager.exclude(pk=pk or 0)  # noqa: SLF001 - Django's name for it
    return [
        rows.filter(**{name: values[name] for name in one.fields}).exists()
        for one in model._meta.total_unique_constraints
        if {*one.fields} <= values.keys()
    ]
