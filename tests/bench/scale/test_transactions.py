from datetime import timedelta

import pytest
from django.db import DataError, IntegrityError, connection
from django.db.models import F, Q

from banking.choices import AccountType, TransactionType
from banking.demo.transaction_types import TRANSACTION_TYPES
from banking.models import Business, Entry, Posting, Transaction
from banking.queries.ledger import find_differences
from banking.services import ledger
from bench.scale import transactions as scale
from bench.scale.transactions import Scale
from tests.factories import NOON, draft_transaction

on_postgresql = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="only PostgreSQL makes them by the million"
)
DEFINED = """
SELECT conname, pg_get_constraintdef(oid) || convalidated FROM pg_constraint
WHERE conrelid::regclass::text LIKE 'banking_%%'
UNION SELECT indexname, indexdef FROM pg_indexes WHERE tablename LIKE 'banking_%%'
UNION SELECT tgname, tgenabled::text FROM pg_trigger
WHERE tgrelid::regclass::text LIKE 'banking_%%' AND NOT tgisinternal
"""
DRAWN = ["occurred_at", "amount_cents", "transaction_type", "category", "is_business", "status"]


def make(count=3_000, **values):
    return scale.make_transactions(Scale(count, businesses=20, **values), until=NOON)


def defined():
    with connection.cursor() as cursor:
        cursor.execute(DEFINED)
        return set(cursor.fetchall())


@pytest.mark.skipif(connection.vendor == "postgresql", reason="PostgreSQL can")
def test_another_database_is_refused(db):
    with pytest.raises(scale.NeedsPostgreSQL):
        make()


@on_postgresql
def test_what_is_made_agrees_with_itself(db):
    first = make()

    assert not list(find_differences())
    assert Transaction.objects.count() == 3_000
    assert 2_200 < first.transactions.count() < 2_600
    assert Posting.objects.count() * 2 == Entry.objects.count()
    assert not Entry.objects.exclude(posted_at=F("posting__posted_at")).exists()


@on_postgresql
def test_transactions_are_of_three_years_and_of_every_type(db):
    make()

    days = Transaction.objects.order_by("occurred_at").values_list("occurred_at", flat=True)
    assert NOON - scale.SPAN <= days.first() < NOON - scale.SPAN + timedelta(days=5)
    assert NOON - timedelta(days=5) < days.last() < NOON
    assert set(Transaction.objects.values_list("transaction_type", flat=True)) == set(
        TransactionType
    )
    assert Transaction.objects.pending().exists()


@on_postgresql
def test_amounts_are_of_their_kind(db):
    make()

    for kind in TRANSACTION_TYPES:
        low, high = sorted(100 * kind.sign * dollars for dollars in [kind.least, kind.most])
        rows = Transaction.objects.filter(
            transaction_type=kind.transaction_type, category=kind.category
        )
        assert not rows.exclude(amount_cents__range=(low, high)).exists()


@on_postgresql
def test_what_is_bought_has_a_merchant_and_fees_are_the_banks(db):
    make()

    bought = Q(transaction_type__in=[TransactionType.PURCHASE, TransactionType.REFUND])
    assert not Transaction.objects.exclude(bought ^ Q(merchant=None)).exists()
    fees = Posting.objects.filter(transactions__transaction_type=TransactionType.FEE)
    earned = Entry.objects.filter(account=ledger.bank_account(AccountType.FEE_INCOME))
    assert earned.count() == fees.count() > 0
    assert not earned.exclude(posting__in=fees).exists()


@on_postgresql
def test_ids_are_of_version_7_in_the_order_of_time(db):
    make()

    rows = list(Transaction.objects.order_by("id").values_list("external_id", "occurred_at"))
    ids = [external_id for external_id, _ in rows]
    assert ids == sorted(ids)
    assert {external_id.version for external_id in ids} == {7}
    assert all((external_id.int >> 80) // 1000 == at.timestamp() for external_id, at in rows)


@on_postgresql
def test_the_same_seed_draws_the_same(db):
    first, again, other = make(count=500), make(count=500), make(count=500, seed=8)

    drawn = [
        list(business.transactions.order_by("id").values_list(*DRAWN))
        for business in [first, again, other]
    ]
    assert drawn[0] == drawn[1] != drawn[2]


@on_postgresql
def test_constraints_indexes_and_triggers_are_there_again(db):
    before = defined()

    make()

    assert defined() == before


@on_postgresql
def test_more_can_be_made_and_posted(db):
    make(seed=1)
    business = make(seed=2)
    row = draft_transaction(business.accounts.get(), -100, occurred_at=NOON)
    ledger.post(row, at=NOON, allow_overdraft=True)

    assert Business.objects.count() == 40
    assert not list(find_differences())


@on_postgresql
def test_entries_that_do_not_balance_are_refused(db, monkeypatch):
    skewed = scale.sql.ENTRIES.replace("-amount_cents", "1 - amount_cents")
    monkeypatch.setattr(scale.sql, "ENTRIES", skewed)

    with pytest.raises(IntegrityError, match="posting_entries_sum_to_zero"):
        make(count=100)


@on_postgresql
def test_a_failure_leaves_nothing(transactional_db, monkeypatch):
    before = defined()
    monkeypatch.setattr(scale.sql, "BALANCES", "SELECT 1 / 0")

    with pytest.raises(DataError, match="division by zero"):
        make(count=1_000)

    assert not Business.objects.exists()
    assert defined() == before
