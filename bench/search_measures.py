"""What is measured of the transaction search: on which data, with which filters, against whom."""

import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any

from django.db import connection, transaction

from banking.choices import ChartType, Granularity, TransactionType
from banking.demo.transaction_types import TRANSACTION_TYPES
from banking.models import Account, Business, Merchant, MerchantTotal, Transaction
from banking.queries.filters import TransactionFilter
from banking.queries.search import search_transactions
from banking.queries.search_counts import count_transactions
from banking.queries.summaries import get_financial_summary
from banking.queries.words import find_words, words_of
from banking.services import balances, ledger
from bench import databases
from bench.explained import Explained, explain
from bench.scale import transactions as scale
from bench.search_report import Figures, Loaded

UNTIL = datetime(2026, 7, 1, tzinfo=UTC)
OTHERS = 200_000
RARE = 40
LAST_DAY = UNTIL.date() - timedelta(days=1)

Draw = Callable[[random.Random], TransactionFilter]


def days(length: int) -> Draw:
    """Return how to draw a range of so many days."""

    def draw(dice: random.Random) -> TransactionFilter:
        end = LAST_DAY - timedelta(days=dice.randrange(scale.SPAN.days - length))
        return TransactionFilter(start_date=end - timedelta(days=length - 1), end_date=end)

    return draw


def large(dice: random.Random) -> TransactionFilter:
    """Return a filter of few amounts."""
    return TransactionFilter(min_amount_cents=dice.randrange(780_000, 795_000, 100))


def some_amounts(dice: random.Random) -> TransactionFilter:
    """Return a filter of many amounts."""
    least = dice.randrange(5_000, 30_000, 100)
    return TransactionFilter(min_amount_cents=least, max_amount_cents=2 * least)


def purchases_of_a_year(dice: random.Random) -> TransactionFilter:
    """Return a filter of days, type and amounts."""
    year, amounts = days(365)(dice), some_amounts(dice)
    return TransactionFilter(
        start_date=year.start_date,
        end_date=year.end_date,
        transaction_type=TransactionType.PURCHASE,
        min_amount_cents=amounts.min_amount_cents,
        max_amount_cents=amounts.max_amount_cents,
    )


def words(query: str) -> TransactionFilter:
    """Return a filter of words; looking up their merchants is a statement of its own."""
    return TransactionFilter(words=find_words(BUSINESS[0], words_of(query)))


FILTERS: dict[str, Draw] = {
    "none": lambda dice: TransactionFilter(),
    "30 days": days(30),
    "a year": days(365),
    "type": lambda dice: TransactionFilter(transaction_type=dice.choice(TransactionType.values)),
    "category": lambda dice: TransactionFilter(category=dice.choice(TRANSACTION_TYPES).category),
    "rare category": lambda dice: TransactionFilter(category="GRANTS"),
    "pending": lambda dice: TransactionFilter(is_pending=True),
    "settled": lambda dice: TransactionFilter(is_pending=False),
    "private": lambda dice: TransactionFilter(is_business=False),
    "account": lambda dice: TransactionFilter(account_number=NUMBER[0]),
    "amounts": some_amounts,
    "nearly all amounts": lambda dice: TransactionFilter(
        min_amount_cents=dice.randrange(100, 1_000, 100)
    ),
    "few amounts": large,
    "a merchant": lambda dice: words(dice.choice(NAMES)),
    "a number": lambda dice: words(f"{dice.randrange(10_000, 99_999)}"),
    "a common word": lambda dice: words("payment"),
    "a year of a merchant": lambda dice: replace(
        days(365)(dice), words=words(dice.choice(NAMES)).words
    ),
    "year, type, amounts": purchases_of_a_year,
}
WORDS = ["a merchant", "a number", "a common word", "a year of a merchant"]
BUSINESS: list[Business] = []  # the large one
NUMBER: list[str] = []  # that of its account
NAMES: list[str] = []  # those of its merchants


def measure(size: int, names: Sequence[str], draws: int) -> Loaded:
    """Load a database of that size and measure each filter."""
    with databases.in_database():
        loaded = load(size)
        for name in names:
            dice = random.Random(7)  # noqa: S311 - the same draws in each run
            loaded.figures[name] = measure_filter(loaded.business, FILTERS[name], dice, draws)
            say(f"{size:>9,}  {name}")
        loaded.summaries = [time_of(summary) for summary in summaries(loaded.business, draws * 6)]
    return loaded


