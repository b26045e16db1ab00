"""What a hundred times as many rows cost: `python -m bench.growth` (two minutes).

It starts a PostgreSQL of its own and fills two databases in it: of one business with 10,000 and
with 1,000,000 transactions, and of a bank with 10,000 and with 200,000 applications, or with as
many as the options say. Each search and list is read in both as the service reads it, the pages of
the back office in the larger one; times are those that the database reports for its statements,
planning included.
"""

import os
import random
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from bench import databases, parts
from bench.reports import Headline, Report

if TYPE_CHECKING:
    from banking.models import Business
    from bench.search_report import Loaded

TITLE = "Growth"
FEW, MANY = 10_000, 1_000_000  # transactions
FEW_APPLICATIONS, MANY_APPLICATIONS = 10_000, 200_000
MOST_PAPERS = 100_000  # invoices, and bills, of a business
OTHERS = 20_000  # transactions of 1,000 other businesses
READINGS = 3
GOALS_OF_LISTS = {
    "events of 30 days": "event feed, first page",
    "leads, in the middle": "leads, page in the middle",
}
FOREWORD = """\
Milliseconds that the database reports for planning and running the statements of one call. One
business has {small:,} or {large:,} transactions; a page is one of 10 or of 100, the first, the
middle or the last, and “grows” compares the pages that have as many rows in both databases. Goals:
a page at most twice as long and below 6 at the 95th percentile, a total below 70, and below 1
where neither amounts nor words are asked for. A total includes the planner's estimates.
"""
OF_AMOUNTS = """\
A page of amounts begins somewhere in a day and reads that day from its start: no totals are kept of
amounts, so such a page can grow only with the transactions of a day.
"""
OF_LISTS = """\
Lists. Their sizes are realistic: a bank of {applications:,} applications has the events
and deliveries that follow from them, a business writes or gets 100,000 invoices or bills in
decades, and an account has twelve statements a year, which are listed whole.
"""
SEARCHES = """\
| search | found | page | p95 | grows | total | p95 |
|---|--:|--:|--:|--:|--:|--:|
"""
LISTS = """\
| list | statements | rows | ms | rows | ms | grows |
|---|--:|--:|--:|--:|--:|--:|
"""


@dataclass(frozen=True)
class Reading:
    """How a list was read: of how many rows, by how many statements, in how many ms."""

    rows: int
    statements: int
    milliseconds: float


@dataclass(frozen=True)
class Measured:
    """Figures of one database; those of the larger database include pages of the back office."""

    loaded: "Loaded"
    lists: dict[str, Reading]
    back_office: Report


def run(
    *, draws: int = 2, transactions: int = MANY, applications: int = MANY_APPLICATIONS
) -> Report:
    """Fill both databases and read them; return the report."""
    with databases.server() as url:
        os.environ.update(DATABASE_URL=url, DJANGO_SETTINGS_MODULE="config.settings_test")
        parts.set_up()
        small = measure(FEW, FEW_APPLICATIONS, draws)
        large = measure(transactions, applications, draws, with_pages=True)
    texts = [
        FOREWORD.format(small=small.loaded.size, large=large.loaded.size),
        searches(small.loaded, large.loaded),
        OF_AMOUNTS,
        OF_LISTS.format(applications=applications),
        lists(small.lists, large.lists),
        large.back_office.details,
    ]
    found = [*headlines(small.loaded, large.loaded), *of_lists(large.lists)]
    return Report([*found, *large.back_office.headlines], "\n".join(texts))


def measure(size: int, applications: int, draws: int, *, with_pages: bool = False) -> "Measured":
    """Fill a database of its own and read it."""
    from bench import back_office, search_measures

    with databases.in_database():
        loaded = searched(size, draws)
        search_measures.say(f"{size:,} transactions searched")
        found = listed(loaded.business, applications, min(size, MOST_PAPERS))
        search_measures.say(f"{applications:,} applications listed")
        pages = back_office.report() if with_pages else Report([], "")
        return Measured(loaded, found, pages)


def searched(size: int, draws: int) -> "Loaded":
    """Make a business with so many transactions and search them."""
    from bench import search_measures

    loaded = search_measures.load(size, others=OTHERS)
    for name, draw in search_measures.FILTERS.items():
        dice = random.Random(7)  # noqa: S311 - the same draws in each database
        loaded.figures[name] = search_measures.measure_filter(
            loaded.business, draw, dice, draws, with_peer=False
        )
    return loaded


