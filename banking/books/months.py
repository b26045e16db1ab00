"""The content of a closed month of an account, from which this package writes files."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from banking.choices import AccountType, TransactionType
from banking.imports.transactions import clean

UNFIT_FOR_XML: Final = re.compile("[\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Line:
    """A settled transaction. Units: cents, positive into the account.

    `external_id` identifies the transaction in each file that has it.
    """

    external_id: str
    settled_date: date
    amount_cents: int
    transaction_type: TransactionType
    payee: str
    description: str

    @classmethod
    def of(
        cls,
        *,
        external_id: object,
        settled_date: date,
        amount_cents: int,
        transaction_type: str,
        merchant_name: str,
        description: str,
    ) -> "Line":
        """Return a line, with line breaks removed from its texts.

        The payee is the merchant, or else the description, or else the label of the type.
        """
        kind = TransactionType(transaction_type)
        merchant, text = _one_line(merchant_name), _one_line(description)
        payee = merchant or text or str(kind.label)
        return cls(str(external_id), settled_date, amount_cents, kind, payee, text)

    @property
    def text(self) -> str:
        """Return payee and description, or the description alone if it begins with the payee."""
        if self.description.startswith(self.payee) or not self.description:
            return self.description or self.payee
        return f"{self.payee}: {self.description}"


@dataclass(frozen=True)
class Month:
    """A closed month of an account, without the account's full number.

    `lines` are read once. Units: cents; what is owed on a line of credit is negative.
    """

    bank_name: str
    routing_number: str
    account_type: AccountType
    account_last4: str
    first_day: date
    last_day: date
    opening_cents: int
    closing_cents: int
    closed_at: datetime
    lines: Iterable[Line]


def _one_line(text: str) -> str:
    return clean(UNFIT_FOR_XML.sub(" ", text))
