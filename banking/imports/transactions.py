"""The transactions that readers yield, and the validation that all formats share."""

import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from hashlib import blake2b
from typing import NamedTuple

from banking.choices import TransactionType
from banking.money import InvalidAmount, cents, minor_units

CURRENCY = "USD"
MAX_CENTS = 10**13  # a hundred billion dollars; larger amounts are typing errors
MAX_ORIGINAL = 10**14  # of any currency; a column holds it in its smallest unit
MAX_ID = 100
MAX_TEXT = 255
MAX_NAME = 120
YEARS = range(1970, 2101)
SPACE = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")
SYMBOL = re.compile(r"[A-Z]{3}")
MCC = re.compile(r"[0-9]{4}")
NOON = time(12, tzinfo=UTC)


class UnreadableFile(ValueError):
    """The file has another format, is empty, or was refused as a whole."""


class InvalidField(ValueError):
    """A field of a line is invalid; the message names the fault."""


@dataclass(frozen=True, slots=True)
class ImportedTransaction:
    """A transaction as the file states it.

    Units: cents, positive into the account; `original_amount_cents` is unsigned, in the smallest
    unit of `original_currency`. `settled_date` is None while the transaction is pending. `line` is
    the number of the transaction's first line, from 1.
    """

    line: int
    external_id: str
    occurred_at: datetime
    settled_date: date | None
    amount_cents: int
    transaction_type: TransactionType
    description: str = ""
    merchant_name: str = ""
    mcc: str = ""
    category: str = ""
    is_pending: bool = False
    original_amount_cents: int | None = None
    original_currency: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """A line that was not imported, with the reason."""

    line: int
    reason: str


Line = ImportedTransaction | Fault


class Types(NamedTuple):
    """The transaction types of a bank's code for outgoing and incoming money."""

    out: TransactionType
    into: TransactionType

    def of(self, amount_cents: int) -> TransactionType:
        return self.into if amount_cents > 0 else self.out


def check_id(text: str) -> str:
    """Return the bank's id, or a digest of the id if it is longer than MAX_ID.

    Raises: InvalidField for an empty id or one with control characters.
    """
    external_id = text.strip()
    if not external_id:
        raise InvalidField("has no id")
    if not external_id.isprintable():
        raise InvalidField("has an id with control characters")
    if len(external_id) > MAX_ID:
        return f"digest-{blake2b(external_id.encode(), digest_size=16).hexdigest()}"
    return external_id


def to_cents(number: str) -> int:
    """Return an amount, written with a decimal point, in cents.

    Raises: InvalidField, also for fractions of a cent, zero, and an amount over the limit.
    """
    try:
        amount_cents = cents(number)
    except InvalidAmount:
        raise InvalidField(f"has the amount {quoted(number)}: not whole cents") from None
    return check_cents(amount_cents)


def check_cents(amount_cents: int) -> int:
    """Return the amount as it is, negative or positive, if it can be posted.

    Raises: InvalidField for zero, and for more than MAX_CENTS without regard to the sign.
    """
    if amount_cents == 0:
        raise InvalidField("has an amount of zero")
    if abs(amount_cents) > MAX_CENTS:
        raise InvalidField("has an amount beyond a hundred billion dollars")
    return amount_cents


def to_units(amount: Decimal, currency: str) -> int:
    """Return the unsigned amount in the smallest unit of another currency.

    Raises: InvalidField, also for fractions of the smallest unit.
    """
    if not SYMBOL.fullmatch(currency):
        raise InvalidField(f"has the original currency {quoted(currency)}")
    if abs(amount) > MAX_ORIGINAL:
        raise InvalidField("has an original amount beyond a hundred trillion")
    try:
        return minor_units(abs(amount), currency)
    except InvalidAmount:
        raise InvalidField(f"has an original amount finer than {currency} allows") from None


def check_year(year: int) -> None:
    """Raise InvalidField for a year outside YEARS."""
    if year not in YEARS:
        raise InvalidField(f"has a date in the year {year}")


def at_noon(day: date) -> datetime:
    """Return noon in UTC, for a date without a time: the same date in every time zone of the US."""
    return datetime.combine(day, NOON)


def to_mcc(text: str) -> str:
    """Return the text if it has the shape of a merchant category code, else an empty text."""
    return text if MCC.fullmatch(text) else ""


def clean(text: str, limit: int = MAX_TEXT) -> str:
    """Return the text on one line of at most `limit` characters.

    Runs of white space, control, zero-width and direction characters become one space.
    """
    return SPACE.sub(" ", text).strip()[:limit].rstrip()


def quoted(text: str) -> str:
    """Return the first 40 characters of a text in quotes, for a fault's reason."""
    return f"'{clean(text, 40)}'"


class DerivedIds:
    """Makes ids for lines without an id of the bank.

    The id is a digest of the line's content and of its position among equal lines, so that the
    same lines get the same ids from another file. Uses about 150 bytes of memory per line.
    """

    def __init__(self) -> None:
        self._seen: Counter[bytes] = Counter()

    def derive(self, *parts: object) -> str:
        text = "\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass")
        digest = blake2b(text, digest_size=16).digest()
        self._seen[digest] += 1
        return f"derived-{digest.hex()}-{self._seen[digest]}"
