"""Moves of rows from status to status; the statuses themselves know which there are."""

from typing import Any

from django.db.models import Model, Q


class InvalidMove(Exception):
    """A move that the state machine has not, or that somebody else made first."""


def move(row: Model, target: Any, *, only: Q | None = None, **values: Any) -> None:
    """Move a row to `target`, with the columns that change beside the status.

    One conditional UPDATE: of two at once the second finds the row moved. `target` is a member of
    statuses with `moves`. Raises: InvalidMove.
    """
    sources = [source.value for source in type(target) if target in source.moves]
    rows = type(row)._default_manager.filter(only or Q(), pk=row.pk, status__in=sources)  # noqa: SLF001 - Django's name for it
    if not rows.update(status=target, **values):
        raise InvalidMove(f"{row} cannot become {target}")
    row.refresh_from_db(fields=["status", *values])
