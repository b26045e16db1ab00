"""Transitions of rows from status to status, as the `moves` of the statuses allow them."""

from typing import Any

from django.db.models import Model, Q


class InvalidTransition(Exception):
    """The state machine has no such transition, or another process has changed the status."""


def transition(row: Model, target: Any, *, only: Q | None = None, **values: Any) -> None:
    """Set the status of a row to `target`, and other columns with it, and reload them.

    One conditional UPDATE: the second of two concurrent transitions is refused. `target` is a
    member of an enum of statuses with `moves`; `only` is a further condition on the row. Raises:
    InvalidTransition.
    """
    sources = [source.value for source in type(target) if target in source.moves]
    rows = type(row)._default_manager.filter(only or Q(), pk=row.pk, status__in=sources)  # noqa: SLF001 - Django's name for it
    if not rows.update(status=target, **values):
        raise InvalidTransition(f"{row} cannot become {target}")
    row.refresh_from_db(fields=["status", *values])
