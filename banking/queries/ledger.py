"""Verify the ledger: recompute the stored balances and totals from the postings."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC
from functools import partial
from typing import Any

from django.db.models import (
    BigIntegerField,
    Case,
    Count,
    DateField,
    F,
    Q,
    QuerySet,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Greatest, Least, TruncDay, TruncMonth

from banking.choices import Granularity, TransactionStatus
from banking.models import (
    Account,
    Bill,
    Card,
    Entry,
    MerchantTotal,
    Statement,
    Transaction,
    TransactionTotal,
)
from banking.models.totals import FIGURES, KIND, MERCHANT_KIND
from foundation.database.snapshot_processes import MapRanges, map_in_turn

ABSENT = 0


@dataclass(frozen=True)
class Difference:
    """A stored figure that differs from the recomputed one; `subject` names its row."""

    subject: str
    figure: str
    kept: int
    computed: int

    def __str__(self) -> str:
        return f"{self.subject}: {self.figure} is {self.kept}, should be {self.computed}"


def find_differences(*, map_ranges: MapRanges = map_in_turn) -> Iterator[Difference]:
    """Yield each stored balance, hold, total, statement or business that differs from its source.

    Postings that do not balance and transactions or entries without counterpart are yielded, too.
    `map_ranges` may run the comparisons in other processes.
    Units: cents; numbers of rows for counts.
    """
    yield from map_ranges(_differences_of, range(len(COMPARISONS)))


def _differences_of(comparison: int) -> list[Difference]:
    """Return the differences that one of COMPARISONS finds."""
    return list(COMPARISONS[comparison]())


def _unbalanced_postings() -> Iterator[Difference]:
    sums = Entry.objects.values("posting").annotate(sum=Sum("amount_cents"), count=Count("id"))
    for row in sums.exclude(sum=0).order_by("posting"):
        yield Difference(f"posting {row['posting']}", "sum of entries", row["sum"], 0)
    for row in sums.filter(count__lt=2).order_by("posting"):
        yield Difference(f"posting {row['posting']}", "number of entries", row["count"], 2)


def _balances() -> Iterator[Difference]:
    computed = dict(
        Entry.objects.filter(account__business__isnull=False)
        .values_list("account")
        .annotate(sum=Sum("amount_cents"))
        .order_by()
    )
    yield from _of_accounts("current_cents", "current balance", computed)


def _holds() -> Iterator[Difference]:
    leaving = Transaction.objects.pending().filter(amount_cents__lt=0)
    computed = dict(leaving.values_list("account").annotate(sum=-Sum("amount_cents")).order_by())
    yield from _of_accounts("held_cents", "sum of holds", computed)


def _of_accounts(column: str, figure: str, computed: dict[int, int]) -> Iterator[Difference]:
    for account in Account.objects.of_customers().order_by("pk").iterator():
        kept, should = getattr(account, column), computed.get(account.pk, ABSENT)
        if kept != should:
            yield Difference(str(account), figure, kept, should)


def _transactions_without_entry() -> Iterator[Difference]:
    """Find posted transactions whose posting moves another amount on their account, or none."""
    matching = Q(
        posting__entries__account=F("account"), posting__entries__amount_cents=F("amount_cents")
    )
    found = Count("posting__entries", filter=matching)
    for row in Transaction.objects.posted().annotate(found=found).filter(found=0).order_by("pk"):
        yield Difference(str(row), "amount in the ledger", row.amount_cents, ABSENT)


def _entries_without_transaction() -> Iterator[Difference]:
    matching = Count("posting__transactions", filter=Q(posting__transactions__account=F("account")))
    entries = Entry.objects.filter(account__business__isnull=False).annotate(found=matching)
    for entry in entries.filter(found=0).order_by("pk"):
        yield Difference(f"posting {entry.posting_id}", "entry without transaction", 0, 1)


def _totals(granularity: Granularity) -> Iterator[Difference]:
    computed = {tuple(row[:-3]): row[-3:] for row in sum_by_kind(granularity).iterator()}
    kept = TransactionTotal.objects.filter(granularity=granularity).exclude(count=0)
    for row in kept.values_list(*TOTAL_KEY, *FIGURES).iterator():
        should = computed.pop(row[:-3], (ABSENT,) * 3)
        yield from _differing(granularity.label.lower(), row[:-3], row[-3:], should)
    for key, should in computed.items():
        yield from _differing(granularity.label.lower(), key, (ABSENT,) * 3, should)


def _merchant_totals() -> Iterator[Difference]:
    computed = {tuple(row[:-3]): row[-3:] for row in sum_by_merchant().iterator()}
    kept = MerchantTotal.objects.exclude(count=0)
    for row in kept.values_list("business", "starts_on", *MERCHANT_KIND, *FIGURES).iterator():
        should = computed.pop(row[:-3], (ABSENT,) * 3)
        yield from _differing("merchant", row[:-3], row[-3:], should)
    for key, should in computed.items():
        yield from _differing("merchant", key, (ABSENT,) * 3, should)


def sum_by_merchant() -> QuerySet[Transaction, tuple[Any, ...]]:
    """Compute the totals of months and merchants from the posted transactions, in months of UTC.

    Shape of a row: business, first day of the month, MERCHANT_KIND, count, cents in, cents out.
    """
    raw_name = Case(When(merchant=None, then="merchant_raw_name"), default=Value(""))
    return (
        Transaction.objects.posted()
        .order_by()
        .annotate(
            starts_on=TruncMonth("occurred_at", output_field=DateField(), tzinfo=UTC),
            merchant_key=Coalesce("merchant_id", 0),
            raw_name=raw_name,
        )
        .values_list("business", "starts_on", *MERCHANT_KIND)
        .annotate(**SUMMED)
    )


def _statements() -> Iterator[Difference]:
    """Compare each statement with the entries of its month, and with the statement before it."""
    months = {(row["account"], row["month"].date()): row for row in _entries_by_month().iterator()}
    balance, account = 0, None
    for statement in Statement.objects.order_by("account", "year", "month").iterator():
        balance = balance if statement.account_id == account else 0
        account = statement.account_id
        month = months.get((account, statement.first_day), NOTHING)
        should = {
            "opening_cents": balance,
            "in_cents": month["came"],
            "out_cents": -month["left"],
            "closing_cents": balance + month["came"] + month["left"],
            "transaction_count": month["how_many"],
        }
        balance = should["closing_cents"]
        for name, computed in should.items():
            kept = getattr(statement, name)
            if kept != computed:
                yield Difference(str(statement), name, kept, computed)


def _entries_by_month() -> QuerySet[Any, Any]:
    came, left = Greatest("amount_cents", 0), Least("amount_cents", 0)
    return (
        Entry.objects.filter(account__business__isnull=False)
        .order_by()
        .annotate(month=TruncMonth("posted_at", tzinfo=UTC))
        .values("account", "month")
        .annotate(how_many=Count("id"), came=Sum(came), left=Sum(left))
    )


def _missing_statements() -> Iterator[Difference]:
    """Find accounts whose number of statements differs from their number of closed months."""
    closed = Account.objects.filter(closed_through__isnull=False).annotate(made=Count("statements"))
    for account in closed.order_by("pk").iterator():
        opened, last = account.opened_at.astimezone(UTC), account.closed_through
        assert last  # noqa: S101 - filtered
        should = 12 * (last.year - opened.year) + last.month - opened.month + 1
        if account.made != should:
            yield Difference(str(account), "number of statements", account.made, should)


def _strangers() -> Iterator[Difference]:
    """Find rows that name another business than their account or supplier does."""
    for model, owner in OWNERS.items():
        rows = model._default_manager.exclude(business=F(f"{owner}__business"))  # noqa: SLF001 - Django's name for it
        for row in rows.order_by("pk"):
            should = getattr(row, owner).business_id
            yield Difference(str(row), "business", row.business_id, should)


COMPARISONS: list[Callable[[], Iterator[Difference]]] = [
    _unbalanced_postings,
    _balances,
    _holds,
    _transactions_without_entry,
    _entries_without_transaction,
    partial(_totals, Granularity.DAY),
    partial(_totals, Granularity.MONTH),
    _merchant_totals,
    _statements,
    _missing_statements,
    _strangers,
]
OWNERS: dict[type[Any], str] = {
    Transaction: "account",
    TransactionTotal: "account",
    Statement: "account",
    Card: "account",
    Bill: "supplier",
}
NOTHING = {"came": 0, "left": 0, "how_many": 0}
SUMMED = {
    "how_many": Count("id"),
    "came": Sum(
        Case(When(amount_cents__gt=0, then="amount_cents"), default=0),
        output_field=BigIntegerField(),
    ),
    "left": Sum(
        Case(When(amount_cents__lt=0, then=-F("amount_cents")), default=0),
        output_field=BigIntegerField(),
    ),
}
TOTAL_KEY = ["business", "starts_on", *KIND]


def sum_by_kind(granularity: Granularity) -> QuerySet[Transaction, tuple[Any, ...]]:
    """Compute the totals of each day or month (UTC), pending and posted transactions apart.

    Shape of a row: TOTAL_KEY, count, cents in, cents out.
    """
    period = TruncDay if granularity is Granularity.DAY else TruncMonth
    return (
        Transaction.objects.live()
        .order_by()
        .annotate(
            starts_on=period("occurred_at", output_field=DateField(), tzinfo=UTC),
            pends=Q(status=TransactionStatus.PENDING),
        )
        .values_list(*("pends" if name == "is_pending" else name for name in TOTAL_KEY))
        .annotate(**SUMMED)
    )


def _differing(
    kind: str,
    key: tuple[object, ...],
    kept: tuple[int, ...],
    should: tuple[int, ...],
) -> Iterator[Difference]:
    for figure, had, has in zip(["count", "cents in", "cents out"], kept, should, strict=True):
        if had != has:
            subject = f"{kind} total {' '.join(map(str, key))}"
            yield Difference(subject, figure, had, has)
