"""The kinds of records that the feed takes; modules of `banking.feed.kinds` register them."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from uuid import UUID

import orjson
from django.db.models import Model, QuerySet

from banking.feed.faults import Fault, FaultCode, fault
from banking.feed.schemas import Data
from banking.models.feed import FeedRecord

if TYPE_CHECKING:
    from banking.feed.lines import Line

D = TypeVar("D", bound=Data)


@dataclass(frozen=True, slots=True)
class Target:
    """The row that a reference leads to: its primary key and its UUID, if it has them.

    `row_id` is None for a row whose primary key is a UUID.
    """

    row_id: int | None
    row_uuid: UUID | None


@dataclass
class Work(Generic[D]):
    """A line that is to be written, with the stored record and its row, if there are any.

    `targets` has the rows that the data refers to, by kind and external id. The kind sets `row` to
    the row that it wrote, or adds `faults` and writes nothing. `had_row` says that the row was
    there before the line.
    """

    line: "Line"
    record: FeedRecord | None
    targets: Mapping[tuple[str, str], Target]
    row: Any = None
    had_row: bool = False
    is_renamed: bool = False  # the stored record gets the external id of the line
    faults: list[Fault] = field(default_factory=list)

    @property
    def data(self) -> D:
        """Return the data of the line; of a line that removes a record None, against the type.

        Where the line may be a removal, look at `line.data`.
        """
        data: D = self.line.data  # type: ignore[assignment]  # parsed by the schema of its kind
        return data

    def target(self, kind: str, external_id: str | None) -> int | None:
        """Return the primary key of the row that an external id leads to; None for no external id.

        The row is one of `targets`.
        """
        return None if external_id is None else self.targets[kind, external_id].row_id

    def refuse(self, reason: str, *path: str | int) -> None:
        """Add a fault: the data cannot be written. `path` names the field below `data`."""
        place = ("data", *path) if path else ()
        self.faults.append(fault(FaultCode.VALUE_REFUSED, *place, reason=reason))


class Kind(ABC, Generic[D]):
    """A kind of record: its name, the schema of its data, its table and its rules.

    `shows` names the tools and pages where the records show, for the reference.
    """

    name: str
    schema: type[D]
    model: type[Model]
    shows: tuple[str, ...]

    @abstractmethod
    def save(self, works: Sequence[Work[D]], *, at: datetime) -> None:
        """Write the rows of lines in the caller's transaction; all have different external ids.

        Sets `row` of each work, or its `faults`. Raises: Refused, and then the caller rolls back.
        """

    @abstractmethod
    def remove(self, row: Any, *, at: datetime) -> None:
        """Remove the record of a row, in the caller's transaction. Raises: Refused."""

    @abstractmethod
    def represent(self, row: Any) -> dict[str, Any]:
        """Return the data of a record by JSON name, as in a line; account numbers are masked."""

    def rows(self) -> "QuerySet[Any]":
        """Return the rows that may be records of the kind."""
        return QuerySet(self.model)

    def find_rows(self, keys: Iterable[Any]) -> dict[Any, Any]:
        """Return the rows with these primary keys, by primary key."""
        return self.rows().in_bulk(list(keys))

    def target_of(self, row: Any) -> Target:
        """Return the row's primary key and its UUID, which the FeedRecord of the row stores."""
        return Target(row.pk, getattr(row, "external_id", None))


def serialize(data: dict[str, Any]) -> bytes:
    """Return the represented data of a record as JSON."""
    return orjson.dumps(data, default=_as_json)


def _as_json(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else str(value)


KINDS: dict[str, Kind[Any]] = {}


def register(kind: Kind[Any]) -> None:
    """Add a kind. Raises: ValueError if another kind has its name."""
    if kind.name in KINDS:
        raise ValueError(f"Two kinds of records are named {kind.name}.")
    KINDS[kind.name] = kind
