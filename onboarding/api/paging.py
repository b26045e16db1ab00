"""Paging: list parameters, pages of rows and encrypted cursors."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from django.db.models import Choices, QuerySet

from foundation.privacy import encryption
from onboarding import validators
from onboarding.choices import ApplicationStatus, ShownDeliveryStatus
from onboarding.errors import ErrorCode, Fault, Invalid, InvalidValue
from onboarding.validators import VISIBLE

DEFAULT_SIZE, LARGEST_SIZE = 25, 100
SIZES: Final = {
    "en": f"a number from 1 to {LARGEST_SIZE}",
    "es": f"un número de 1 a {LARGEST_SIZE}",
}
CURSOR: Final = {"en": "the nextCursor of an answer", "es": "el nextCursor de una respuesta"}


@dataclass
class ListQuery:
    """Parameters of a list: filters, page size, and the key of the last row of the page before.

    `owner` names the list and its partner: a cursor is refused by every other list.
    """

    owner: str
    filters: dict[str, Any] = field(default_factory=dict)
    size: int = DEFAULT_SIZE
    after: int | None = None


@dataclass(frozen=True)
class Page:
    """A page of rows, and the cursor of the next page, or None on the last page."""

    items: list[Any]
    next_cursor: str | None


Readers = Mapping[str, Callable[[ListQuery, str], None]]


def read_list_query(sent: Mapping[str, str], *, readers: Readers, owner: str) -> ListQuery:
    """Parse the parameters of a list. Only `cursor` and `after` may be empty.

    Every name in `sent` needs a reader; the view has refused other parameters.

    Raises: Invalid.
    """
    query, faults = ListQuery(owner), []
    for name, text in sent.items():
        try:
            readers[name](query, text.strip())
        except InvalidValue as exc:
            faults.append(Fault(exc.code, (name,), exc.params))
    if faults:
        raise Invalid(faults)
    return query


def take_page(found: QuerySet[Any], query: ListQuery, *, key: str = "pk") -> Page:
    """Return the page of `found` after the query's cursor. New rows do not shift later pages.

    The caller has ordered `found` by `key`, a unique column, in descending order.
    """
    if query.after is not None:
        found = found.filter(**{f"{key}__lt": query.after})
    rows = list(found[: query.size + 1])
    has_more = len(rows) > query.size
    rows = rows[: query.size]
    return Page(
        rows, _encrypt_cursor(getattr(rows[-1], key), owner=query.owner) if has_more else None
    )


def _read_choice(choices: type[Choices], query: ListQuery, text: str) -> None:
    if text not in choices.values:
        raise InvalidValue(ErrorCode.VALUE_NOT_ALLOWED, allowed=", ".join(choices.values))
    query.filters["status"] = text


def _read_text(name: str, query: ListQuery, text: str) -> None:
    if not text or not text.isprintable():
        raise InvalidValue(ErrorCode.INVALID_FORMAT, expected=VISIBLE)
    query.filters[name] = text


def _read_updated_since(query: ListQuery, text: str) -> None:
    unescaped = text.replace(" ", "+")  # an unescaped plus sign arrives as a space
    query.filters["updated_since"] = validators.timestamp(unescaped)


def _read_limit(query: ListQuery, text: str) -> None:
    if not re.fullmatch("[0-9]{1,3}", text) or not 1 <= int(text) <= LARGEST_SIZE:
        raise InvalidValue(ErrorCode.VALUE_OUT_OF_RANGE, range=SIZES)
    query.size = int(text)


def _read_cursor(query: ListQuery, text: str) -> None:
    if not text:
        return  # the first page, for clients that always send a cursor
    try:
        query.after = int(encryption.decrypt(text, context=_context(query.owner)))
    except encryption.DecryptionError:
        raise InvalidValue(ErrorCode.INVALID_FORMAT, expected=CURSOR) from None


def _read_after(query: ListQuery, text: str) -> None:
    if text:
        _read_text("after", query, text)


def _encrypt_cursor(key: int, *, owner: str) -> str:
    """Return an encrypted cursor of fixed length: ids, and their lengths, reveal row counts."""
    return encryption.encrypt(f"{key:020}", context=_context(owner))


def _context(owner: str) -> str:
    return f"list cursor of {owner}"


LEADS: Final[Readers] = {
    "status": partial(_read_choice, ApplicationStatus),
    "email": partial(_read_text, "email"),
    "uniqueId": partial(_read_text, "unique_id"),
    "updatedSince": _read_updated_since,
    "limit": _read_limit,
    "cursor": _read_cursor,
}
DELIVERIES: Final[Readers] = {
    "status": partial(_read_choice, ShownDeliveryStatus),
    "limit": _read_limit,
    "cursor": _read_cursor,
}
EVENTS: Final[Readers] = {"after": _read_after, "limit": _read_limit}
