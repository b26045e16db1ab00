"""Lines of the record feed for the planned rows of the demo, which are never saved themselves."""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import chain
from operator import attrgetter
from typing import Any, Final, get_args

import orjson
from django.db.models import Model
from pydantic.alias_generators import to_camel

from banking.choices import FeedResult, FeedSource
from banking.feed import batches
from banking.feed.lines import RawLine, Terms
from banking.feed.plain import PlainKind
from banking.feed.registry import KINDS
from banking.models import Accountant, FeedBatch, Location, Merchant, Plan
from foundation.external_ids import ExternalIdModel

NAMES: Final[Mapping[type[Model], Callable[[Any], str]]] = {  # of rows without a UUID
    Accountant: attrgetter("user.email"),
    Location: attrgetter("key"),
    Merchant: attrgetter("name"),
    Plan: attrgetter("code"),
}


class LineRefused(Exception):
    """The feed refused a line of the demo, which is a fault of the demo."""


def encode(
    kind: str, data: Mapping[str, Any], *, external_id: str, uuid: str | None = None
) -> bytes:
    """Return a line of the feed, without its end."""
    line = {
        "kind": kind,
        "externalId": external_id,
        "version": 1,
        "data": {to_camel(name): value for name, value in data.items()},
    }
    return orjson.dumps(line | ({"id": uuid} if uuid else {}), default=float)


def store(lines: Iterable[bytes], *, at: datetime) -> int:
    """Send lines through the feed, as of a time, and return their number. Raises: LineRefused."""
    batch = FeedBatch.objects.create(source=FeedSource.COMMAND, sender="demo", started_at=at)
    raw = (RawLine(number, text, 0) for number, text in enumerate(lines, start=1))
    count = 0
    for outcome in batches.run(raw, batch=batch, terms=Terms(), clock=lambda: at):
        if outcome.result == FeedResult.REFUSED:
            raise LineRefused(str(outcome.as_json()))
        count += 1
    return count


class Lines:
    """The lines of the demo bank, kind by kind, in the order in which the kinds were first added.

    The external id of a record is the UUID of the planned row, its name or a number.
    """

    def __init__(self) -> None:
        self._lines: dict[str, list[bytes]] = defaultdict(list)

    def __iter__(self) -> Iterator[bytes]:
        """Yield each line, without its end."""
        return chain.from_iterable(self._lines.values())

    def add(self, kind: str, *rows: Model, **data: Any) -> None:
        """Add the lines of planned rows; `data` has the fields that are no columns of the rows."""
        for row in rows:
            uuid = str(row.external_id) if isinstance(row, ExternalIdModel) else None
            self.send(kind, _data_of(kind, row, data) | data, external_id=name_of(row), uuid=uuid)

    def send(
        self, kind: str, data: Mapping[str, Any], *, external_id: str = "", uuid: str | None = None
    ) -> None:
        """Add a line. Without an external id, the id is the kind and the number of the line."""
        external_id = external_id or f"{kind}-{len(self._lines[kind]) + 1}"
        self._lines[kind].append(encode(kind, data, external_id=external_id, uuid=uuid))


def name_of(row: Model) -> str:
    """Return the external id of a row that a line will make; empty if no record refers to it."""
    if isinstance(row, ExternalIdModel):
        return str(row.external_id)
    name = NAMES.get(type(row))
    return name(row) if name else ""


def _data_of(kind: str, row: Model, given: Container[str]) -> dict[str, Any]:
    """Return the data of a row for a line: fields of the kind that are columns, without `given`."""
    declared = KINDS[kind]
    schema = declared.schema
    others = declared.columns if isinstance(declared, PlainKind) else {}
    columns = {field.name for field in row._meta.concrete_fields}
    return {
        name: _value(getattr(row, others.get(name, name)), field.annotation)
        for name, field in schema.model_fields.items()
        if others.get(name, name) in columns and name not in given
    }


def _value(value: Any, annotation: Any) -> Any:
    """Return a column's value in the form in which a line of the feed has it.

    A row becomes its external id, and an empty text becomes None where the field allows None.
    """
    if isinstance(value, Model):
        return name_of(value)
    if value == "" and type(None) in get_args(annotation):
        return None
    return value
