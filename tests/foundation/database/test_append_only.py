import pytest
from django.db import IntegrityError, connection, transaction
from uuid_utils.compat import uuid7

from banking.models import Entry, Posting
from foundation.database import append_only


@pytest.fixture
def posting(make_transaction):
    return make_transaction().posting


@pytest.fixture
def no_deletion(db):
    for table in ["banking_posting", "banking_entry"]:
        append_only.protect_from_deletion(connection, table)


@pytest.mark.parametrize("model", [Posting, Entry])
def test_what_is_posted_is_not_changed(posting, model):
    with pytest.raises(IntegrityError, match=f"{model._meta.db_table}_no_update"):
        model.objects.update(posted_at="2026-01-01T00:00:00Z")


@pytest.mark.parametrize("model", [Posting, Entry])
def test_what_is_posted_is_not_deleted(posting, no_deletion, model):
    with (
        pytest.raises(IntegrityError, match=f"{model._meta.db_table}_no_delete"),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"DELETE FROM {model._meta.db_table}")


def test_a_table_is_not_emptied_at_once(posting, no_deletion):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no TRUNCATE")
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

        with pytest.raises(IntegrityError, match="banking_entry_no_delete"):
            cursor.execute("TRUNCATE banking_entry CASCADE")


@pytest.mark.skipif(connection.vendor == "postgresql", reason="PostgreSQL has no REPLACE")
@pytest.mark.parametrize("table", ["banking_posting", "banking_entry"])
def test_what_is_posted_is_not_replaced(posting, table):
    with (
        pytest.raises(IntegrityError, match=f"{table}_no_replace"),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}")


@pytest.mark.django_db
@pytest.mark.parametrize("factory", ["make_business", "make_account"])
def test_an_external_id_never_changes(request, factory):
    row = request.getfixturevalue(factory)()

    row.external_id = uuid7()
    with pytest.raises(IntegrityError, match="external_id_is_fixed"), transaction.atomic():
        row.save()

    row.refresh_from_db()
    row.save()


def test_the_external_id_of_a_user_never_changes(django_user_model, db):
    user = django_user_model.objects.create_user("ada@example.com")

    with pytest.raises(IntegrityError, match="banking_user_external_id_is_fixed"):
        django_user_model.objects.filter(pk=user.pk).update(external_id=uuid7())
