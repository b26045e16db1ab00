"""OFX 1 (SGML) and 2 (XML), and QFX: statements of bank accounts and credit cards.

Source: OFX 2.3, 3.2.8.2 (dates), 11.4.4 (STMTTRN); OFX 1.6, 2.2 (the header of SGML).
"""

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from lxml import etree

from banking.choices import TransactionType
from banking.imports import transactions, xml_files
from banking.imports.accounts import AccountNames
from banking.imports.transactions import Fault, ImportedTransaction, InvalidField, Line, Types
from banking.money import rounded

T = TransactionType
TRANSFERS: Final = ["CREDIT", "DIRECTDEBIT", "DIRECTDEP", "DIV", "OTHER", "PAYMENT", "REPEATPMT"]
TRNTYPES: Final = {
    **dict.fromkeys(["ATM", "CASH"], Types(T.ATM, T.CACHE_DEPOSIT)),
    **dict.fromkeys(["CHECK", "DEP"], Types(T.FUND_TRANSFER, T.CHECK_DEPOSIT)),
    **dict.fromkeys(["DEBIT", "POS"], Types(T.PURCHASE, T.REFUND)),
    **dict.fromkeys(["FEE", "SRVCHG"], Types(T.FEE, T.REFUND)),
    **dict.fromkeys([*TRANSFERS, "XFER"], Types(T.FUND_TRANSFER, T.FUND_TRANSFER)),
    "HOLD": Types(T.PURCHASE, T.FUND_TRANSFER),
    "INT": Types(T.FEE, T.FUND_TRANSFER),
}
AT_MERCHANTS: Final = frozenset({T.PURCHASE, T.REFUND, T.ATM})
ENTRIES: Final = frozenset({"stmttrn", "stmttrnp"})
ACCOUNTS: Final = frozenset({"bankacctfrom", "ccacctfrom"})
ONCE: Final = ("trnamt", "fitid", "dtposted")
CHARSETS: Final = frozenset({"1252", "8859-1", "ISO-8859-1", "UTF-8", "NONE", ""})
CHARSET: Final = re.compile(rb"^\s*CHARSET:[ \t]*(\S*)", re.MULTILINE)
BYTE_ORDER_MARKS: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
CHUNK: Final = 65_536
MAX_TEXT: Final = 1_000_000  # the parser falls silent at ten million
AMOUNT: Final = re.compile(r"[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)")
TIMESTAMP: Final = re.compile(
    r"([0-9]{8})(?:([0-9]{4})([0-9]{2})?(?:\.[0-9]+)?)?"
    r"(?:\s*\[([+-]?[0-9]{1,2})(?:\.([0-9]{1,2}))?(?::(?:[^\]0-9][^\]]*)?)?\])?"
)
MINUTES: Final = {  # of an offset's fraction, which some write in hours and some in minutes
    "": 0,
    "0": 0,
    "00": 0,
    "25": 15,
    "5": 30,
    "50": 30,
    "75": 45,
    "15": 15,
    "30": 30,
    "45": 45,
}


def read(path: Path, account: AccountNames | None = None) -> Iterator[Line]:
    """Yield the transactions of an OFX file in its order. Raises: UnreadableFile, WrongAccount.

    The FITID is the id. The posting date is the settled date; the user's date, if given, is when
    the transaction happened. Without `account`, a file of any account is read.
    """
    return _Statements(account).read(_events_of(path))


