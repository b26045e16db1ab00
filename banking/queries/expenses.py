"""Expenses of a business in a period, by category, month and merchant."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date
from typing import Any

from django.db.models import Count, F, Min, QuerySet, Sum
from django.db.models.functions import Coalesce

from banking.choices import Granularity, ReportPeriod
from banking.days import DAY, midnight
from banking.models import Business, Transaction, TransactionTotal
from banking.pdf.expenses import ExpenseLine, ExpenseTotal, MonthTotal
from banking.queries.profits import EXPENSE

TOP_MERCHANTS = 10


class InvalidPeriod(ValueError):
    """A period that ends before it begins, or lacks one of its ends."""


@dataclass(frozen=True)
class Period:
    """The days from `first` to `last`, both included."""

    first: date
    last: date


@dataclass(frozen=True)
class Expenses:
    """Totals of the expenses of a business in a period, by category, month and merchant.

    Categories and merchants are in order of amount, the largest first, months the oldest first.
    `merchants` are the TOP_MERCHANTS at most, without those that refunded all or more.
    """

    categories: tuple[ExpenseTotal, ...]
    months: tuple[MonthTotal, ...]
    merchants: tuple[ExpenseTotal, ...]


def get_period(
    business: Business,
    kind: ReportPeriod,
    *,
    today: date,
    start: date | None = None,
    end: date | None = None,
) -> Period:
    """Return the days that a report covers. `start` and `end` are for `CUSTOM`, and needed there.

    LAST_YEAR is the calendar year before `today`; ALL_TIME begins with the first transaction; other
    kinds begin with the calendar period of `today`, and all but LAST_YEAR end on it.
    Raises: InvalidPeriod.
    """
    if kind is ReportPeriod.CUSTOM:
        if start is None or end is None or end < start:
            raise InvalidPeriod("A custom period needs a start and an end that is not before it.")
        return Period(start, end)
    new_year = today.replace(month=1, day=1)
    if kind is ReportPeriod.LAST_YEAR:
        return Period(new_year.replace(year=today.year - 1), new_year - DAY)
    if kind is ReportPeriod.ALL_TIME:
        return Period(_first_day(business) or today, today)
    firsts = {
        ReportPeriod.BEGINNING_OF_YEAR: new_year,
        ReportPeriod.QUARTERLY: today.replace(month=(today.month - 1) // 3 * 3 + 1, day=1),
        ReportPeriod.MONTHLY: today.replace(day=1),
    }
    return Period(firsts[kind], today)


def get_expenses(business: Business, period: Period) -> Expenses:
    """Return the totals of the posted business expenses of a period, refunds taken off."""
    categories: dict[str, ExpenseTotal] = {}
    months: dict[date, int] = {}
    for row in _totals(business, period):
        name, spent = row["category__display_name"], row["left"] - row["came"]
        known = categories.get(name, ExpenseTotal(name, 0, 0))
        categories[name] = ExpenseTotal(
            name, known.count + row["how_many"], known.amount_cents + spent
        )
        month = row["starts_on"].replace(day=1)
        months[month] = months.get(month, 0) + spent
    return Expenses(
        categories=tuple(sorted(categories.values(), key=_largest_first)),
        months=tuple(MonthTotal(month, months[month]) for month in sorted(months)),
        merchants=tuple(_merchants(business, period)),
    )


def list_expenses(
    business: Business, period: Period, categories: Iterable[ExpenseTotal]
) -> Iterator[ExpenseLine]:
    """Yield each posted business expense and refund of the given categories.

    Expenses come in the order of the categories, within each the oldest first.
    """
    expenses = _expenses(business, period).select_related("merchant", "card")
    for category in categories:
        chosen = expenses.filter(category__display_name=category.name)
        for row in chosen.order_by(F("occurred_at"), F("id")).iterator(500):
            yield ExpenseLine(
                posted_date=row.occurred_at.astimezone(UTC).date(),
                merchant=row.merchant_name,
                description=row.description,
                category=category.name,
                card_last4=row.card.last4 if row.card else "",
                amount_cents=-row.amount_cents,
            )


def _largest_first(total: ExpenseTotal) -> tuple[int, str]:
    return -total.amount_cents, total.name


def _first_day(business: Business) -> date | None:
    found = TransactionTotal.objects.filter(business=business, count__gt=0)
    first: date | None = found.filter(granularity=Granularity.DAY).aggregate(
        first=Min("starts_on")
    )["first"]
    return first


def _totals(business: Business, period: Period) -> list[Any]:
    totals = TransactionTotal.objects.between(period.first, period.last).filter(
        EXPENSE, business=business, is_pending=False, is_business=True, count__gt=0
    )
    return list(
        totals.values("category__display_name", "starts_on").annotate(
            how_many=Sum("count"), came=Sum("in_cents"), left=Sum("out_cents")
        )
    )


def _expenses(business: Business, period: Period) -> QuerySet[Transaction]:
    return Transaction.objects.posted().filter(
        EXPENSE,
        business=business,
        is_business=True,
        occurred_at__gte=midnight(period.first),
        occurred_at__lt=midnight(period.last + DAY),
    )


def _merchants(business: Business, period: Period) -> Iterator[ExpenseTotal]:
    spent = (
        _expenses(business, period)
        .annotate(named=Coalesce("merchant__name", "merchant_raw_name"))
        .exclude(named="")
        .values("named")
        .annotate(how_many=Count("id"), spent=-Sum("amount_cents"))
        .filter(spent__gt=0)
        .order_by("-spent", "named")
    )
    for row in spent[:TOP_MERCHANTS]:
        yield ExpenseTotal(row["named"], row["how_many"], row["spent"])
