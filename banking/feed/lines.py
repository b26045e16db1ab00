"""Lines of the feed: read them from a file, and parse each into a record's data."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import IO, Annotated, Any, Self
from uuid import UUID

import orjson
from django.conf import settings
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails, to_json

from banking.choices import FeedResult
from banking.feed.digests import digest_of, former_digests_of
from banking.feed.faults import Fault, FaultCode, Refused, fault, of_validation, refused
from banking.feed.registry import KINDS, Kind
from banking.feed.schemas import Data, Id
from banking.models.feed import MAX_ID, MAX_KIND

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
SKIPPED_AT_ONCE = 64 * 1024
NO_VERSION = "A version is an integer that is not negative, or a timestamp with a time zone."


@dataclass(frozen=True, slots=True)
class RawLine:
    """A line as it was read; `number` counts from 1, `end` is its end in the file in bytes.

    `text` is None for a line of more than FEED_LINE_MAX_BYTES.
    """

    number: int
    text: bytes | None
    end: int


@dataclass(frozen=True, slots=True)
class Line:
    """A line whose data fits the schema of its kind; `data` is None for a removal.

    `id` is the UUID for a new row. `bind_to` is the UUID of an existing row that is to get the
    external id. `digest` is that of the data, `text` the whole line as it was sent.
    """

    number: int
    kind: Kind[Any]
    external_id: str
    version: int
    data: Data | None
    digest: str
    id: UUID | None = None
    bind_to: UUID | None = None
    text: bytes = b""
    former_digests: Sequence[str] = ()


@dataclass(slots=True)
class Outcome:
    """The result of a line. `id` is the UUID under which the tools show the record, if any.

    `is_new_id` says that no record had the external id before.
    """

    line: int
    result: FeedResult
    kind: str = ""
    external_id: str = ""
    id: UUID | None = None
    faults: tuple[Fault, ...] = ()
    is_new_id: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the object that is sent for the line."""
        answer: dict[str, Any] = {
            "line": self.line,
            "kind": self.kind or None,
            "externalId": self.external_id or None,
            "result": self.result.value,
        }
        if self.id:
            answer["id"] = str(self.id)
        if self.faults:
            answer["errors"] = [fault.as_json() for fault in self.faults]
        return answer


@dataclass(frozen=True)
class Terms:
    """The conditions of a batch of lines.

    `kind` is that of all lines; empty if each line names its own. `permits` returns whether the
    sender may write a kind. `wait` is how long a line may wait for a missing record; with None such
    a line is refused. With `is_atomic` all lines are stored or none.
    """

    kind: str = ""
    permits: Callable[[str], bool] = field(default=lambda kind: True)
    wait: timedelta | None = None
    is_atomic: bool = False