class _Statements:
    """Turns the elements of a file into lines, and tracks the statement they belong to."""

    def __init__(self, wanted: AccountNames | None) -> None:
        self._wanted = wanted
        self._account: Any = None
        self._first_account = ""
        self._currency: Any = None
        self._open_line = 0

    def read(self, events: Iterator[tuple[int, str, Any] | Fault]) -> Iterator[Line]:
        for event in events:
            if isinstance(event, Fault):
                yield event
                return
            line, name, element = event
            tag = _tag(element)
            if tag in ENTRIES and name == "start":
                if self._open_line:
                    yield Fault(self._open_line, "is not closed; the file is read no further")
                    return
                self._open_line = line
            elif tag in ENTRIES:
                yield self._line(element)
                self._open_line = 0
                xml_files.forget(element)
            elif name == "start":
                self._note(tag, element)

    def _note(self, tag: str, element: Any) -> None:
        """Store the account or currency element of the transactions that follow.

        Its text is complete when the first transaction is read.
        """
        if tag in ACCOUNTS:
            self._account = element
        elif tag == "curdef":
            self._currency = element

    def _line(self, element: Any) -> Line:
        try:
            self._check_account()
            if _tag(element) == "stmttrnp":
                raise InvalidField("is pending without an id that its posting will repeat")
            return _transaction(self._open_line, _fields(element), _text(self._currency))
        except InvalidField as exc:
            return Fault(self._open_line, str(exc))

    def _check_account(self) -> None:
        if self._account is None:
            return
        number = _fields(self._account).get("acctid", "")
        if self._wanted and not self._first_account:
            self._wanted.check(number, is_card=_tag(self._account) == "ccacctfrom")
        self._first_account = self._first_account or number
        if number != self._first_account:
            raise InvalidField(f"is of another account of this file, ending {number[-4:]}")


def _transaction(line: int, fields: dict[str, str], currency: str) -> ImportedTransaction:
    code = fields.get("trntype", "").upper()
    types = TRNTYPES.get(code)
    if types is None:
        raise InvalidField(f"has the transaction type {transactions.quoted(code)}")
    amount_cents = _amount(fields, currency)
    posted_at, posted_date = _timestamp(fields.get("dtposted", ""))
    is_pending = code == "HOLD"
    transaction_type = types.of(amount_cents)
    name = transactions.clean(fields.get("name", ""), transactions.MAX_NAME)
    original_cents, original_currency = _original(fields, amount_cents, currency)
    return ImportedTransaction(
        line=line,
        external_id=transactions.check_id(fields.get("fitid", "")),
        occurred_at=_timestamp(fields["dtuser"])[0] if fields.get("dtuser") else posted_at,
        settled_date=None if is_pending else posted_date,
        amount_cents=amount_cents,
        transaction_type=transaction_type,
        description=_description(name, fields.get("memo", "")),
        merchant_name=name if transaction_type in AT_MERCHANTS else "",
        mcc=transactions.to_mcc(fields.get("sic", "")),
        is_pending=is_pending,
        original_amount_cents=original_cents,
        original_currency=original_currency,
    )


def _description(name: str, memo: str) -> str:
    """Return name and memo as one text, without the name twice if the memo begins with it."""
    return transactions.clean(memo if memo.startswith(name) else f"{name} {memo}")


def _amount(fields: dict[str, str], currency: str) -> int:
    """Return an amount in cents. Raises: InvalidField, also for another currency."""
    is_unconverted = "currency" in fields
    for stated in [currency, fields.get("cursym", "")] if is_unconverted else [currency]:
        if stated != transactions.CURRENCY:
            raise InvalidField(
                f"is in {transactions.quoted(stated)}, not in {transactions.CURRENCY}"
            )
    text = fields.get("trnamt", "")
    if not AMOUNT.fullmatch(text):
        raise InvalidField(f"has the amount {transactions.quoted(text)}")
    number = text.replace(",", ".")
    if "," in text and len(number.partition(".")[2]) > 2:
        raise InvalidField(f"has the amount {transactions.quoted(text)}: a comma of thousands?")
    return transactions.to_cents(number)


def _original(fields: dict[str, str], amount_cents: int, currency: str) -> tuple[int | None, str]:
    """Return the unsigned amount before its conversion at the stated rate, and its currency.

    Without a conversion or with a bad rate, return None and an empty text.
    """
    symbol = fields.get("cursym", "")
    if (
        "origcurrency" not in fields
        or symbol == currency
        or not transactions.SYMBOL.fullmatch(symbol)
    ):
        return None, ""
    try:
        rate = Decimal(fields.get("currate", ""))
        original = rounded(Decimal(amount_cents) / 100 / rate, symbol)
        return transactions.to_units(original, symbol), symbol
    except (ArithmeticError, ValueError):
        return None, ""