def load(size: int, *, others: int = OTHERS) -> Loaded:
    """Make the large business among 1,000 others."""
    count = size + others
    start = time.perf_counter()
    business = scale.make_transactions(
        scale.Scale(count=count, businesses=1001, share=size / count), until=UNTIL
    )
    seconds = time.perf_counter() - start
    account = business.accounts.get()
    post_rare(account)
    scale.vacuum()
    BUSINESS[:] = [account.business]
    NUMBER[:] = [account.account_number]
    keys = MerchantTotal.objects.filter(business=business).values("merchant_key").distinct()
    NAMES[:] = Merchant.objects.filter(pk__in=keys).order_by("pk").values_list("name", flat=True)
    say(f"{count:,} transactions made in {seconds:.1f} s, {count / seconds:,.0f} a second")
    return Loaded(
        business=business,
        size=Transaction.objects.filter(business=business).count(),
        rows=count,
        seconds=seconds,
        server=connection.pg_version,
    )


@transaction.atomic
def post_rare(account: Account) -> None:
    """Post a few transactions of a category that nothing else has, over the three years."""
    rows = [
        Transaction(
            account=account,
            transaction_type=TransactionType.FUND_TRANSFER,
            amount_cents=50_000,
            occurred_at=UNTIL - scale.SPAN * (number + 1) / (RARE + 2),
            category_id="GRANTS",
            description=f"Grant {number}",
        )
        for number in range(RARE)
    ]
    drafts = [ledger.Draft([row], at=row.occurred_at) for row in rows]
    ledger.record(drafts, balances.lock_accounts(rows))


def measure_filter(
    business: Business, draw: Draw, dice: random.Random, draws: int, *, with_peer: bool = True
) -> Figures:
    """Measure counts and pages of one kind of filter, and some of them by the peer too."""
    figures = Figures()
    for size in (10, 100):
        for place in ("first", "middle", "last"):
            for number in range(draws):
                wanted = draw(dice)
                page = page_at(business, wanted, size, place)
                figures.add(*statements(business, wanted, page, size))
                if number == 0 and with_peer:
                    figures.compare(*peer(business, wanted, page, size))
    return figures


def page_at(business: Business, wanted: TransactionFilter, size: int, place: str) -> int:
    """Return the number of the page at that place."""
    total = count_transactions(business, wanted).total_count
    pages = max(1, -(-total // size))
    return {"first": 1, "middle": (pages + 1) // 2, "last": pages}[place]


def statements(
    business: Business, wanted: TransactionFilter, page: int, size: int
) -> tuple[int, int, list[Explained], list[Explained]]:
    """Return the total, the page's rows, what the count took, and what the page took."""
    found: list[Any] = []
    asked = explain(
        lambda: found.append(search_transactions(business, wanted, page=page, page_size=size))
    )
    first = 1 if wanted.account_number else 0  # it is looked up first; the page waits for that
    last = first + len(explain(partial(count_transactions, business, wanted)))
    of_page = [*asked[:first], *asked[last:]]
    return found[0].total_count, len(found[0].transactions), asked[first:last], of_page


def peer(
    business: Business, wanted: TransactionFilter, page: int, size: int
) -> tuple[Explained, Explained]:
    """Return what the plain ORM's count and page take."""
    rows = wanted.transactions(business).select_related(
        "account", "merchant", "location", "receipt"
    )
    start = (page - 1) * size
    [counted] = explain(rows.count)
    [read] = explain(lambda: list(rows.newest_first()[start : start + size]))
    return counted, read


def summaries(business: Business, number: int) -> Iterator[list[Explained]]:
    """Yield what summaries of a year take."""
    for place in range(number):
        kind = list(ChartType)[place % len(ChartType)]
        year = date(2024 + place % 2, 5, 17)
        yield explain(partial(get_financial_summary, business, kind, year, Granularity.YEAR))


def time_of(asked: Sequence[Explained]) -> float:
    """Return the milliseconds of some statements together."""
    return sum(statement.milliseconds for statement in asked)


def say(text: str) -> None:
    """Tell how far the run is."""
    sys.stderr.write(f"{text}\n")
