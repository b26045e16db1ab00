"""Prepared statements: written once, planned once, and counted like any other."""

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.models import Exists
from django.db.transaction import TransactionManagementError

from banking import prepared
from banking.models import Business, BusinessOwner, User
from tests.factories import later

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


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite plans each time")
@pytest.mark.parametrize(
    "change", ["ALTER TABLE changing ALTER word TYPE varchar(9)", "DEALLOCATE ALL"]
)
def test_a_statement_that_was_prepared_otherwise_is_prepared_anew(
    transactional_db, django_db_serialized_rollback, change
):
    read = "SELECT word FROM changing WHERE word = %s"
    prepared.execute("CREATE TABLE changing AS SELECT 'a'::varchar(3) AS word", [])
    try:
        assert prepared.fetch(read, ["a"]) == [("a",)]
        with connection.cursor() as cursor:
            cursor.execute(change)

        assert prepared.fetch(read, ["a"]) == [("a",)]
    finally:
        prepared.execute("DROP TABLE changing", [])


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite plans each time")
def test_nothing_is_asked_in_a_transaction_that_is_lost(db):
    with transaction.atomic():
        transaction.set_rollback(True)

        with pytest.raises(TransactionManagementError):
            prepared.fetch(ADD, [1, 1])


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no connection to lose")
def test_a_request_after_the_database_restarted_is_served(
    transactional_db, django_db_serialized_rollback
):
    connection.ensure_connection()
    connection.connection.close()
    connection.health_check_done = False  # as when a request begins

    assert prepared.fetch(ADD, [1, 1]) == [(2,)]


def test_some_fields_of_a_row_are_stored(make_business, django_assert_num_queries):
    business = make_business(legal_name="Old LLC")
    business.legal_name, business.website = "New LLC", "https://example.com"

    with django_assert_num_queries(1):
        assert prepared.update(business, ["legal_name"])

    stored = Business.objects.get(pk=business.pk)
    assert stored.legal_name == "New LLC"
    assert stored.website != business.website


def test_a_row_that_changed_is_left_alone(make_user):
    user = make_user(first_name="Ada", last_login=None)
    user.first_name = "Eva"

    assert not prepared.update(user, ["first_name"], date_joined=later(days=-1))
    assert not prepared.update(user, ["first_name"], email="other@example.com", last_login=None)
    assert User.objects.get(pk=user.pk).first_name == "Ada"
    assert prepared.update(user, ["first_name"], last_login=None, date_joined=user.date_joined)
    assert User.objects.get(pk=user.pk).first_name == "Eva"


OWNERS = prepared.Query(
    lambda email, role: (
        BusinessOwner.objects.select_related("user", "business")
        .annotate(is_known=Exists(User.objects.filter(email=email)))
        .filter(user__email=email)
        .exclude(role=role)
        .order_by("pk")
    )
)
NAMES = prepared.Query(
    lambda since: User.objects.filter(date_joined__gte=since).values_list("email", "external_id")
)
LOCKED = prepared.Query(lambda pk: Business.objects.filter(pk=pk).select_for_update())


def test_a_query_gives_what_the_orm_gives(make_business_owner, make_user):
    owner = make_business_owner(user=make_user())

    [found] = OWNERS.all(email=owner.user.email, role="")

    assert found == owner
    assert found.is_known
    for read, stored in ((found.user, owner.user), (found.business, owner.business)):
        stored.refresh_from_db()
        for column in stored._meta.concrete_fields:
            assert getattr(read, column.attname) == getattr(stored, column.attname)


def test_a_query_takes_other_values_each_time(
    make_business_owner, make_user, django_assert_num_queries
):
    owner, other = (make_business_owner(user=make_user()) for _ in range(2))

    with django_assert_num_queries(4):
        assert OWNERS.first(email=owner.user.email, role="") == owner
        assert OWNERS.first(email=other.user.email, role="") == other
        assert OWNERS.first(email="nobody@example.com", role="") is None
        assert OWNERS.all(email=owner.user.email, role=owner.role) == []


def test_a_query_gives_tuples_of_converted_values(make_user):
    user = make_user()

    assert (user.email, user.external_id) in NAMES.all(since=user.date_joined)


def test_rows_are_locked_within_a_transaction_only(make_business, transactional_db):
    business = make_business()

    with transaction.atomic():
        assert LOCKED.first(pk=business.pk) == business
    with pytest.raises(transaction.TransactionManagementError):
        LOCKED.first(pk=business.pk)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite plans each time")
def test_the_database_plans_a_query_once(make_user):
    for _ in range(3):
        NAMES.all(since=make_user().date_joined)

    planned = prepared.fetch(
        "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s",
        ['%"date_joined" >= %'],
    )
    assert planned == [(1,)]