def _timestamp(text: str) -> tuple[datetime, date]:
    """Return a timestamp in UTC and the date as the bank wrote it. Raises: InvalidField."""
    match = TIMESTAMP.fullmatch(text)
    if match is None:
        raise InvalidField(f"has the date {transactions.quoted(text)}")
    day, clock, seconds, hours, fraction = match.groups(default="")
    try:
        local = datetime.strptime(day + (clock or "0000") + (seconds or "00"), "%Y%m%d%H%M%S")  # noqa: DTZ007 - its zone follows
        zone = _zone(hours, fraction)
    except (KeyError, ValueError):
        raise InvalidField(f"has the date {transactions.quoted(text)}") from None
    transactions.check_year(local.year)
    if not clock:
        return transactions.at_noon(local.date()), local.date()
    return local.replace(tzinfo=zone).astimezone(UTC), local.date()


def _zone(hours: str, fraction: str) -> timezone:
    if not hours:
        return UTC
    minutes = -MINUTES[fraction] if hours.startswith("-") else MINUTES[fraction]
    return timezone(timedelta(hours=int(hours), minutes=minutes))


def _fields(element: Any) -> dict[str, str]:
    """Return the texts of all descendants of an element, by tag in lower case.

    Nesting is ignored, as parsers nest unclosed SGML arbitrarily. Raises: InvalidField for a tag
    of ONCE that appears twice.
    """
    children = list(element.iterdescendants())
    counts = Counter(map(_tag, children))
    for name in ONCE:
        if counts[name] > 1:
            raise InvalidField(f"has {name.upper()} {counts[name]} times")
    return {_tag(child): _text(child) for child in reversed(children)}


def _tag(element: Any) -> str:
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def _text(element: Any) -> str:
    return "" if element is None else (element.text or "").strip()


def _events_of(path: Path) -> Iterator[tuple[int, str, Any] | Fault]:
    with path.open("rb") as file:
        head = file.read(CHUNK).removeprefix(codecs.BOM_UTF8)
    if head.lstrip().startswith((b"<?xml", b"<?OFX")) or head.startswith(BYTE_ORDER_MARKS):
        return _xml_events(path)
    return _sgml_events(path, head)


def _xml_events(path: Path) -> Iterator[tuple[int, str, Any] | Fault]:
    if xml_files.root_of(path).localname.upper() != "OFX":
        raise transactions.UnreadableFile("The file is not OFX.")
    try:
        with path.open("rb") as file:
            for name, element in etree.iterparse(file, ("start", "end"), **xml_files.SAFELY):
                yield element.sourceline, name, element
    except etree.XMLSyntaxError as exc:
        yield Fault(exc.lineno or 0, f"the file is broken here: {exc.msg}")


def _sgml_events(path: Path, head: bytes) -> Iterator[tuple[int, str, Any] | Fault]:
    """Yield the elements of an SGML file from an HTML parser, which closes open elements.

    Shape: number of the line, `start` or `end`, element; a Fault ends a broken file.
    Raises: UnreadableFile.
    """
    if b"<OFX>" not in head.upper():
        raise transactions.UnreadableFile("The file is not OFX.")
    charset = CHARSET.search(head)
    if charset and charset[1].decode("ascii", "replace").upper() not in CHARSETS:
        raise transactions.UnreadableFile("The file's CHARSET is not supported.")
    parser = etree.HTMLPullParser(events=("start", "end"), remove_comments=True, remove_pis=True)
    line, unread, is_whole = 1, 0, False
    with path.open(encoding="utf-8-sig", errors=AS_CP1252, newline="\n") as file:
        while (text := file.readline(CHUNK)) and unread < MAX_TEXT:
            parser.feed(text.replace("\0", ""))
            unread += len(text)
            for name, element in parser.read_events():
                yield line, name, element
                unread = 0
                is_whole = is_whole or (name == "end" and _tag(element) == "ofx")
            line += text.endswith("\n")
    if unread >= MAX_TEXT:
        yield Fault(line, f"holds a text of more than {MAX_TEXT:,} characters")
    elif not is_whole:
        yield Fault(line, "the file ends before </OFX>")


def _as_cp1252(error: UnicodeError) -> tuple[str, int]:
    """Decode bytes that are not UTF-8 as Windows-1252, whichever CHARSET the header names.

    Bytes that Windows-1252 does not define become replacement characters. A CHARSET that is not
    in CHARSETS was refused before.
    """
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


AS_CP1252: Final = "banking-as-cp1252"
codecs.register_error(AS_CP1252, _as_cp1252)
