from datetime import date

import pytest

from banking.models import Transaction, TransactionTotal
from banking.queries.filters import TransactionFilter
from tests.factories import later


def test_a_filter_without_wishes_keeps_all_that_is_live(make_account, make_transaction):
    account = make_account()
    kept = {make_transaction(account), make_transaction(account, pending=True)}
    released = make_transaction(account, pending=True)
    Transaction.objects.filter(pk=released.pk).update(status="RELEASED")

    assert set(TransactionFilter().transactions(account.business)) == kept


def test_both_days_are_included(make_account, make_transaction):
    account = make_account()
    rows = [make_transaction(account, at=later(days=number)) for number in range(4)]
    wanted = TransactionFilter(start_date=date(2026, 3, 3), end_date=date(2026, 3, 4))

    assert set(wanted.transactions(account.business)) == set(rows[1:3])


def test_amounts_have_no_sign(make_account, make_transaction):
    account = make_account()
    rows = [make_transaction(account, amount) for amount in [-300, -200, 200, 300, 400]]
    wanted = TransactionFilter(min_amount_cents=250, max_amount_cents=300)

    assert not wanted.has_totals
    assert set(wanted.transactions(account.business)) == {rows[0], rows[3]}


def test_an_account_number_finds_no_account_of_others(make_account, make_transaction):
    ours, theirs = make_transaction().account, make_transaction().account
    wanted = TransactionFilter(account_number=theirs.account_number)

    assert not wanted.transactions(ours.business).exists()
    assert wanted.transactions(theirs.business).count() == 1


def test_totals_are_those_of_the_same_kind(make_account, make_transaction):
    account = make_account()
    make_transaction(account, -100, category_id="RENT")
    make_transaction(account, -100, category_id="RENT", pending=True)
    make_transaction(account, -100, category_id="MEALS")
    wanted = TransactionFilter(category="RENT", is_pending=True)

    totals = TransactionTotal.objects.raw(
        f"SELECT * FROM banking_transactiontotal WHERE {wanted.where_totals()}",
        wanted.values(account.business),
    )

    assert {(total.category_id, total.is_pending) for total in totals} == {("RENT", True)}
    assert {total.granularity for total in totals} == {"DAY", "MONTH"}
    assert TransactionTotal.objects.count() == 6


@pytest.mark.parametrize(
    "wanted",
    [
        TransactionFilter(),
        TransactionFilter(start_date=date(2026, 3, 3), end_date=date(2026, 3, 4)),
        TransactionFilter(is_pending=False, is_business=True),
        TransactionFilter(transaction_type="FUND_TRANSFER", category="RENT"),
        TransactionFilter(min_amount_cents=200, max_amount_cents=10**30),
        TransactionFilter(account_number="200000000006"),
    ],
)
def test_the_condition_keeps_what_the_orm_keeps(make_account, make_transaction, wanted):
    account = make_account(account_number="200000000006")
    for number, category in enumerate(["RENT", "MEALS", "RENT", "MEALS"], start=1):
        make_transaction(
            account,
            -100 * number,
            at=later(days=number),
            category_id=category,
            pending=number == 3,
        )

    rows = Transaction.objects.raw(
        f"SELECT * FROM banking_transaction WHERE {wanted.where_transactions()}",
        wanted.values(account.business),
    )

    assert set(rows) == set(wanted.transactions(account.business)) != set()


@pytest.mark.parametrize("far", [date.min, date.max])
def test_days_far_away_are_no_fault(make_account, far):
    wanted = TransactionFilter(start_date=far, end_date=far)

    assert not wanted.transactions(make_account().business).exists()
