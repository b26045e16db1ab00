"""Forecasts of cash: the expected cash of a business by week, with the assumptions in words."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from django.db.models import Q, Sum

from banking.choices import BillFrequency, BillStatus
from banking.days import DAY, add_months, midnight, month_end
from banking.models import Bill, Business, Invoice, Transaction, TransactionTotal
from banking.money_words import TRANSFER
from banking.queries.accounts import list_accounts

HISTORY = timedelta(days=90)  # before the forecast
LATE = timedelta(days=30)  # until overdue invoices are paid
WEEK = timedelta(days=7)
MONTHS = {BillFrequency.MONTHLY: 1, BillFrequency.QUARTERLY: 3, BillFrequency.YEARLY: 12}
BILLS, INVOICES, OTHER = "bills", "invoices", "other"

Movement = tuple[date, int]  # cents, negative when money leaves


@dataclass(frozen=True)
class ForecastWeek:
    """The money that moves in a week, and the cash on its last day.

    Units: cents, negative for money that leaves.
    """

    end_date: date
    bills_cents: int
    invoices_cents: int
    other_cents: int
    cash_cents: int


@dataclass(frozen=True)
class CashForecast:
    """The cash of a business on `as_of`, and at the end of each coming week. Units: cents.

    The last week may be shorter. `assumptions` are sentences for the reader.
    """

    as_of: date
    cash_cents: int
    weeks: tuple[ForecastWeek, ...]
    assumptions: tuple[str, ...]

    @property
    def lowest(self) -> ForecastWeek:
        """Return the first week that ends with the least cash."""
        return min(self.weeks, key=lambda week: week.cash_cents)


def forecast_cash(
    business: Business,
    *,
    today: date,
    days: int = 90,
    parts: Collection[str] = (BILLS, INVOICES, OTHER),
) -> CashForecast:
    """Forecast the `days` days after `today`, week by week, in at most six statements.

    Cash is the balance of all open accounts but credit accounts, less holds. Money of a part that
    is not in `parts` is left out.
    """
    accounts = [row for row in list_accounts(business).open() if row.credit_limit_cents is None]
    cash = sum(row.current_cents - row.held_cents for row in accounts)
    until = today + timedelta(days=days)
    moved = {
        BILLS: list(_bills(business, today, until)) if BILLS in parts else [],
        INVOICES: list(_invoices(business, today)) if INVOICES in parts else [],
    }
    daily = _daily_cents(business, today) if OTHER in parts else 0
    return CashForecast(
        as_of=today,
        cash_cents=cash,
        weeks=tuple(_weeks(cash, moved, daily, today, until)),
        assumptions=tuple(_assumptions(parts, today)),
    )


def _weeks(
    cash: int, moved: dict[str, list[Movement]], daily: int, today: date, until: date
) -> Iterator[ForecastWeek]:
    last = today
    while last < until:
        first, last = last + DAY, min(last + WEEK, until)
        sums = {
            part: sum(cents for day, cents in rows if first <= max(day, today + DAY) <= last)
            for part, rows in moved.items()
        }
        other = daily * ((last - first).days + 1)
        cash += sums[BILLS] + sums[INVOICES] + other
        yield ForecastWeek(last, sums[BILLS], sums[INVOICES], other, cash)


def _bills(business: Business, today: date, until: date) -> Iterator[Movement]:
    """Yield day and amount of each future payment of a bill in US dollars. Units: cents, negative.

    The payments are the remainders of pending bills on their due dates, which may be past, and the
    next payments of recurring bills up to `until`.
    """
    bills = Bill.objects.filter(business=business, currency_code="USD")
    for bill in bills.filter(status=BillStatus.PENDING).with_remaining():
        yield bill.due_date, -max(0, vars(bill)["remaining_cents"])
    for bill in bills.filter(next_payment_date__gt=today, next_payment_date__lte=until).exclude(
        status=BillStatus.CANCELED
    ):
        yield from _recurring(bill, until)


def _recurring(bill: Bill, until: date) -> Iterator[Movement]:
    first, last = bill.next_payment_date, min(until, bill.recurrence_end_date or until)
    if first is None:
        return
    day = first
    while day <= last:
        yield day, -bill.amount_cents
        day = _following(day, BillFrequency(bill.frequency), on=first.day)


def _following(day: date, frequency: BillFrequency, *, on: int) -> date:
    """Return the payment date after `day`; of months, day `on`, or the last of a shorter month."""
    if frequency is BillFrequency.WEEKLY:
        return day + WEEK
    month = add_months(day, MONTHS[frequency])
    return month.replace(day=min(on, month_end(month).day))


def _invoices(business: Business, today: date) -> Iterator[Movement]:
    for invoice in Invoice.objects.unpaid().filter(business=business):
        is_late = invoice.due_date < today
        yield (
            (today + LATE if is_late else invoice.due_date),
            (invoice.total_cents - invoice.paid_cents),
        )


def _daily_cents(business: Business, today: date) -> int:
    """Return the mean of money in less money out of a day in the HISTORY before today, in cents.

    Transfers, credit accounts and payments of bills and invoices are left out.
    """
    first, last = today - HISTORY, today - DAY
    totals = TransactionTotal.objects.between(first, last).filter(
        business=business, is_pending=False, account__credit_limit_cents=None
    )
    sums = totals.exclude(category__in=TRANSFER.categories).aggregate(
        came=Sum("in_cents"), left=Sum("out_cents")
    )
    paid = Transaction.objects.posted().filter(
        Q(bill_payment__isnull=False) | Q(invoice__isnull=False),
        business=business,
        occurred_at__gte=midnight(first),
        occurred_at__lt=midnight(today),
    )
    counted = paid.aggregate(sum=Sum("amount_cents"))["sum"] or 0
    return round(((sums["came"] or 0) - (sums["left"] or 0) - counted) / HISTORY.days)


def _assumptions(parts: Collection[str], today: date) -> Iterator[str]:
    yield "Cash is the balance of all accounts but credit accounts, less holds."
    if BILLS in parts:
        yield (
            "Bills are paid on their due date, past due ones at once; recurring bills come again "
            "with the same amount. Bills in other currencies are left out."
        )
    if INVOICES in parts:
        yield (
            "Invoices are paid on their due date, overdue ones in "
            f"{LATE.days} days. New invoices are left out."
        )
    if OTHER in parts:
        yield (
            f"All else goes on as on the mean day of {today - HISTORY} to {today - DAY}, owner's "
            "draws and taxes included; transfers between own accounts are left out."
        )
    if len(set(parts)) < len({BILLS, INVOICES, OTHER}):
        yield "What the user did not grant is left out."
