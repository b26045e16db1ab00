"""Prepared statements: written once, planned once, and counted like any other."""

import pytest
from django.db import DatabaseError, connection, transaction

from banking import prepared
from banking.models import Business

ADD = "SELECT CAST(%s AS integer) + CAST(%s AS integer)"


def test_rows_come_back(db):
    assert prepared.fetch(ADD, [2, 3]) == [(5,)]


def test_a_statement_without_rows_is_executed(db, make_user):
    user = make_user(first_name="Ada")

    prepared.execute("UPDATE banking_user SET first_name = %s WHERE id = %s", ["Eva", user.pk])

    user.refresh_from_db()
    assert user.first_name == "Eva"


def test_faults_are_those_of_django(db):
    with pytest.raises(DatabaseError), transaction.atomic():
        prepared.fetch("SELECT nonsense FROM nowhere WHERE %s = 1", [1])

    assert prepared.fetch(ADD, [2, 2]) == [(4,)]


def test_it_is_counted(db, django_assert_num_queries):
    with django_assert_num_queries(1):
        prepared.fetch(ADD, [1, 1])


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite plans each time")
def test_the_database_plans_it_once(db):
    for number in range(3):
        prepared.fetch(ADD, [number, 1])

    names = prepared.fetch(
        "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s", ["%integer) + %"]
    )
    assert names == [(1,)]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no connection to lose")
def test_a_request_after_the_database_restarted_is_served(
    transactional_db, django_db_serialized_rollback
):
    connection.ensure_connection()
    connection.connection.close()
    connection.health_check_done = False  # as when a request begins

    assert prepared.fetch(ADD, [1, 1]) == [(2,)]


def test_an_object_is_the_one_that_the_orm_reads(make_business):
    business = make_business()
    columns = Business._meta.concrete_fields
    names = ", ".join(column.column for column in columns)

    [row] = prepared.fetch(f"SELECT {names} FROM banking_business WHERE id = %s", [business.pk])
    found = prepared.instance(Business, columns, row)

    read = Business.objects.get(pk=business.pk)
    for column in columns:
        assert getattr(found, column.attname) == getattr(read, column.attname)