class Envelope(BaseModel):
    """The fields of a line around the record's data."""

    model_config = ConfigDict(
        alias_generator=to_camel, extra="forbid", strict=True, hide_input_in_errors=True
    )
    kind: str = ""
    external_id: Id
    version: Annotated[int, Field(ge=0, lt=2**63)] | AwareDatetime
    environment: str = ""
    id: UUID | None = None
    bind_to: UUID | None = None
    removed: bool = False
    data: dict[str, Any] | None = None

    @model_validator(mode="after")
    def _has_data_unless_removed(self) -> Self:
        if self.removed == (self.data is not None):
            raise ValueError("A line has either data or removed: true")
        if self.bind_to and (self.id or self.removed):
            raise ValueError("A line with bindTo has data, and no id")
        return self

    @property
    def version_number(self) -> int:
        """Return the version as a number: of a timestamp the microseconds since 1970."""
        if isinstance(self.version, datetime):
            return max(0, (self.version - EPOCH) // MICROSECOND)
        return self.version


def read_lines(stream: IO[bytes], *, number: int = 1, end: int = 0) -> Iterator[RawLine]:
    """Yield the lines of a stream, without blank lines, from its present position on.

    The present position is byte `end` of the file, where line `number` begins. A line of more than
    FEED_LINE_MAX_BYTES is yielded without its text and never held in memory whole.
    """
    most = settings.FEED_LINE_MAX_BYTES
    while text := stream.readline(most + 1):
        end += len(text)
        if len(text) > most and not text.endswith(b"\n"):
            end += _skip(stream)
            yield RawLine(number, None, end)
        elif stripped := text.strip():
            yield RawLine(number, stripped, end)
        number += 1


def _skip(stream: IO[bytes]) -> int:
    """Read to the end of a line; return the number of bytes."""
    skipped = 0
    while piece := stream.readline(SKIPPED_AT_ONCE):
        skipped += len(piece)
        if piece.endswith(b"\n"):
            break
    return skipped


def parse(raw: RawLine, terms: Terms) -> Line | Outcome:
    """Return the parsed line, or the outcome that refuses it, without a look at stored records."""
    outcome = Outcome(raw.number, FeedResult.REFUSED, kind=terms.kind)
    try:
        envelope = _envelope(raw, outcome)
        return _line(raw, envelope, _kind(envelope, terms))
    except Refused as exc:
        outcome.faults = exc.faults
        return outcome


def _envelope(raw: RawLine, outcome: Outcome) -> Envelope:
    """Return the envelope; set kind and external id of the line in the outcome. Raises: Refused."""
    if raw.text is None:
        raise refused(FaultCode.LINE_TOO_LONG, limit=settings.FEED_LINE_MAX_BYTES)
    try:
        envelope = Envelope.model_validate_json(raw.text)
    except ValidationError as exc:
        errors = exc.errors(include_url=False, include_context=False, include_input=False)
        if any(error["type"] in {"json_invalid", "model_type"} for error in errors):
            raise refused(FaultCode.NOT_JSON) from None
        _name(raw.text, outcome)
        raise Refused(*_faults(errors)) from None
    outcome.kind, outcome.external_id = envelope.kind or outcome.kind, envelope.external_id
    return envelope


def _faults(errors: list[ErrorDetails]) -> list[Fault]:
    """Return the faults of an envelope; a version that is of neither type is one fault."""
    others = [error for error in errors if error["loc"][:1] != ("version",)]
    faults = [of_validation(error) for error in others]
    if of_version := [error for error in errors if error not in others]:
        is_missing = of_version[0]["type"] == "missing"
        wrong = fault(FaultCode.VALUE_REFUSED, "version", reason=NO_VERSION)
        faults.append(of_validation(of_version[0]) if is_missing else wrong)
    return faults


def _name(text: bytes, outcome: Outcome) -> None:
    """Set kind and external id of an outcome from a line whose envelope is refused, if present."""
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:  # pydantic reads numbers that are too large
        return
    kind, external_id = found.get("kind"), found.get("externalId")
    if isinstance(kind, str):
        outcome.kind = kind[:MAX_KIND] or outcome.kind
    if isinstance(external_id, str):
        outcome.external_id = external_id[:MAX_ID]


def _kind(envelope: Envelope, terms: Terms) -> Kind[Any]:
    name = envelope.kind or terms.kind
    if terms.kind and name != terms.kind:
        raise refused(FaultCode.OTHER_KIND, "kind")
    kind = KINDS.get(name)
    if kind is None:
        raise refused(FaultCode.UNKNOWN_KIND, "kind")
    if not terms.permits(name):
        raise refused(FaultCode.NOT_PERMITTED, scope=f"{name}:write")
    if envelope.environment and envelope.environment != settings.ENVIRONMENT:
        raise refused(FaultCode.OTHER_ENVIRONMENT, "environment", here=settings.ENVIRONMENT)
    return kind


def _line(raw: RawLine, envelope: Envelope, kind: Kind[Any]) -> Line:
    data = None
    text = b""
    if envelope.data is not None:
        try:
            data = kind.schema.model_validate_json(to_json(envelope.data))  # integers of any size
        except ValidationError as exc:
            errors = exc.errors(include_url=False, include_context=False, include_input=False)
            raise Refused(*(of_validation(error, "data") for error in errors)) from None
        text = data.__pydantic_serializer__.to_json(data, exclude_defaults=True)
    return Line(
        number=raw.number,
        kind=kind,
        external_id=envelope.external_id,
        version=envelope.version_number,
        data=data,
        digest=digest_of(text, kind.model),
        id=envelope.id,
        bind_to=envelope.bind_to,
        text=raw.text or b"",
        former_digests=former_digests_of(text, kind.model),
    )
