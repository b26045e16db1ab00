"""Sixty questions of owners and accountants: the calls that answer each, and how to read them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.question_books import Books, Row, Span

Json = dict[str, Any]
Call = tuple[str, Json]
OWNER, ACCOUNTANT = "owner", "accountant"


@dataclass(frozen=True)
class Firm:
    """The businesses that an accountant may read in full, and those with statements alone."""

    full: Sequence[Books]
    all: Sequence[Books]


@dataclass(frozen=True)
class Question:
    """A question, its calls, and the answer that the ledger gives.

    A call is made of the books and of the answers before it; `read` takes the answer out of the
    last answer, or of all.
    """

    asker: str
    text: str
    calls: Sequence[Callable[[Books, list[Json]], Call]]
    read: Callable[[list[Json]], Any]
    expected: Callable[[Books, Firm], Any]


def summary(chart: str, span: str, length: str, **more: Any) -> Callable[[Books, Any], Call]:
    """Return how the financial summary of a span is called."""

    def call(books: Books, _answers: list[Json]) -> Call:
        first: Span = getattr(books.days, span)
        return "svc_get_financial_summary", {
            "customerExternalId": str(books.business.external_id),
            "chartType": chart,
            "startDate": f"{first.first}",
            "granularity": length,
            **more,
        }

    return call


def search(span: str = "", **more: Any) -> Callable[[Books, Any], Call]:
    """Return how a search is called whose totals are wanted: with one row."""

    def call(books: Books, _answers: list[Json]) -> Call:
        days = getattr(books.days, span).arguments() if span else {}
        return "svc_search_transactions", {"recordCnt": 1, **days, **more}

    return call


def plain(tool: str, *, names_customer: bool = False, **more: Any) -> Callable[[Books, Any], Call]:
    """Return how a tool is called with the same arguments whatever the books."""

    def call(books: Books, _answers: list[Json]) -> Call:
        own = {"customerExternalId": str(books.business.external_id)} if names_customer else {}
        return tool, {**own, **more}

    return call


def field(*path: Any) -> Callable[[list[Json]], Any]:
    """Return how a value of the last answer is read."""

    def read(answers: list[Json]) -> Any:
        value: Any = answers[-1]
        for name in path:
            value = value[name]
        return value

    return read


def account(kind: str, name: str = "balanceCents") -> Callable[[list[Json]], Any]:
    """Return how a figure of an account is read from the account summary."""
    return lambda answers: sum(
        row[name] for row in answers[-1]["accounts"] if row["accountType"] == kind
    )


def first_part(by: str, *names: str) -> Callable[[list[Json]], Any]:
    """Return how the largest part of a summary is read; of a summary without parts, nothing."""
    return lambda answers: next((tuple(row[name] for name in names) for row in answers[-1][by]), ())


def part(by: str, key: str) -> Callable[[list[Json]], Any]:
    """Return how the amount of a part of a summary is read; nothing is nought."""
    return lambda answers: next(
        (row["amountCents"] for row in answers[-1][by] if row["key"] == key), 0
    )


def checked(check: str, name: str) -> Callable[[list[Json]], Any]:
    """Return how a figure of a check is read from a review."""
    return lambda answers: next(row[name] for row in answers[-1]["checks"] if row["check"] == check)


def count_and_sum(rows: Sequence[Row]) -> tuple[int, int]:
    """Return how many rows there are, and what they add up to."""
    return len(rows), sum(row["cents"] for row in rows)


SUMMARY = plain("svc_get_account_summary")
TOTALS = ("totalCount", "totalAmountCents")
TAX = plain("svc_estimate_taxes")


def totals(answers: list[Json]) -> tuple[int, int]:
    """Return number and sum of all matches of a search."""
    return answers[-1]["totalCount"], answers[-1]["totalAmountCents"]
