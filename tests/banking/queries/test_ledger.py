from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from django.db.models import F
from django.utils import timezone

from banking.choices import TransactionStatus
from banking.models import Account, MerchantTotal, Statement, Transaction, TransactionTotal
from banking.queries.ledger import find_differences
from banking.services.statements import close_months
from tests.factories import later


def figures():
    return [(found.figure, found.kept, found.computed) for found in find_differences()]


@pytest.fixture
def account(make_account, make_transaction):
    account = make_account()
    make_transaction(account, 5_000)
    make_transaction(account, -1_000, pending=True)
    return account


def test_a_ledger_that_agrees_has_no_differences(account):
    assert figures() == []


def test_totals_are_those_of_days_in_utc_in_every_time_zone(make_account, make_transaction):
    make_transaction(make_account(), 5_000, at=datetime(2026, 3, 1, 2, tzinfo=UTC))

    with timezone.override(ZoneInfo("America/New_York")):  # where it is February
        assert figures() == []


def test_a_balance_that_drifted_is_named(account):
    Account.objects.filter(pk=account.pk).update(current_cents=5_001)

    [difference] = find_differences()

    assert (
        str(difference) == f"account {account.external_id}: current balance is 5001, should be 5000"
    )


def test_a_hold_that_drifted_is_named(account):
    Account.objects.filter(pk=account.pk).update(held_cents=0)

    assert figures() == [("sum of holds", 0, 1_000)]


def test_a_transaction_that_is_not_what_was_posted_is_named(account):
    Transaction.objects.posted().update(amount_cents=4_999)

    assert ("amount in the ledger", 4_999, 0) in figures()


def test_an_entry_whose_transaction_is_gone_is_named(account):
    Transaction.objects.posted().update(
        status=TransactionStatus.RELEASED, posting=None, settled_at=None
    )

    assert ("entry without transaction", 0, 1) in figures()


def test_totals_of_merchants_that_drifted_are_named(account):
    MerchantTotal.objects.update(count=F("count") + 1)
    kept = MerchantTotal.objects.first()

    found = [difference for difference in find_differences() if "merchant" in difference.subject]

    assert {difference.figure for difference in found} == {"count"}
    assert f"{kept.starts_on}" in found[0].subject


def test_totals_that_drifted_are_named(account):
    TransactionTotal.objects.filter(is_pending=False, granularity="DAY").update(count=2)
    TransactionTotal.objects.filter(is_pending=True, granularity="MONTH").delete()

    assert figures() == [("count", 2, 1), ("count", 0, 1), ("cents out", 0, 1_000)]


@pytest.fixture
def statement(make_account, make_transaction):
    account = make_account(opened_at=datetime(2026, 1, 10, tzinfo=UTC))
    make_transaction(account, 5_000)
    statements = list(close_months(through=date(2026, 3, 31), at=later(days=60)))
    return statements[-1]


def test_each_figure_of_a_statement_is_recomputed(statement):
    Statement.objects.filter(pk=statement.pk).update(
        opening_cents=1, in_cents=2, out_cents=3, closing_cents=0, transaction_count=4
    )

    assert figures() == [
        ("opening_cents", 1, 0),
        ("in_cents", 2, 5_000),
        ("out_cents", 3, 0),
        ("closing_cents", 0, 5_000),
        ("transaction_count", 4, 1),
    ]


def test_a_statement_that_is_gone_is_missed(statement):
    Statement.objects.filter(month=2).delete()

    assert figures() == [("number of statements", 2, 3)]


def test_what_names_another_business_is_told(account, make_business):
    other = make_business()
    Transaction.objects.posted().update(business=other)

    assert ("business", other.pk, account.business_id) in figures()