def listed(business: "Business", applications: int, papers: int) -> dict[str, Reading]:
    """Make so many applications, invoices and bills; return how their lists were read."""
    from bench import growth_lists
    from bench.applications import make

    make(applications)
    growth_lists.fill(business, papers)
    return {name: read(rows, ask) for name, (rows, ask) in growth_lists.lists(business).items()}


def read(rows: int, ask: Callable[[], object]) -> Reading:
    """Read a list some times; return the median."""
    from bench.explained import explain

    ask()
    asked = [explain(ask) for _ in range(READINGS)]
    times = [sum(statement.milliseconds for statement in statements) for statements in asked]
    return Reading(rows, len(asked[0]), median(times))


def headlines(small: "Loaded", large: "Loaded") -> list[Headline]:
    """Return the figures of searches that have goals."""
    from bench.search_measures import WORDS
    from bench.search_report import p95

    found = large.figures
    grown = [found[name].growth_from(small.figures[name]) or 0 for name in found]
    pages = max(p95(figures.pages) for figures in found.values())
    read = [*WORDS, *(name for name in found if "amounts" in name)]  # what has no totals
    counts = max(p95(found[name].counts) for name in found if name not in read)
    some, every = (median(found[name].counts) for name in ("amounts", "nearly all amounts"))
    words = max(p95(found[name].counts) for name in WORDS)
    what = f"search page of {large.size:,} rows"
    return [
        Headline(
            what, "", "ratio ≤ 2", max(grown) <= 2, f"at most {max(grown):.1f}", "10,000 rows"
        ),
        Headline(f"{what}, p95", f"{pages:.1f} ms", "< 6 ms", pages < 6),
        Headline("totalCount, p95", f"{counts:.1f} ms", "< 1 ms", counts < 1),
        Headline("totalCount, an eighth by amount", f"{some:.0f} ms", "< 70 ms", some < 70),
        Headline("totalCount, nearly all by amount", f"{every:.0f} ms", "< 70 ms", every < 70),
        Headline("totalCount, of words, p95", f"{words:.0f} ms", "< 70 ms", words < 70),
    ]


def of_lists(lists: Mapping[str, Reading]) -> list[Headline]:
    """Return the figures of the two lists that have goals, and of the list that takes longest.

    Pages of the back office have a goal of their own.
    """
    from bench import growth_lists

    found = []
    for name, what in GOALS_OF_LISTS.items():
        here = lists[name]
        took = here.milliseconds
        found.append(Headline(f"{what} of {here.rows:,}", f"{took:.1f} ms", "≤ 5 ms", took <= 5))
    others = {
        name: here for name, here in lists.items() if not name.startswith(growth_lists.BACK_OFFICE)
    }
    name, longest = max(others.items(), key=lambda item: item[1].milliseconds)
    return [
        *found,
        Headline(
            "slowest list of partners and businesses", f"{longest.milliseconds:.1f} ms ({name})"
        ),
    ]


def searches(small: "Loaded", large: "Loaded") -> str:
    """Return the searches as a table."""
    from bench.search_report import p95

    text = SEARCHES
    for name, figures in large.figures.items():
        growth = figures.growth_from(small.figures[name])
        grows = f"{growth:.1f}" if growth else ""
        text += (
            f"| {name} | {median(figures.totals):,.0f} | {median(figures.pages):.2f} "
            f"| {p95(figures.pages):.2f} | {grows} | {median(figures.counts):.2f} "
            f"| {p95(figures.counts):.2f} |\n"
        )
    return text


def lists(few: Mapping[str, Reading], many: Mapping[str, Reading]) -> str:
    """Return the lists as a table."""
    text = LISTS
    for name, here in many.items():
        there = few[name]
        text += (
            f"| {name} | {here.statements} | {there.rows:,} | {there.milliseconds:.2f} "
            f"| {here.rows:,} | {here.milliseconds:.2f} "
            f"| {here.milliseconds / there.milliseconds:.1f} |\n"
        )
    return text


if __name__ == "__main__":
    options = {"transactions": MANY, "applications": MANY_APPLICATIONS}
    sys.exit(parts.main(__doc__, run, TITLE, draws=2, **options))
