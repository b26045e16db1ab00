"""Faults of lines: why a line is refused, and at which field."""

from dataclasses import dataclass
from typing import Any

from django.db.models import TextChoices
from pydantic_core import ErrorDetails


class FaultCode(TextChoices):
    """The reason that a line is refused; the label is its message."""

    NOT_JSON = "NOT_JSON", "This line is not a JSON object in UTF-8."
    LINE_TOO_LONG = "LINE_TOO_LONG", "This line has more than {limit} bytes."
    UNKNOWN_KIND = "UNKNOWN_KIND", "There is no such kind of record; `GET …/kinds` lists them."
    OTHER_KIND = "OTHER_KIND", "This line is of another kind than its path."
    NOT_PERMITTED = "NOT_PERMITTED", "The key lacks the scope {scope}."
    SENDER_ENDED = (
        "SENDER_ENDED",
        "The key was revoked, has expired or lost the scope {scope} while the line waited.",
    )
    OTHER_ENVIRONMENT = (
        "OTHER_ENVIRONMENT",
        "This line is meant for another environment; this one is {here}.",
    )
    FIELD_MISSING = "FIELD_MISSING", "This field is required."
    UNKNOWN_FIELD = "UNKNOWN_FIELD", "This kind of record has no such field."
    VALUE_REFUSED = "VALUE_REFUSED", "{reason}"
    REFERENCE_MISSING = "REFERENCE_MISSING", "There is no record {id} of the kind {kind}."
    REFERENCE_EXPIRED = (
        "REFERENCE_EXPIRED",
        "The record {id} of the kind {kind} did not come within the waiting time.",
    )
    ID_KNOWN = "ID_KNOWN", "This record has the id {id} already; send it under that id."
    ID_TAKEN = "ID_TAKEN", "The id {id} is that of another record, or of one that was removed."
    VERSION_REUSED = (
        "VERSION_REUSED",
        "This version is stored with other data; a change has a higher version.",
    )
    NOT_REMOVABLE = "NOT_REMOVABLE", "{reason}"
    CONFLICT = "CONFLICT", "{reason}"
    TOO_MANY_LINES = (
        "TOO_MANY_LINES",
        "An atomic batch has at most {limit} lines and {mib} MiB of them.",
    )
    ROLLED_BACK = "ROLLED_BACK", "Another line of this atomic batch was refused."


@dataclass(frozen=True)
class Fault:
    """A fault of a line; `field` is a JSON pointer into the line, empty for the whole line."""

    code: FaultCode
    message: str
    field: str = ""

    def as_json(self) -> dict[str, str | None]:
        return {"codeName": self.code.value, "message": self.message, "field": self.field or None}


class Refused(Exception):
    """A line that is refused, with all of its faults."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__(*faults)
        self.faults = faults


def fault(code: FaultCode, *path: str | int, **params: Any) -> Fault:
    """Return a fault at the place that `path` names in the line; `params` complete its message."""
    return Fault(code, code.label.format(**params), pointer(*path))


def refused(code: FaultCode, *path: str | int, **params: Any) -> Refused:
    """Return the exception for a line with one fault."""
    return Refused(fault(code, *path, **params))


def pointer(*path: str | int) -> str:
    """Return the JSON pointer of a place. Source: RFC 6901."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)


def of_validation(error: ErrorDetails, *above: str) -> Fault:
    """Return the fault for an error that pydantic found below `above`; it repeats no sent value."""
    path = (*above, *error["loc"])
    if error["type"] == "missing":
        return fault(FaultCode.FIELD_MISSING, *path)
    if error["type"] == "extra_forbidden":
        return fault(FaultCode.UNKNOWN_FIELD, *path)
    reason = error["msg"].removeprefix("Value error, ").rstrip(".")
    return fault(FaultCode.VALUE_REFUSED, *path, reason=f"{reason}.")
