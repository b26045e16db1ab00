"""CSV files with the columns that QuickBooks Online and Xero take, dates as in the US.

Source: QuickBooks Online takes Date, Description and Amount and no other column, Xero the columns
of its statement template. Money out is negative in both.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from banking.books.months import Month
from banking.money import usd
from foundation.files import stream_csv

DATE: Final = "%m/%d/%Y"
QUICKBOOKS: Final = ("Date", "Description", "Amount")
XERO: Final = ("Date", "Amount", "Payee", "Description", "Reference")


def write_quickbooks_csv(month: Month) -> Iterator[bytes]:
    """Yield the header and a row for each transaction, as bytes of CSV."""
    return stream_csv(
        QUICKBOOKS,
        (
            (f"{line.settled_date:{DATE}}", line.text, Decimal(usd(line.amount_cents)))
            for line in month.lines
        ),
    )


def write_xero_csv(month: Month) -> Iterator[bytes]:
    """Yield, as bytes of CSV, the header and a row for each transaction; its id is Reference."""
    return stream_csv(
        XERO,
        (
            (
                f"{line.settled_date:{DATE}}",
                Decimal(usd(line.amount_cents)),
                line.payee,
                "" if line.description == line.payee else line.description,
                line.external_id,
            )
            for line in month.lines
        ),
    )
