"""Cash flows: money into and out of a business's accounts by month."""

from dataclasses import dataclass
from datetime import date

from django.db.models import Sum

from banking.choices import Granularity
from banking.days import add_months
from banking.models import Business, TransactionTotal
from banking.money_words import NOT_MOVED
from banking.reach import EVERYTHING, Reach


@dataclass(frozen=True)
class MonthFlow:
    """The money in and out of a month, named by its first day. Units: cents, both positive."""

    month: date
    in_cents: int
    out_cents: int


@dataclass(frozen=True)
class Flow:
    """The money in and out of a period. Units: cents, in and out positive."""

    in_cents: int
    out_cents: int

    @property
    def net_cents(self) -> int:
        """Return the money that came in less the money that went out."""
        return self.in_cents - self.out_cents


def get_cash_flow(
    business: Business, *, first: date, last: date, reach: Reach = EVERYTHING
) -> Flow:
    """Return the cash flow of the days from `first` to `last`, as `list_cash_flows` counts it."""
    totals = TransactionTotal.objects.between(first, last).filter(
        reach.of_accounts(), business=business, is_pending=False
    )
    sums = totals.exclude(category__in=NOT_MOVED).aggregate(
        came=Sum("in_cents"), left=Sum("out_cents")
    )
    return Flow(sums["came"] or 0, sums["left"] or 0)


def list_cash_flows(business: Business, *, through: date, months: int = 12) -> list[MonthFlow]:
    """Return the cash flow of each of the `months` months that end with that of `through`.

    The oldest month is first; months without transactions have zeros. Counts posted transactions
    but transfers between the business's own accounts and holds that the bank's staff placed.
    """
    wanted = [add_months(through, -ago) for ago in reversed(range(months))]
    totals = TransactionTotal.objects.filter(
        business=business,
        granularity=Granularity.MONTH,
        starts_on__gte=wanted[0],
        starts_on__lte=wanted[-1],
        is_pending=False,
    ).exclude(category__in=NOT_MOVED)
    sums = totals.values_list("starts_on").annotate(Sum("in_cents"), Sum("out_cents")).order_by()
    moved = {month: (came, left) for month, came, left in sums}
    return [MonthFlow(month, *moved.get(month, (0, 0))) for month in wanted]
