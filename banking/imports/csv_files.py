"""CSV files, read as a mapping says."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from banking.choices import TransactionType
from banking.imports import transactions
from banking.imports.csv_amounts import AmountFormat
from banking.imports.csv_mapping import Mapping
from banking.imports.csv_rows import rows_of
from banking.imports.transactions import DerivedIds, Fault, ImportedTransaction, InvalidField, Line

WITH_TIME: Final = re.compile("%[HIXc]")
EXCEL_TEXT: Final = re.compile('="([^"]*)"')  # how Excel is made to keep leading zeros


def read(path: Path, mapping: Mapping) -> Iterator[Line]:
    """Yield the transactions of a CSV file in its order. Raises: UnreadableFile.

    If the mapping has no column of ids, a transaction's id is derived from date, amount,
    description and merchant.
    """
    rows = rows_of(
        path, encoding=mapping.encoding, delimiter=mapping.delimiter, skip=mapping.skip_lines
    )
    header = next(rows, None)
    if header is None:
        raise transactions.UnreadableFile("The file is empty.")
    if isinstance(header, Fault):
        raise transactions.UnreadableFile(f"Line {header.line}, the header, {header.reason}.")
    yield from _Table(mapping, header[1]).lines(rows)


class _Table:
    """The columns of a CSV file and a parser for its rows."""

    def __init__(self, mapping: Mapping, header: list[str]) -> None:
        self._mapping = mapping
        self._width = len(header)
        self._places = _places(mapping, [name.strip() for name in header])
        self._amounts = AmountFormat(decimal=mapping.decimal, thousands=mapping.thousands)
        self._timestamp = _timestamps(mapping)
        self._ids = DerivedIds()

    def lines(self, rows: Iterator[Fault | tuple[int, list[str]]]) -> Iterator[Line]:
        for row in rows:
            if isinstance(row, Fault):
                yield row
                continue
            try:
                yield self._transaction(row[0], self._cells(row[1]))
            except InvalidField as exc:
                yield Fault(row[0], str(exc))

    def _cells(self, row: list[str]) -> dict[str, str]:
        """Return the texts of the mapped columns. A formula that is only a text counts as the text.

        Raises: InvalidField for other formulas, and for missing or surplus cells.
        """
        if len(row) < self._width or any(row[self._width :]):
            raise InvalidField(f"has {len(row)} columns, not {self._width}")
        cells = {name: row[place].strip() for name, place in self._places.items()}
        for name, text in cells.items():
            if text.startswith("="):
                match = EXCEL_TEXT.fullmatch(text)
                if match is None:
                    raise InvalidField(f"has a formula for the {name}")
                cells[name] = match[1].strip()
        return cells

    def _transaction(self, line: int, cells: dict[str, str]) -> ImportedTransaction:
        amount_cents = transactions.check_cents(self._amount(cells))
        occurred_at, day = self._timestamp(cells["date"])
        is_pending = self._is_pending(cells.get("status", ""))
        settled = cells.get("settled_date")
        description = transactions.clean(cells.get("description", ""))
        merchant = transactions.clean(cells.get("merchant", ""), transactions.MAX_NAME)
        category = cells.get("category", "")
        original_cents, original_currency = self._original(cells)
        return ImportedTransaction(
            line=line,
            external_id=transactions.check_id(cells["id"])
            if "id" in cells
            else self._ids.derive(occurred_at, amount_cents, description, merchant),
            occurred_at=occurred_at,
            settled_date=None if is_pending else self._timestamp(settled)[1] if settled else day,
            amount_cents=amount_cents,
            transaction_type=self._type(cells.get("type", ""), amount_cents),
            description=description or merchant,
            merchant_name=merchant,
            mcc=transactions.to_mcc(cells.get("mcc", "")),
            category=self._mapping.categories.get(category, category),
            is_pending=is_pending,
            original_amount_cents=original_cents,
            original_currency=original_currency,
        )

    def _amount(self, cells: dict[str, str]) -> int:
        """Return the amount in cents, positive into the account."""
        if "amount" in cells:
            amount_cents = self._amounts.cents(cells["amount"])
            return amount_cents if self._mapping.positive_is == "in" else -amount_cents
        debit, credit = (self._amounts.cents(cells[name] or "0") for name in ("debit", "credit"))
        if debit and credit:
            raise InvalidField("has a debit and a credit")
        if credit < 0 or (debit < 0) != (self._mapping.debit_is_negative and debit != 0):
            raise InvalidField("has a debit or a credit of the wrong sign")
        return credit - abs(debit)

    def _type(self, text: str, amount_cents: int) -> TransactionType:
        default = self._mapping.default_in if amount_cents > 0 else self._mapping.default_out
        return TransactionType(self._mapping.types.get(text, default))

    def _is_pending(self, status: str) -> bool:
        if status in self._mapping.pending:
            return True
        if self._mapping.booked and status not in self._mapping.booked:
            raise InvalidField(
                f"has the status {transactions.quoted(status)}, neither pending nor booked"
            )
        return False

    def _original(self, cells: dict[str, str]) -> tuple[int | None, str]:
        text, currency = cells.get("original_amount", ""), cells.get("original_currency", "")
        if not text or currency in {"", transactions.CURRENCY}:
            return None, ""
        return transactions.to_units(self._amounts.number(text), currency), currency


def _places(mapping: Mapping, header: list[str]) -> dict[str, int]:
    """Return the positions of the mapped columns.

    Raises: UnreadableFile if a column is missing or appears twice.
    """
    for name in mapping.columns.named().values():
        if header.count(name) != 1:
            times = "no" if name not in header else "more than one"
            raise transactions.UnreadableFile(
                f"The file has {times} column {transactions.quoted(name)}."
            )
    return {ours: header.index(name) for ours, name in mapping.columns.named().items()}


def _timestamps(mapping: Mapping) -> Callable[[str], tuple[datetime, date]]:
    """Return a parser of dates, or of dates with times, in the format of the mapping."""
    zone = ZoneInfo(mapping.timezone)

    @lru_cache(maxsize=10_000)
    def timestamp(text: str) -> tuple[datetime, date]:
        for layout in mapping.date_formats:
            try:
                local = datetime.strptime(text, layout)  # noqa: DTZ007 - its zone follows
            except ValueError:
                continue
            transactions.check_year(local.year)
            if not WITH_TIME.search(layout):
                return transactions.at_noon(local.date()), local.date()
            return local.replace(tzinfo=local.tzinfo or zone).astimezone(UTC), local.date()
        raise InvalidField(f"has the date {transactions.quoted(text)}")

    return timestamp
