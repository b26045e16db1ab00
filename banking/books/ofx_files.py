"""OFX 2 (XML), and OFX 1 (SGML) with Intuit's number of the bank, which QuickBooks calls QBO.

Source: OFX 2.1.1 and 1.0.2: chapter 2 (header), 3.2 (types), 11.3 (accounts), 11.4 (statements).
"""

from collections.abc import Iterator
from datetime import UTC, date
from typing import Final
from xml.sax.saxutils import escape

from banking.books.months import Line, Month
from banking.choices import AccountType, TransactionType
from banking.money import usd

NAME_LENGTH: Final = 32
XML_HEADER: Final = (
    '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\r\n'
    '<?OFX OFXHEADER="200" VERSION="211" SECURITY="NONE" OLDFILEUID="NONE" NEWFILEUID="NONE"?>\r\n'
)
SGML_HEADER: Final = (
    "OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\nSECURITY:NONE\r\nENCODING:USASCII\r\n"
    "CHARSET:1252\r\nCOMPRESSION:NONE\r\nOLDFILEUID:NONE\r\nNEWFILEUID:NONE\r\n\r\n"
)
ACCOUNT_TYPES: Final = {
    AccountType.MAIN_ACCOUNT: "CHECKING",
    AccountType.LOC: "CREDITLINE",
}  # the others are savings
TRNTYPES: Final = {  # of money out, of money in
    TransactionType.PURCHASE: ("POS", "CREDIT"),
    TransactionType.FUND_TRANSFER: ("XFER", "XFER"),
    TransactionType.REFUND: ("DEBIT", "CREDIT"),
    TransactionType.CHECK_DEPOSIT: ("CHECK", "DEP"),
    TransactionType.FEE: ("FEE", "CREDIT"),
    TransactionType.ATM: ("ATM", "CREDIT"),
    TransactionType.CACHE_DEPOSIT: ("DEBIT", "DEP"),
}


def write_ofx(month: Month) -> Iterator[bytes]:
    """Yield an OFX 2 file in UTF-8, in parts: head, lines, closing and opening balance."""
    yield XML_HEADER.encode()
    for text in _Writer(closes=True).document(month):
        yield text.encode()


def write_qbo(month: Month, *, intuit_id: str) -> Iterator[bytes]:
    """Yield an OFX 1 file in Windows-1252, in parts; other characters become question marks.

    `intuit_id` is Intuit's number of the bank. The file has no opening balance.
    """
    yield SGML_HEADER.encode("ascii")
    for text in _Writer(closes=False, intuit_id=intuit_id).document(month):
        yield text.encode("cp1252", "replace")


class _Writer:
    """Writes the elements that both versions share.

    With `closes` (XML), every element has an end tag; without (SGML), only elements that contain
    elements have one.
    """

    def __init__(self, *, closes: bool, intuit_id: str = "") -> None:
        self._closes = closes
        self._intuit_id = intuit_id

    def document(self, month: Month) -> Iterator[str]:
        """Yield everything before the lines, each line, and everything after the lines."""
        yield f"<OFX>\r\n{self._signon(month)}<BANKMSGSRSV1>\r\n<STMTTRNRS>\r\n" + (
            f"{self._field('TRNUID', '0')}{self._status()}<STMTRS>\r\n"
            f"{self._field('CURDEF', 'USD')}{self._account(month)}<BANKTRANLIST>\r\n"
            f"{self._field('DTSTART', _noon(month.first_day))}"
            f"{self._field('DTEND', _noon(month.last_day))}"
        )
        for line in month.lines:
            yield self._transaction(line)
        yield (
            f"</BANKTRANLIST>\r\n{self._balances(month)}"
            "</STMTRS>\r\n</STMTTRNRS>\r\n</BANKMSGSRSV1>\r\n</OFX>\r\n"
        )

    def _signon(self, month: Month) -> str:
        institution = {"ORG": month.bank_name[:NAME_LENGTH]}
        if self._intuit_id:
            institution["FID"] = self._intuit_id
        answered_at = month.closed_at.astimezone(UTC)
        return self._group(
            "SIGNONMSGSRSV1",
            self._group(
                "SONRS",
                self._status()
                + self._field("DTSERVER", f"{answered_at:%Y%m%d%H%M%S}[0:GMT]")
                + self._field("LANGUAGE", "ENG")
                + self._group("FI", self._fields(institution))
                + (self._field("INTU.BID", self._intuit_id) if self._intuit_id else ""),
            ),
        )

    def _status(self) -> str:
        return self._group("STATUS", self._fields({"CODE": "0", "SEVERITY": "INFO"}))

    def _account(self, month: Month) -> str:
        fields = {
            "BANKID": month.routing_number,
            "ACCTID": f"XXXXXXXX{month.account_last4}",
            "ACCTTYPE": ACCOUNT_TYPES.get(month.account_type, "SAVINGS"),
        }
        return self._group("BANKACCTFROM", self._fields(fields))

    def _transaction(self, line: Line) -> str:
        fields = {
            "TRNTYPE": TRNTYPES[line.transaction_type][line.amount_cents > 0],
            "DTPOSTED": _noon(line.settled_date),
            "TRNAMT": usd(line.amount_cents),
            "FITID": line.external_id,
            "NAME": line.payee[:NAME_LENGTH].rstrip(),
            "MEMO": line.text[:255].rstrip(),
        }
        if fields["MEMO"] == fields["NAME"]:
            del fields["MEMO"]
        return self._group("STMTTRN", self._fields(fields))

    def _balances(self, month: Month) -> str:
        end = _noon(month.last_day)
        closing = {"BALAMT": usd(month.closing_cents), "DTASOF": end}
        opening = {
            "NAME": "Opening balance",
            "DESC": "Balance before the first day of the month",
            "BALTYPE": "DOLLAR",
            "VALUE": usd(month.opening_cents),
            "DTASOF": _noon(month.first_day),
        }
        ledger = self._group("LEDGERBAL", self._fields(closing))
        if self._intuit_id:  # version 1 has no list of balances
            return ledger
        return ledger + self._group("BALLIST", self._group("BAL", self._fields(opening)))

    def _fields(self, values: dict[str, str]) -> str:
        return "".join(self._field(name, value) for name, value in values.items())

    def _field(self, name: str, value: str) -> str:
        end = f"</{name}>" if self._closes else ""
        return f"<{name}>{escape(value)}{end}\r\n"

    def _group(self, name: str, content: str) -> str:
        return f"<{name}>\r\n{content}</{name}>\r\n"


def _noon(day: date) -> str:
    """Return noon UTC of a day: the same date in every time zone of the United States."""
    return f"{day:%Y%m%d}120000[0:GMT]"
