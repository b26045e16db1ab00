"""The figures that the questions expect, added up row by row from the ledger's own tables.

Nothing here reads totals or calls the queries that tools answer with: rows are read whole, and
summed up in Python.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, timedelta
from functools import cached_property
from typing import Any

from banking.models import (
    Account,
    Bill,
    Business,
    Entry,
    Invoice,
    Receipt,
    Statement,
    Transaction,
)

NEITHER = {
    "TRANSFERS_IN",
    "TRANSFERS_OUT",
    "OWNER_DRAW",
    "OWNER_INVESTMENT",
    "CASH_WITHDRAWAL",
    "LOAN_PROCEEDS",
    "LOAN_PRINCIPAL",
    "HOLD",
}
DAY = timedelta(days=1)
Row = dict[str, Any]


@dataclass(frozen=True)
class Span:
    """The days from `first` to `last`, both included."""

    first: date
    last: date

    def has(self, day: date) -> bool:
        """Say whether a day lies in the span."""
        return self.first <= day <= self.last

    def arguments(self) -> dict[str, str]:
        """Return the span as arguments of a search."""
        return {"startDate": f"{self.first}", "endDate": f"{self.last}"}


class Calendar:
    """The spans that questions ask about, by a day."""

    def __init__(self, today: date) -> None:
        self.today = today
        self.this_year = Span(date(today.year, 1, 1), date(today.year, 12, 31))
        self.last_year = Span(date(today.year - 1, 1, 1), date(today.year - 1, 12, 31))
        end = today.replace(day=1) - DAY
        self.last_month = Span(end.replace(day=1), end)
        quarter = date(today.year, (today.month - 1) // 3 * 3 + 1, 1) - DAY
        self.last_quarter = Span(date(quarter.year, quarter.month - 2, 1), quarter)


class Books:
    """The rows of one business."""

    def __init__(self, business: Business, today: date) -> None:
        self.business = business
        self.days = Calendar(today)

    @cached_property
    def rows(self) -> list[Row]:
        """Return the pending and posted transactions, the newest first."""
        found = Transaction.objects.filter(business=self.business).exclude(status="RELEASED")
        with_receipt = set(Receipt.objects.values_list("transaction", flat=True))
        return [
            {
                "id": str(row.external_id),
                "day": row.occurred_at.astimezone(UTC).date(),
                "cents": row.amount_cents,
                "category": row.category_id,
                "kind": "" if row.category_id in NEITHER else row.category.category_type,
                "type": row.transaction_type,
                "is_posted": row.status == "POSTED",
                "is_business": row.is_business,
                "account": row.account.account_type,
                "merchant": row.merchant.name if row.merchant else row.merchant_raw_name,
                "has_receipt": row.pk in with_receipt,
            }
            for row in found.select_related("account", "category", "merchant").order_by(
                "-occurred_at", "-id"
            )
        ]

    def select(self, span: Span | None = None, **wanted: Any) -> Iterator[Row]:
        """Yield the transactions of a span that have the wanted values."""
        for row in self.rows:
            if (span is None or span.has(row["day"])) and all(
                row[name] == value for name, value in wanted.items()
            ):
                yield row

    def paid_out(self, span: Span, **wanted: Any) -> int:
        """Return the cents that left the accounts in a span; refunds are not subtracted."""
        return -sum(min(0, row["cents"]) for row in self.select(span, **wanted))

    def income(self, span: Span, **wanted: Any) -> int:
        """Return the income of a span: refunds given taken off."""
        found = self.select(span, kind="INCOME", is_posted=True, **wanted)
        return sum(row["cents"] for row in found)

    def expense(self, span: Span, **wanted: Any) -> int:
        """Return the expense of a span: refunds received taken off."""
        found = self.select(span, kind="EXPENSE", is_posted=True, **wanted)
        return -sum(row["cents"] for row in found)

    def profit(self, span: Span) -> int:
        """Return income less expense of business transactions."""
        return self.income(span, is_business=True) - self.expense(span, is_business=True)

    def parts(self, span: Span, kind: str, by: Callable[[Row], str]) -> list[tuple[str, int]]:
        """Return the parts of income or expense, the largest first."""
        sums: dict[str, int] = defaultdict(int)
        for row in self.select(span, kind=kind, is_posted=True):
            sums[by(row)] += row["cents"] * (1 if kind == "INCOME" else -1)
        return sorted(sums.items(), key=lambda part: (-abs(part[1]), part[0]))

    def largest(
        self, span: Span, kind: str, by: Callable[[Row], str]
    ) -> tuple[str, int] | tuple[()]:
        """Return the largest part of income or expense; early in January there may be none."""
        return next(iter(self.parts(span, kind, by)), ())

    def deductibles(self, span: Span) -> int:
        """Return the business expense of a span with meals by half, half a cent rounded up."""
        spent = dict(self._business_parts(span))
        meals = spent.pop("MEALS", 0)
        return sum(spent.values()) + (meals + 1) // 2

    def balance(self, account_type: str) -> int:
        """Return the sum of the entries of the open accounts of a type."""
        accounts = Account.objects.filter(
            business=self.business, account_type=account_type, status="OPEN"
        )
        entries = Entry.objects.filter(account__in=accounts)
        return sum(entries.values_list("amount_cents", flat=True))

    def available(self) -> int:
        """Return the balance of the checking account less the holds that take money."""
        held = self.select(is_posted=False, account="MAIN_ACCOUNT")
        return self.balance("MAIN_ACCOUNT") + sum(min(0, row["cents"]) for row in held)

    def cash(self) -> int:
        """Return the balances of all accounts but credit accounts."""
        kinds = set(Account.objects.filter(business=self.business).values_list("account_type"))
        return sum(self.balance(kind) for (kind,) in kinds if kind not in {"LOC", "SECURED_CARD"})

    def bills(self, **wanted: Any) -> list[tuple[Bill, int, int]]:
        """Return the bills with what no payment covers and what has settled, by due date."""
        found = Bill.objects.filter(business=self.business, **wanted).order_by("due_date", "id")
        told = []
        for bill in found:
            paid, settled = 0, 0
            for payment in bill.payments.all():
                if payment.status in {"SCHEDULED", "PROCESSING", "SETTLED"}:
                    paid += payment.amount_cents
                settled += payment.amount_cents if payment.status == "SETTLED" else 0
            told.append((bill, max(0, bill.amount_cents - paid), settled))
        return told

    def invoices(self) -> list[Invoice]:
        """Return the invoices that are sent and not paid."""
        return list(Invoice.objects.filter(business=self.business, status="SENT"))

    def last_statement(self) -> tuple[int, int] | None:
        """Return year and month of the last statement of the checking account."""
        months = Statement.objects.filter(
            business=self.business, account__account_type="MAIN_ACCOUNT"
        ).values_list("year", "month")
        return max(months, default=None)

    def _business_parts(self, span: Span) -> list[tuple[str, int]]:
        sums: dict[str, int] = defaultdict(int)
        for row in self.select(span, kind="EXPENSE", is_posted=True, is_business=True):
            sums[row["category"]] -= row["cents"]
        return list(sums.items())
