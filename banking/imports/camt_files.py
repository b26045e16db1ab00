"""ISO 20022 camt.053, the bank-to-customer statement, in every version.

Source: ISO 20022 message definition reports, camt.053.001.02 to .13.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from lxml import etree

from banking.choices import TransactionType
from banking.imports import camt_codes, transactions, xml_files
from banking.imports.accounts import AccountNames
from banking.imports.transactions import DerivedIds, Fault, ImportedTransaction, InvalidField, Line

NAMESPACE: Final = re.compile(r"urn:iso:std:iso:20022:tech:xsd:(camt\.\d{3})\.\d{3}\.\d{2}")
SIGNS: Final = {"CRDT": 1, "DBIT": -1}
STATUSES: Final = {"BOOK": False, "PDNG": True}  # and whether it is pending
AT_MERCHANTS: Final = frozenset({TransactionType.PURCHASE, TransactionType.REFUND})
NUMBER: Final = re.compile(r"[0-9]{1,18}(?:\.[0-9]{0,5})?")
NO_REFERENCE: Final = frozenset({"", "NOTPROVIDED", "NONREF"})


def read(path: Path, account: AccountNames | None = None) -> Iterator[Line]:
    """Yield the transactions of a statement in its order. Raises: UnreadableFile, WrongAccount.

    An entry with several details becomes several transactions if their amounts add up to the
    entry's, else one. A transaction's id is the bank's reference, or is derived from the content.
    Without `account`, a file of any account is read.
    """
    namespace = xml_files.root_of(path).namespace or ""
    match = NAMESPACE.fullmatch(namespace)
    if match is None or match[1] != "camt.053":
        raise transactions.UnreadableFile(f"The file is {match[1] if match else 'not ISO 20022'}.")
    return _Statements(namespace, account).read(path)


@dataclass(frozen=True)
class Detail:
    """A transaction of an entry: its own element, if there is any, and its part of the amount.

    `suffix` makes the id of the entry different for each of its transactions.
    """

    element: Any
    amount_cents: int
    suffix: str = ""


@dataclass
class _Statements:
    """Turns the entries of a file into lines, and tracks the account of the current statement."""

    namespace: str
    wanted: AccountNames | None
    first_account: str = ""
    account: str = ""
    ids: DerivedIds = field(default_factory=DerivedIds)

    def read(self, path: Path) -> Iterator[Line]:
        tags = [f"{{{self.namespace}}}{name}" for name in ("Acct", "Ntry")]
        try:
            with path.open("rb") as file:
                for _, element in etree.iterparse(file, tag=tags, **xml_files.SAFELY):
                    if element.tag == tags[0]:
                        self._note_account(element)
                    else:
                        yield from self._lines(element)
                        xml_files.forget(element)
        except etree.XMLSyntaxError as exc:
            yield Fault(exc.lineno or 0, f"the file is broken here: {exc.msg}")

    def _note_account(self, element: Any) -> None:
        self.account = self._text(element, "Id/IBAN") or self._text(element, "Id/Othr/Id")
        if self.wanted and not self.first_account:
            self.wanted.check(self.account)
        self.first_account = self.first_account or self.account

    def _lines(self, entry: Any) -> Sequence[Line]:
        try:
            if self.account != self.first_account:
                number = self.account[-4:]
                raise InvalidField(f"is of another account of this file, ending {number}")
            return [self._transaction(entry, detail) for detail in self._details(entry)]
        except InvalidField as exc:
            return [Fault(entry.sourceline, str(exc))]

    def _transaction(self, entry: Any, detail: Detail) -> ImportedTransaction:
        timestamp, booked_date = self._when(entry, detail.element)
        is_pending = self._is_pending(entry)
        transaction_type = self._type(entry, detail)
        counterparty = self._counterparty(detail)
        at_merchant = transaction_type in AT_MERCHANTS
        original_cents, original_currency = self._original(entry, detail)
        description = self._description(entry, detail.element) or counterparty
        return ImportedTransaction(
            line=entry.sourceline,
            external_id=self._id(entry, detail, booked_date),
            occurred_at=timestamp,
            settled_date=None if is_pending else booked_date,
            amount_cents=detail.amount_cents,
            transaction_type=transaction_type,
            description=transactions.clean(description),
            merchant_name=transactions.clean(counterparty, transactions.MAX_NAME)
            if at_merchant
            else "",
            mcc=transactions.to_mcc(self._text(detail.element, "CardTx/Tx/TxCtgy")),
            is_pending=is_pending,
            original_amount_cents=original_cents,
            original_currency=original_currency,
        )

    def _details(self, entry: Any) -> list[Detail]:
        """Return the transactions of an entry; a single one if their amounts do not add up to it.

        Raises: InvalidField for an invalid amount of the entry.
        """
        total = self._amount(entry, entry)
        elements = entry.findall("NtryDtls/TxDtls", self._names)
        if len(elements) <= 1:
            return [Detail(elements[0] if elements else None, total)]
        try:
            amounts = [self._detail_amount(entry, element) for element in elements]
        except InvalidField:
            return [Detail(None, total)]
        if sum(amounts) != total:
            return [Detail(None, total)]
        references = {self._reference(element, "Refs/AcctSvcrRef") for element in elements} - {""}
        has_own_ids = len(references) == len(elements)
        return [
            Detail(element, amount, "" if has_own_ids else f"/{number}")
            for number, (element, amount) in enumerate(zip(elements, amounts, strict=True), start=1)
        ]

    def _detail_amount(self, entry: Any, element: Any) -> int:
        """Return the signed amount of a detail in cents.

        It is the detail's `Amt`, or in versions before 4 the transaction amount in `AmtDtls`.
        """
        booked = element if element.find("Amt", self._names) is not None else None
        if booked is None:
            booked = element.find("AmtDtls/TxAmt", self._names)
        if booked is None:
            raise InvalidField("has a detail without an amount")
        has_sign = element.find("CdtDbtInd", self._names) is not None
        return self._amount(booked, element if has_sign else entry)

    def _amount(self, holder: Any, signed: Any) -> int:
        amount = holder.find("Amt", self._names)
        number = "" if amount is None else (amount.text or "").strip()
        sign = SIGNS.get(self._text(signed, "CdtDbtInd"))
        if not NUMBER.fullmatch(number):
            raise InvalidField(f"has the amount {transactions.quoted(number)}")
        if amount.get("Ccy") != transactions.CURRENCY:
            currency = transactions.quoted(amount.get("Ccy", ""))
            raise InvalidField(f"is in {currency}, not in {transactions.CURRENCY}")
        if sign is None:
            raise InvalidField("says neither CRDT nor DBIT")
        return sign * transactions.to_cents(number)

    def _is_pending(self, entry: Any) -> bool:
        status = self._text(entry, "Sts/Cd") or self._text(entry, "Sts")  # as of .08, before
        if status not in STATUSES:
            raise InvalidField(
                f"has the status {transactions.quoted(status)}, neither BOOK nor PDNG"
            )
        return STATUSES[status]

    def _when(self, entry: Any, detail: Any) -> tuple[datetime, date]:
        """Return when the transaction happened, and the booking date or else the value date."""
        booked = self._timestamp(entry, "BookgDt") or self._timestamp(entry, "ValDt")
        if booked is None:
            raise InvalidField("has neither a date of booking nor of value")
        happened = self._text(detail, "RltdDts/TxDtTm") or self._text(detail, "RltdDts/AccptncDtTm")
        return (_instant(happened)[0] if happened else booked[0]), booked[1]

    def _timestamp(self, entry: Any, name: str) -> tuple[datetime, date] | None:
        if text := self._text(entry, f"{name}/DtTm"):
            return _instant(text)
        if text := self._text(entry, f"{name}/Dt"):
            day = _instant(text[:10])[1]  # some banks write a zone behind it
            return transactions.at_noon(day), day
        return None

    def _id(self, entry: Any, detail: Detail, booked_date: date) -> str:
        own = self._reference(detail.element, "Refs/AcctSvcrRef")
        if reference := own or self._reference(entry, "AcctSvcrRef"):
            return transactions.check_id(reference + detail.suffix)
        if reference := self._reference(detail.element, "Refs/TxId"):
            return transactions.check_id(reference)
        said = self._description(entry, detail.element), self._counterparty(detail)
        to_end = self._text(detail.element, "Refs/EndToEndId")
        return self.ids.derive(self.account, booked_date, detail.amount_cents, to_end, *said)

    def _reference(self, holder: Any, name: str) -> str:
        """Return a reference; empty if the bank wrote that there is none."""
        reference = self._text(holder, name)
        return "" if reference.upper() in NO_REFERENCE else reference

    def _type(self, entry: Any, detail: Detail) -> TransactionType:
        for holder in (detail.element, entry):
            family = self._text(holder, "BkTxCd/Domn/Fmly/Cd")
            if family:
                subfamily = self._text(holder, "BkTxCd/Domn/Fmly/SubFmlyCd")
                return camt_codes.types_of(family, subfamily).of(detail.amount_cents)
        return camt_codes.TRANSFER.of(detail.amount_cents)

    def _counterparty(self, detail: Detail) -> str:
        """Return the name of the counterparty: the creditor for money out, otherwise the debtor."""
        role = "Dbtr" if detail.amount_cents > 0 else "Cdtr"
        party = f"RltdPties/{role}"
        return self._text(detail.element, f"{party}/Pty/Nm") or self._text(
            detail.element, f"{party}/Nm"
        )

    def _description(self, entry: Any, detail: Any) -> str:
        remittance = [] if detail is None else detail.findall("RmtInf/Ustrd", self._names)
        return (
            " ".join(part.text.strip() for part in remittance if part.text)
            or self._text(detail, "AddtlTxInf")
            or self._text(entry, "AddtlNtryInf")
        )

    def _original(self, entry: Any, detail: Detail) -> tuple[int | None, str]:
        """Return the instructed amount and its currency, if that is not US dollars.

        Units: unsigned, the smallest unit of the currency. Otherwise return None and an empty text.
        """
        for holder in (detail.element, entry):
            amount = None if holder is None else holder.find("AmtDtls/InstdAmt/Amt", self._names)
            if amount is None or amount.get("Ccy") in {None, transactions.CURRENCY}:
                continue
            number, currency = (amount.text or "").strip(), amount.get("Ccy")
            if not NUMBER.fullmatch(number):
                raise InvalidField("has an original amount that is no number")
            return transactions.to_units(Decimal(number), currency), currency
        return None, ""

    def _text(self, element: Any, path: str) -> str:
        text = None if element is None else element.findtext(path, None, self._names)
        return (text or "").strip()

    @property
    def _names(self) -> dict[None, str]:
        return {None: self.namespace}


def _instant(text: str) -> tuple[datetime, date]:
    """Return a timestamp in UTC, and the date as written; a time without zone is read as UTC.

    Raises: InvalidField.
    """
    try:
        local = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidField(f"has the date {transactions.quoted(text)}") from None
    transactions.check_year(local.year)
    if local.tzinfo is None:
        local = local.replace(tzinfo=UTC)
    return local.astimezone(UTC), local.date()
