from datetime import timedelta

import pytest
from django.db import DataError, connection

from banking.models import Business, Entry, Posting, Transaction
from banking.queries.ledger import find_differences
from banking.services import scale
from banking.services.scale import Scale
from tests.factories import NOON

on_postgresql = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="only PostgreSQL makes them by the million"
)
DEFINED = """
SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE conrelid::regclass::text LIKE 'banking_%%'
UNION SELECT indexname, indexdef FROM pg_indexes WHERE tablename LIKE 'banking_%%'
UNION SELECT tgname, tgenabled::text FROM pg_trigger
WHERE tgrelid::regclass::text LIKE 'banking_%%' AND NOT tgisinternal
"""


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


@on_postgresql
def test_transactions_are_of_three_years_and_of_every_type(db):
    make()

    days = Transaction.objects.order_by("occurred_at").values_list("occurred_at", flat=True)
    assert NOON - scale.SPAN <= days.first() < NOON - scale.SPAN + timedelta(days=5)
    assert NOON - timedelta(days=5) < days.last() <= NOON
    assert Transaction.objects.values("transaction_type").distinct().count() == 7
    assert Transaction.objects.pending().exists()


@on_postgresql
def test_constraints_indexes_and_triggers_are_there_again(db):
    before = defined()

    make()

    assert defined() == before


@on_postgresql
def test_more_can_be_made(db):
    make(seed=1)
    make(seed=2)

    assert Business.objects.count() == 40
    assert not list(find_differences())


@on_postgresql
def test_a_failure_leaves_nothing(transactional_db, django_db_serialized_rollback, monkeypatch):
    before = defined()
    monkeypatch.setattr(scale.sql, "BALANCES", "SELECT 1 / 0")

    with pytest.raises(DataError, match="division by zero"):
        make(count=1_000)

    assert not Business.objects.exists()
    assert defined() == before
