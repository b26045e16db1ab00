"""The mapping of a CSV file: the meaning of its columns, and its formats."""

import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, get_origin, get_type_hints
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from banking.choices import TransactionType
from banking.imports.transactions import quoted

SEPARATORS: Final = frozenset(".,'  _\u2019\u202f\xa0")
AMOUNT_COLUMNS: Final = ({"amount"}, {"debit", "credit"})


class InvalidMapping(ValueError):
    """The mapping file is incomplete or invalid; the message names the fault."""


@dataclass(frozen=True)
class Columns:
    """The names of the columns as the header spells them; empty means that there is none."""

    date: str = ""
    amount: str = ""
    debit: str = ""
    credit: str = ""
    id: str = ""
    settled_date: str = ""
    description: str = ""
    merchant: str = ""
    mcc: str = ""
    type: str = ""
    category: str = ""
    status: str = ""
    original_amount: str = ""
    original_currency: str = ""

    def __post_init__(self) -> None:
        named = self.named()
        if "date" not in named:
            raise InvalidMapping("columns.date is missing")
        if named.keys() & {"amount", "debit", "credit"} not in AMOUNT_COLUMNS:
            raise InvalidMapping("columns needs either amount, or debit and credit")

    def named(self) -> dict[str, str]:
        """Return the names of the columns that the file has, by the field of this class."""
        return {item.name: name for item in fields(self) if (name := getattr(self, item.name))}


@dataclass(frozen=True)
class Mapping:
    """The settings for a kind of CSV file. `docs/imports.md` explains each setting."""

    columns: Columns
    encoding: str = "utf-8"
    delimiter: str = ","
    skip_lines: int = 0
    date_formats: tuple[str, ...] = ("%Y-%m-%d",)
    timezone: str = "UTC"
    decimal: str = "."
    thousands: str = ""
    positive_is: str = "in"
    debit_is_negative: bool = False
    default_out: str = TransactionType.PURCHASE
    default_in: str = TransactionType.FUND_TRANSFER
    pending: tuple[str, ...] = ()
    booked: tuple[str, ...] = ()  # empty: every status that is not pending
    types: dict[str, str] = field(default_factory=dict)
    categories: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._check_names()
        self._check_signs()

    def _check_names(self) -> None:
        try:
            "a".encode(self.encoding)  # which, unlike a look-up, refuses what makes no text
        except LookupError:
            raise InvalidMapping(f"encoding {quoted(self.encoding)} is unknown") from None
        try:
            ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, OSError, ValueError):
            raise InvalidMapping(f"timezone {quoted(self.timezone)} is unknown") from None
        for name in (self.default_out, self.default_in, *self.types.values()):
            if name not in TransactionType.values:
                raise InvalidMapping(f"{quoted(name)} is no transaction type")

    def _check_signs(self) -> None:
        if len(self.delimiter) != 1 or self.delimiter in '"\r\n':
            raise InvalidMapping("delimiter must be one character")
        if self.positive_is not in {"in", "out"}:
            raise InvalidMapping('positive_is must be "in" or "out"')
        if self.decimal not in {".", ","}:
            raise InvalidMapping('decimal must be "." or ","')
        if self.thousands and self.thousands not in SEPARATORS - {self.decimal}:
            raise InvalidMapping("thousands must be another separator than decimal, or empty")
        if not self.date_formats or self.skip_lines < 0:
            raise InvalidMapping("date_formats and skip_lines must not be empty or negative")


def load_mapping(path: Path) -> Mapping:
    """Read a TOML file with the columns, formats and categories of a bank's CSV export.

    Raises: InvalidMapping if it is no TOML or a setting is bad; OSError if it cannot be read.
    """
    try:
        stated = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise InvalidMapping(f"it is not TOML: {exc}") from None
    columns = Columns(**_checked(Columns, stated.pop("columns", {}), "columns."))
    return Mapping(columns=columns, **_checked(Mapping, stated, ""))


def _checked(kind: type[Columns] | type[Mapping], stated: Any, place: str) -> dict[str, Any]:
    """Return the settings of a table. Raises: InvalidMapping for unknown or invalid settings."""
    if not isinstance(stated, dict):
        raise InvalidMapping(f"{place.rstrip('.')} must be a table")
    hints = get_type_hints(kind)
    if unknown := stated.keys() - hints.keys():
        raise InvalidMapping(f"{place}{min(unknown)} is unknown")
    return {name: _value(place + name, hints[name], value) for name, value in stated.items()}


def _value(name: str, hint: Any, value: Any) -> Any:
    shape = get_origin(hint) or hint
    if shape is tuple and isinstance(value, list):
        value = tuple(value)
    contents = {tuple: value, dict: value.values() if isinstance(value, dict) else ()}
    is_text = all(isinstance(part, str) for part in contents.get(shape, ()))
    if type(value) is not shape or not is_text:
        wanted = {
            int: "a number",
            bool: "true or false",
            tuple: "a list of texts",
            dict: "a table of texts",
        }
        raise InvalidMapping(f"{name} must be {wanted.get(shape, 'a text')}")
    return value
