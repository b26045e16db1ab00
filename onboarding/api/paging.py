"""Read the query of a list, and cut a page out of what it finds."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from django.db.models import QuerySet
from django.utils.dateparse import parse_datetime

from banking import pii
from onboarding.choices import ApplicationStatus
from onboarding.errors import ErrorCode, Fault, Invalid, InvalidValue
from onboarding.models import Application, Partner
from onboarding.validators import VISIBLE

DEFAULT_SIZE, LARGEST_SIZE = 25, 100
SIZES: Final = {
    "en": f"a number from 1 to {LARGEST_SIZE}",
    "es": f"un número de 1 a {LARGEST_SIZE}",
}
TIMESTAMP: Final = {"en": "an ISO 8601 timestamp", "es": "una fecha y hora ISO 8601"}
CURSOR: Final = {"en": "the nextCursor of an answer", "es": "el nextCursor de una respuesta"}


@dataclass
class ListQuery:
    """What a list is asked for: filters, the page's size, and the lead after which it starts."""

    partner: Partner
    filters: dict[str, Any] = field(default_factory=dict)
    size: int = DEFAULT_SIZE
    after: int | None = None


@dataclass(frozen=True)
class Page:
    """A page of current applications, and the cursor of the next one."""

    leads: list[Application]
    next_cursor: str | None


def read_list_query(sent: Mapping[str, str], *, partner: Partner) -> ListQuery:
    """Check the parameters of the partner's list; an empty one is a mistake, but for the cursor's.

    Raises: Invalid.
    """
    query, faults = ListQuery(partner), []
    for name, text in sent.items():
        if name in READERS:
            try:
                READERS[name](query, text.strip())
            except InvalidValue as exc:
                faults.append(Fault(exc.code, (name,), exc.params))
    if faults:
        raise Invalid(faults)
    return query


def take_page(found: QuerySet[Application], query: ListQuery) -> Page:
    """Return the page in one statement; it stays the same while leads are added."""
    if query.after is not None:
        found = found.filter(lead_id__lt=query.after)
    leads = list(found[: query.size + 1])
    has_more = len(leads) > query.size
    leads = leads[: query.size]
    return Page(leads, _seal(leads[-1].lead_id, partner=query.partner) if has_more else None)


def _read_status(query: ListQuery, text: str) -> None:
    if text not in ApplicationStatus.values:
        raise InvalidValue(ErrorCode.VALUE_NOT_ALLOWED, allowed=", ".join(ApplicationStatus.values))
    query.filters["status"] = text


def _read_text(name: str, query: ListQuery, text: str) -> None:
    if not text or not text.isprintable():
        raise InvalidValue(ErrorCode.INVALID_FORMAT, expected=VISIBLE)
    query.filters[name] = text


def _read_updated_since(query: ListQuery, text: str) -> None:
    try:
        moment = parse_datetime(text.replace(" ", "+"))  # a plus sign that was not escaped
        query.filters["updated_since"] = _in_utc(moment)
    except (ValueError, OverflowError):
        raise InvalidValue(ErrorCode.INVALID_FORMAT, expected=TIMESTAMP) from None


def _read_limit(query: ListQuery, text: str) -> None:
    if not re.fullmatch("[0-9]{1,3}", text) or not 1 <= int(text) <= LARGEST_SIZE:
        raise InvalidValue(ErrorCode.VALUE_OUT_OF_RANGE, range=SIZES)
    query.size = int(text)


def _read_cursor(query: ListQuery, text: str) -> None:
    if not text:
        return  # the first page, to who always sends a cursor
    try:
        query.after = int(pii.unseal(text, context=_context(query.partner)))
    except pii.Unsealable:
        raise InvalidValue(ErrorCode.INVALID_FORMAT, expected=CURSOR) from None


def _in_utc(moment: datetime | None) -> datetime:
    if moment is None or moment.tzinfo is None:
        raise ValueError
    return moment.astimezone(UTC)


def _seal(lead_id: int, *, partner: Partner) -> str:
    """Return the cursor: sealed, since ids tell how many leads there are; and so would a length."""
    return pii.seal(f"{lead_id:020}", context=_context(partner))


def _context(partner: Partner) -> str:
    return f"lead list cursor of {partner.pk}"


READERS: Final[dict[str, Callable[[ListQuery, str], None]]] = {
    "status": _read_status,
    "email": partial(_read_text, "email"),
    "uniqueId": partial(_read_text, "unique_id"),
    "updatedSince": _read_updated_since,
    "limit": _read_limit,
    "cursor": _read_cursor,
}
