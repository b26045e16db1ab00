"""Compiled queries give what the ORM gives."""

import pytest
from django.db import connection, transaction
from django.db.models import Exists

from banking.models import Business, BusinessOwner, User
from foundation.database import prepared_statements
from foundation.database.compiled_queries import CompiledQuery

OWNERS = CompiledQuery(
    lambda email, role: (
        BusinessOwner.objects.select_related("user", "business")
        .annotate(is_known=Exists(User.objects.filter(email=email)))
        .filter(user__email=email)
        .exclude(role=role)
        .order_by("pk")
    )
)
NAMES = CompiledQuery(
    lambda since: User.objects.filter(date_joined__gte=since).values_list("email", "external_id")
)
LOCKED = CompiledQuery(lambda pk: Business.objects.filter(pk=pk).select_for_update())


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

    planned = prepared_statements.fetch(
        "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE %s",
        ['%"date_joined" >= %'],
    )
    assert planned == [(1,)]
