"""Reconciliation: compare balances by account and day with a file of the bank's core system."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import groupby
from pathlib import Path

from django.db.models import Count, Exists, OuterRef, Sum
from django.db.models.functions import TruncDate
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from banking.days import DAY, midnight
from banking.feed import references
from banking.feed.lines import RawLine, read_lines
from banking.feed.schemas import Date, Id
from banking.models import Account, Entry, Reconciliation
from foundation.database.snapshots import snapshot

KEPT = 1000  # differences of a run
NAMED_AT_ONCE = 500


class BalanceLine(BaseModel):
    """A line of the file: the balance of an account at the end of a day (UTC), in cents.

    `count` is the number of movements booked on the day; without `count` numbers are not compared.
    """

    model_config = ConfigDict(
        alias_generator=to_camel, extra="forbid", strict=True, hide_input_in_errors=True
    )
    account: Id
    date: Date
    balance_cents: int
    count: int | None = Field(default=None, ge=0)


@dataclass(frozen=True)
class Difference:
    """A difference between the ledger and the file, or a line that cannot be compared."""

    text: str
    account: str = ""
    day: date | None = None

    def __str__(self) -> str:
        day = f"{self.day}" if self.day else ""
        return " ".join(filter(None, [self.account, day, self.text]))


Parsed = BalanceLine | Difference


def reconcile(
    file: Path, *, clock: Callable[[], datetime], tell: Callable[[Difference], None]
) -> Reconciliation:
    """Compare the ledger with a file, pass each difference to `tell`, and return the saved run.

    The saved run has the counts and the first KEPT differences. Raises: OSError if the file
    cannot be read.
    """
    started_at, counts = clock(), Counter[str]()
    kept: list[str] = []
    with file.open("rb") as stream, snapshot():
        for difference in find_differences(_counted(read_lines(stream), counts)):
            counts["differences"] += 1
            tell(difference)
            if len(kept) < KEPT:
                kept.append(str(difference))
    return Reconciliation.objects.create(
        file_name=file.name[:255],
        line_count=counts["lines"],
        difference_count=counts["differences"],
        differences=kept,
        started_at=started_at,
        finished_at=clock(),
    )


def find_differences(lines: Iterable[RawLine]) -> Iterator[Difference]:
    """Yield the differences between the ledger and a file, whose lines are grouped by account.

    An account of a customer that has movements until the file's last day, but no line in the file,
    is a difference, too.
    """
    seen: dict[str, int | None] = {}
    last = date.min
    for name, group in groupby(map(_parse, lines), key=lambda one: one.account):
        parsed = list(group)
        yield from (one for one in parsed if isinstance(one, Difference))
        days = [one for one in parsed if isinstance(one, BalanceLine)]
        if days and name in seen:
            yield Difference("has lines in two places of the file", name)
        elif days:
            seen[name] = _find_account(name)
            last = max(last, *(line.date for line in days))
            yield from _compare(name, seen[name], days)
    if seen:
        yield from _find_absent({key for key in seen.values() if key}, last)


def _counted(lines: Iterable[RawLine], counts: Counter[str]) -> Iterator[RawLine]:
    for line in lines:
        counts["lines"] += 1
        yield line


def _parse(raw: RawLine) -> Parsed:
    try:
        return BalanceLine.model_validate_json(raw.text or b"")
    except ValidationError as exc:
        fields = sorted({".".join(map(str, error["loc"])) for error in exc.errors()})
        return Difference(f"line {raw.number} cannot be read: {', '.join(fields) or 'no JSON'}")


def _find_account(name: str) -> int | None:
    target = references.resolve([("accounts", name)]).get(("accounts", name))
    return target.row_id if target else None


def _compare(name: str, key: int | None, days: Sequence[BalanceLine]) -> Iterator[Difference]:
    """Yield the differences of one account between its first and its last day in the file."""
    if key is None:
        yield Difference("is no account here", name)
        return
    sent = {line.date: line for line in days}
    if len(sent) < len(days):
        yield Difference("has two lines for one day", name)
    booked = _sums(key, until=max(sent))
    balance = sum(cents for day, (cents, _) in booked.items() if day < min(sent))
    for day in sorted(sent.keys() | {day for day in booked if day >= min(sent)}):
        cents, count = booked.get(day, (0, 0))
        balance += cents
        if line := sent.get(day):
            yield from _compare_day(line, balance, count)
        else:
            yield Difference(f"has {count} movements here and no line in the file", name, day)


def _compare_day(line: BalanceLine, balance: int, count: int) -> Iterator[Difference]:
    if line.balance_cents != balance:
        text = f"has a balance of {balance} cents here, {line.balance_cents} in the file"
        yield Difference(text, line.account, line.date)
    if line.count not in (None, count):
        text = f"has {count} movements here, {line.count} in the file"
        yield Difference(text, line.account, line.date)


def _sums(account: int, *, until: date) -> dict[date, tuple[int, int]]:
    """Return by day (UTC) the sum in cents and the number of the account's entries."""
    entries = Entry.objects.filter(account=account, posted_at__lt=midnight(until + DAY))
    days = entries.annotate(day=TruncDate("posted_at", tzinfo=UTC)).values("day").order_by("day")
    sums = days.annotate(cents=Sum("amount_cents"), count=Count("pk"))
    return {one["day"]: (one["cents"], one["count"]) for one in sums}


def _find_absent(seen: set[int], last: date) -> Iterator[Difference]:
    """Yield a difference for each account with movements until `last` that is not in `seen`."""
    booked = Entry.objects.filter(account=OuterRef("pk"), posted_at__lt=midnight(last + DAY))
    accounts = Account.objects.filter(Exists(booked), business__isnull=False).order_by("pk")
    absent = [key for key in accounts.values_list("pk", flat=True).iterator() if key not in seen]
    for start in range(0, len(absent), NAMED_AT_ONCE):
        names = references.external_ids_of("accounts", absent[start : start + NAMED_AT_ONCE])
        for name in names.values():
            yield Difference("has movements here and no line in the file", name)
