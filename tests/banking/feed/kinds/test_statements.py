"""Statements of the feed: months are closed by lines."""

import orjson

from banking.feed import reading
from banking.feed.registry import KINDS
from banking.models import Account, Statement
from tests.banking.feed.test_batches import results


def january(line, external_id="Z-1", version=1, /, **changed):
    data = {"account": "A-1", "year": 2026, "month": 1, "closingCents": 0}
    return line("statements", external_id, version, **data | changed)


def test_months_are_closed_one_after_the_other(feed, line, spent):
    february = january(line, "Z-2", month=2, closingCents=-1250)

    outcomes = feed(january(line, "Z-3", month=2), january(line), february)

    assert results(outcomes) == ["refused", "created", "created"]
    assert Statement.objects.get(month=2).read().content.startswith(b"%PDF-")
    data = orjson.loads(reading.find_record(KINDS["statements"], "Z-2").data)
    assert data == {"account": "A-1", "year": 2026, "month": 2, "closingCents": -1250}


def test_nothing_is_posted_to_a_closed_month(feed, line, refusals, spent):
    feed(january(line), january(line, "Z-2", month=2, closingCents=None))

    late = line(
        "transactions",
        "T-2",
        account="A-1",
        transactionType="PURCHASE",
        status="POSTED",
        amountCents=-1,
        occurredAt="2026-02-10T15:00:00Z",
    )

    assert refusals(late)[0][0] == "VALUE_REFUSED"


def test_a_month_with_another_balance_stays_open(line, refusals, books):
    assert refusals(january(line, closingCents=7)) == [("VALUE_REFUSED", "/data/closingCents")]

    assert not Statement.objects.exists()
    assert not Account.objects.filter(closed_through__isnull=False).exists()


def test_a_month_that_is_not_over_has_no_statement(feed, line, refusals, books):
    feed(january(line), january(line, "Z-2", month=2))

    assert refusals(january(line, "Z-3", month=3)) == [("VALUE_REFUSED", "/data/month")]


def test_a_statement_that_was_made_here_becomes_the_record(feed, line, books):
    feed(january(line))
    Statement.objects.get()

    assert results(feed(january(line, "Z-1", 2, closingCents=None))) == ["updated"]
    assert results(feed(january(line, "Z-2"))) == ["refused"]


def test_a_statement_stays_for_its_month(feed, line, refusals, books):
    feed(january(line))

    gone = {"kind": "statements", "externalId": "Z-1", "version": 2, "removed": True}

    assert refusals(gone) == [("NOT_REMOVABLE", None)]
    assert refusals(january(line, "Z-1", 2, month=2)) == [("VALUE_REFUSED", "/data/month")]
