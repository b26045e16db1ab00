"""The parts of a financial summary: by category, merchant, month or account, from totals alone.

The parts of a summary add up to its total. Of merchants the MOST_MERCHANTS with the largest
amounts are named; one part holds the others, one the transactions that name no merchant.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import F, Q, QuerySet, Sum

from banking.choices import ChartType, Granularity, GroupBy
from banking.models import Account, Business, Merchant, MerchantTotal, TransactionTotal

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
    business: Business, chart_type: ChartType, counted: Q, first: date, until: date, by: GroupBy
) -> list[Group]:
    """Return the parts of a summary, the largest first, months the oldest first."""
    table = MerchantTotal if by is GroupBy.MERCHANT else TransactionTotal
    totals: QuerySet[Any] = table._default_manager.filter(  # noqa: SLF001 - Django's name for it
        counted, business=business, starts_on__gte=first, starts_on__lt=until, count__gt=0
    )
    if by is not GroupBy.MERCHANT:
        totals = totals.filter(granularity=Granularity.MONTH, is_pending=False)
    sign = -1 if chart_type == ChartType.EXPENSE else 1
    cents = sign * Sum(F("in_cents") - F("out_cents"))
    sums = totals.order_by().values_list(*COLUMNS[by]).annotate(cents=cents, how_many=Sum("count"))
    rows = [(row[:-2], row[-2], row[-1]) for row in sums]
    groups = NAMED[by](rows)
    return sorted(groups, key=_by_key if by is GroupBy.MONTH else _largest_first)


def _categories(rows: Rows) -> list[Group]:
    return [Group(code, name, cents, count) for (code, name), cents, count in rows]


def _months(rows: Rows) -> list[Group]:
    return [
        Group(f"{month:%Y-%m}", f"{month:%B %Y}", cents, count) for (month,), cents, count in rows
    ]


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
    """Return the largest merchants under their names, merchants of the same name as one."""
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
