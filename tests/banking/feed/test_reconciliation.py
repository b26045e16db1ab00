"""Reconciliation: balances and counts of the core against the ledger."""

import io

import orjson
import pytest

from banking.feed.lines import read_lines
from banking.feed.reconciliation import find_differences

DAY, NEXT = "2026-02-10", "2026-02-12"


@pytest.fixture
def compare(books):
    """Return a function that compares lines and returns the differences as texts."""

    def run(*lines):
        texts = [one if isinstance(one, bytes) else orjson.dumps(one) for one in lines]
        return [str(one) for one in find_differences(read_lines(io.BytesIO(b"\n".join(texts))))]

    return run


@pytest.fixture
def booked(feed, line, books):
    """Two purchases on one day and one two days later, 600 cents together."""
    for number, (day, cents) in enumerate([(DAY, 100), (DAY, 200), (NEXT, 300)]):
        outcomes = feed(
            line(
                "transactions",
                f"T-{number}",
                account="A-1",
                transactionType="PURCHASE",
                status="POSTED",
                amountCents=-cents,
                occurredAt=f"{day}T23:59:59Z",
            )
        )
        assert outcomes[0]["result"] == "created"


def balance(day, cents, account="A-1", **more):
    return {"account": account, "date": day, "balanceCents": cents, **more}


def test_equal_books_have_no_difference(compare, booked):
    assert compare(balance(DAY, -300, count=2), balance(NEXT, -600, count=1)) == []
    assert compare(balance("2026-02-11", -300, count=0)) == []
    assert compare(balance(NEXT, -600)) == []


def test_a_difference_names_account_day_and_both_values(compare, booked):
    assert compare(balance(DAY, -301, count=3), balance(NEXT, -600, count=1)) == [
        f"A-1 {DAY} has a balance of -300 cents here, -301 in the file",
        f"A-1 {DAY} has 2 movements here, 3 in the file",
    ]


def test_a_day_with_movements_has_a_line(compare, booked):
    assert compare(balance("2026-02-09", 0), balance(NEXT, -600)) == [
        f"A-1 {DAY} has 2 movements here and no line in the file"
    ]


def test_an_account_with_movements_has_lines(compare, booked):
    assert compare(balance(DAY, 0, "A-2")) == ["A-1 has movements here and no line in the file"]
    assert compare(balance("2026-02-09", 0, "A-2")) == []


def test_an_account_that_is_not_here_is_named(compare, booked):
    assert "A-404 is no account here" in compare(balance(DAY, 0, "A-404"))


def test_lines_that_cannot_be_compared_are_named(compare, booked):
    good = balance(NEXT, -600)

    assert compare(
        b"oops", {"account": "A-1"}, good, balance(DAY, 0, "A-2"), balance(DAY, -300), good
    ) == [
        "line 1 cannot be read: no JSON",
        "line 2 cannot be read: balanceCents, date",
        "A-1 has lines in two places of the file",
    ]
    assert "A-1 has two lines for one day" in compare(good, good)
