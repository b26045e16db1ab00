"""The parts of a financial summary, by category, merchant, month or account.

The parts of a summary add up to its total. Of merchants the MOST_MERCHANTS with the largest
amounts are named; one part holds the others, one the transactions that name no merchant.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum

from banking.choices import ChartType, GroupBy
from banking.days import DAY, midnight
from banking.models import (
    Account,
    Business,
    Merchant,
    MerchantTotal,
    Transaction,
    TransactionTotal,
)
from banking.reach import EVERYTHING, Reach

MOST_MERCHANTS = 50
OTHER_MERCHANTS = "OTHER_MERCHANTS"
NO_MERCHANT = "NO_MERCHANT"

Rows = Iterable[tuple[Any, int, int]]  # what the part is known by, cents, how many


@dataclass(frozen=True)
class Group:
    """A part of a summary.

    `key` is a category's code, an account's external id, a month (2026-03) or, of a merchant, its
    name, OTHER_MERCHANTS or NO_MERCHANT. Units: cents.
    """

    key: str
    name: str
    amount_cents: int
    count: int


def list_groups(
    business: Business,
    chart_type: ChartType,
    counted: Q,
    first: date,
    last: date,
    by: GroupBy,
    reach: Reach = EVERYTHING,
) -> list[Group]:
    """Return the parts of a summary, the largest first, months the oldest first.

    `counted` is the condition on the totals that the summary counts. Totals of merchants exist only
    for whole months and all accounts: if the reach leaves out accounts or days, the transactions
    are summed up instead.
    """
    sign = -1 if chart_type == ChartType.EXPENSE else 1
    if by is GroupBy.MERCHANT and not reach.has_all_rows:
        sums = _sum_transactions(business, counted, first, last, sign)
    else:
        totals = _totals(business, first, last, by).filter(counted, count__gt=0)
        cents = sign * Sum(F("in_cents") - F("out_cents"))
        columns = totals.order_by().values_list(*COLUMNS[by])
        sums = columns.annotate(cents=cents, how_many=Sum("count"))
    rows = [(row[:-2], row[-2], row[-1]) for row in sums]
    groups = NAMED[by](rows)
    return sorted(groups, key=_by_key if by is GroupBy.MONTH else _largest_first)


def _totals(business: Business, first: date, last: date, by: GroupBy) -> QuerySet[Any]:
    if by is GroupBy.MERCHANT:
        return MerchantTotal.objects.filter(
            business=business, starts_on__gte=first, starts_on__lte=last
        )
    totals = TransactionTotal.objects.filter(business=business, is_pending=False)
    return totals.between(first, last)


def _sum_transactions(
    business: Business, counted: Q, first: date, last: date, sign: int
) -> QuerySet[Any]:
    rows = Transaction.objects.posted().filter(
        counted,
        business=business,
        occurred_at__gte=midnight(first),
        occurred_at__lt=midnight(last + DAY),
    )
    by_merchant = rows.order_by().values_list("merchant", "merchant_raw_name")
    return by_merchant.annotate(cents=sign * Sum("amount_cents"), how_many=Count("pk"))


def _categories(rows: Rows) -> list[Group]:
    return [Group(code, name, cents, count) for (code, name), cents, count in rows]


def _months(rows: Rows) -> list[Group]:
    sums: dict[date, tuple[int, int]] = {}
    for (day,), cents, count in rows:
        before = sums.get(day.replace(day=1), (0, 0))
        sums[day.replace(day=1)] = (before[0] + cents, before[1] + count)
    return [Group(f"{month:%Y-%m}", f"{month:%B %Y}", *of) for month, of in sums.items()]


def _accounts(rows: Rows) -> list[Group]:
    sums = {key: (cents, count) for (key,), cents, count in rows}
    found = Account.objects.in_bulk(sums)
    return [
        Group(
            str(account.external_id), f"{account.name} {account.masked_number}".strip(), *sums[key]
        )
        for key, account in found.items()
    ]


def _merchants(rows: Rows) -> list[Group]:
    """Return the largest merchants by name, then a part of all others and one without merchant.

    Merchants of the same name are one part.
    """
    rows = list(rows)
    known = Merchant.objects.in_bulk({key for (key, _), _, _ in rows if key})
    sums: dict[str, tuple[int, int]] = {}
    for (key, raw_name), cents, count in rows:
        name = known[key].name if key else raw_name
        before = sums.get(name, (0, 0))
        sums[name] = (before[0] + cents, before[1] + count)
    nameless = sums.pop("", None)
    named = sorted((Group(name, name, *of) for name, of in sums.items()), key=_largest_first)
    groups, others = named[:MOST_MERCHANTS], named[MOST_MERCHANTS:]
    if others:
        cents, count = sum(one.amount_cents for one in others), sum(one.count for one in others)
        groups.append(Group(OTHER_MERCHANTS, "", cents, count))
    if nameless:
        groups.append(Group(NO_MERCHANT, "", *nameless))
    return groups


def _largest_first(group: Group) -> tuple[int, str]:
    return -abs(group.amount_cents), group.key


def _by_key(group: Group) -> tuple[int, str]:
    return 0, group.key


COLUMNS = {
    GroupBy.CATEGORY: ["category", "category__display_name"],
    GroupBy.MONTH: ["starts_on"],
    GroupBy.ACCOUNT: ["account"],
    GroupBy.MERCHANT: ["merchant_key", "raw_name"],
}
NAMED: dict[GroupBy, Callable[[Rows], list[Group]]] = {
    GroupBy.CATEGORY: _categories,
    GroupBy.MONTH: _months,
    GroupBy.ACCOUNT: _accounts,
    GroupBy.MERCHANT: _merchants,
}
