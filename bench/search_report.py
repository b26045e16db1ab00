"""The figures of the search as a section of a Markdown document."""

import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from statistics import median, quantiles

import django
import psycopg

from banking.models import Business
from bench.explained import Explained

TITLE = "Transaction search"
PLANS = ["none", "rare category", "year, type, amounts"]


@dataclass
class Figures:
    """What one kind of filter took, in ms."""

    totals: list[int] = field(default_factory=list)
    counts: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)  # that the pages have
    compared: list[tuple[float, float, float, float]] = field(default_factory=list)
    indexes: set[str] = field(default_factory=set)
    plan: list[str] = field(default_factory=list)

    def add(
        self, total: int, rows: int, counted: Sequence[Explained], read: Sequence[Explained]
    ) -> None:
        """Add one search: its count and what the page took besides."""
        self.totals.append(total)
        self.rows.append(rows)
        self.counts.append(sum(statement.milliseconds for statement in counted))
        self.pages.append(sum(statement.milliseconds for statement in read))
        self.plan = []
        for statement in read:
            self.indexes |= {name for name in statement.indexes if name.startswith("transaction_")}
            self.plan += [*([""] if self.plan else []), *statement.lines()]

    def compare(self, counted: Explained, read: Explained) -> None:
        """Add what the peer took for the search that was added last."""
        ours = self.counts[-1], self.pages[-1]
        self.compared.append((*ours, counted.milliseconds, read.milliseconds))

    def growth_from(self, small: "Figures") -> float | None:
        """Return how many times as long a page took here; None if no page has as many rows there.

        Only the same searches are compared, and of these the pages with the same number of rows.
        """
        pairs = zip(self.rows, self.pages, small.rows, small.pages, strict=True)
        found = [here / there for rows, here, as_many, there in pairs if rows == as_many > 0]
        return median(found) if found else None

    @property
    def gain(self) -> tuple[float, float]:
        """Return how many times as long the peer took for counts and for pages."""
        count, page, peer_count, peer_page = (
            sum(part) for part in zip(*self.compared, strict=True)
        )
        return peer_count / count, peer_page / page


@dataclass
class Loaded:
    """A database of one size and what was measured on it."""

    business: Business
    size: int
    rows: int
    seconds: float
    server: int
    figures: dict[str, Figures] = field(default_factory=dict)
    summaries: list[float] = field(default_factory=list)


def report(measured: Sequence[Loaded]) -> str:
    """Return the Markdown below the heading."""
    small, large = measured[0], measured[-1]
    lines = [*_head(large), "", *_table(small, large), "", *_summary(small, large), ""]
    for name in PLANS:
        if name in large.figures:
            lines += [f"The statements of the last page of 100, filter “{name}”:", "", "```"]
            lines += [*large.figures[name].plan, "```", ""]
    return "\n".join(lines)


def p95(values: Sequence[float]) -> float:
    """Return what 95 of 100 values do not exceed."""
    return quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]


def _head(large: Loaded) -> list[str]:
    major, minor = divmod(large.server, 10_000)
    return [
        f"Measured {datetime.now(UTC):%Y-%m-%d} by `.venv/bin/python -m bench.search --write "
        f"docs/performance-details.md`; PostgreSQL {major}.{minor}, Django "
        f"{django.get_version()}, psycopg {psycopg.__version__}, Python "
        f"{platform.python_version()}.",
        f"One business has {large.size:,} of {large.rows:,} transactions, 1,000 others share the "
        f"rest; they were made at {large.rows / large.seconds:,.0f} a second, indexes and foreign "
        "keys included.",
        "",
        "Times are milliseconds that the database reports for planning and running the statements, "
        "each planned anew for its values. A page is one of 10 or of 100 transactions, the first, "
        "the middle or the last; “grows” compares those pages of a business of 10,000 that have as "
        "many transactions. The peer is `queryset[offset:limit]` and `.count()` on the same "
        "indexes; “gains” say how many times as long it takes for the same pages and counts.",
        "",
        "Counts of amounts read their index as far as they match, or as far as they do not match "
        "and the totals of the days, whichever the planner expects to be cheaper. A page of "
        "amounts begins somewhere in a day and reads that day from its start: what a day has is "
        "all that such a page can grow by.",
    ]


def _table(small: Loaded, large: Loaded) -> list[str]:
    lines = [
        "| filter | found | page | p95 | grows | gain | total | p95 | gain | index of the page |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|",
    ]
    for name, figures in large.figures.items():
        page = median(figures.pages)
        growth = figures.growth_from(small.figures[name])
        grows = f"{growth:.1f}" if growth else ""
        count_gain, page_gain = figures.gain
        lines.append(
            f"| {name} | {median(figures.totals):,.0f} | {page:.2f} | {p95(figures.pages):.2f} "
            f"| {grows} | {page_gain:.0f} | {median(figures.counts):.2f} "
            f"| {p95(figures.counts):.2f} | {count_gain:.1f} "
            f"| {', '.join(sorted(figures.indexes))} |"
        )
    return lines


def _summary(small: Loaded, large: Loaded) -> list[str]:
    return [
        f"The summary of a year takes {median(large.summaries):.2f}, at the 95th percentile "
        f"{p95(large.summaries):.2f}, from the totals alone "
        f"({median(small.summaries):.2f} with 10,000 transactions)."
    ]
