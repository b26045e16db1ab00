"""Prepared statements: planned once per connection, and counted like other statements."""

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.transaction import TransactionManagementError

from banking.models import Business, User
from foundation.database import prepared_statements
from tests.factories import later

ADD = "SELECT CAST(%s AS integer) + CAST(%s AS integer)"


def test_rows_come_back(db):
    assert prepared_statements.fetch(ADD, [2, 3]) == [(5,)]


def test_a_statement_without_rows_is_executed(db, make_user):
    user = make_user(first_name="Ada")

    prepared_statements.execute(
        "UPDATE banking_user SET first_name = %s WHERE id = %s", ["Eva", user.pk]
    )

    user.refresh_from_db()
    assert user.first_name == "Eva"


def test_faults_are_those_of_django(db):
    with pytest.raises(DatabaseError), transaction.atomic():
        prepared_statements.fetch("SELECT nonsense FROM nowhere WHERE %s = 1", [1])

    assert prepared_statements.fetch(ADD, [2, 2]) == [(4,)]


def test_it_is_counted(db, django_assert_num_queries):
    with django_assert_num_queries(1):
        prepared_statements.fetch(ADD, [1, 1])


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite plans each time")
def test_the_database_plans_it_once(db):
    for number in range(3):
        prepared_statements.fetch(ADD, [number, 1])

    names = prepared_statements.fetch(
        "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s", ["%integer) + %"]
    )
    assert names == [(1,)]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite plans each time")
@pytest.mark.parametrize(
    "change", ["ALTER TABLE changing ALTER word TYPE varchar(9)", "DEALLOCATE ALL"]
)
def test_a_statement_that_was_prepared_otherwise_is_prepared_anew(transactional_db, change):
    read = "SELECT word FROM changing WHERE word = %s"
    prepared_statements.execute("CREATE TABLE changing AS SELECT 'a'::varchar(3) AS word", [])
    try:
        assert prepared_statements.fetch(read, ["a"]) == [("a",)]
        with connection.cursor() as cursor:
            cursor.execute(change)

        assert prepared_statements.fetch(read, ["a"]) == [("a",)]
    finally:
        prepared_statements.execute("DROP TABLE changing", [])


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite plans each time")
def test_nothing_is_asked_in_a_transaction_that_is_lost(db):
    with transaction.atomic():
        transaction.set_rollback(True)

        with pytest.raises(TransactionManagementError):
            prepared_statements.fetch(ADD, [1, 1])


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no connection to lose")
def test_a_request_after_the_database_restarted_is_served(transactional_db):
    connection.ensure_connection()
    connection.connection.close()
    connection.health_check_done = False  # as when a request begins

    assert prepared_statements.fetch(ADD, [1, 1]) == [(2,)]


def test_some_fields_of_a_row_are_stored(make_business, django_assert_num_queries):
    business = make_business(legal_name="Old LLC")
    business.legal_name, business.website = "New LLC", "https://example.com"

    with django_assert_num_queries(1):
        assert prepared_statements.update(business, ["legal_name"])

    stored = Business.objects.get(pk=business.pk)
    assert stored.legal_name == "New LLC"
    assert stored.website != business.website


def test_some_fields_of_many_rows_are_stored_at_once(make_business, django_assert_num_queries):
    rows = [make_business(legal_name=f"Bakery {number}") for number in range(3)]
    for number, row in enumerate(rows):
        row.legal_name, row.website = f"Bistro {number}", "https://example.com"

    with transaction.atomic(), django_assert_num_queries(1):
        prepared_statements.update_all(rows[:2], ["legal_name"])

    stored = Business.objects.order_by("pk").values_list("legal_name", flat=True)
    assert [*stored] == ["Bistro 0", "Bistro 1", "Bakery 2"]
    assert not Business.objects.filter(website="https://example.com").exists()


def test_a_row_that_changed_is_left_alone(make_user):
    user = make_user(first_name="Ada", last_login=None)
    user.first_name = "Eva"

    assert not prepared_statements.update(user, ["first_name"], date_joined=later(days=-1))
    assert not prepared_statements.update(
        user, ["first_name"], email="other@example.com", last_login=None
    )
    assert User.objects.get(pk=user.pk).first_name == "Ada"
    assert prepared_statements.update(
        user, ["first_name"], last_login=None, date_joined=user.date_joined
    )
    assert User.objects.get(pk=user.pk).first_name == "Eva"
