import pytest
from django.db import IntegrityError, connection

from banking import append_only
from banking.models import Entry, Posting


@pytest.fixture
def posting(make_transaction):
    return make_transaction().posting


@pytest.fixture
def no_deletion(db):
    for table in ["banking_posting", "banking_entry"]:
        append_only.protect_from_deletion(connection, table)


@pytest.mark.parametrize("model", [Posting, Entry])
def test_what_is_posted_is_not_changed(posting, model):
    with pytest.raises(IntegrityError, match=f"{model._meta.db_table}_is_append_only"):
        model.objects.update(posted_at="2026-01-01T00:00:00Z")


@pytest.mark.parametrize("model", [Posting, Entry])
def test_what_is_posted_is_not_deleted(posting, no_deletion, model):
    with (
        pytest.raises(IntegrityError, match=f"{model._meta.db_table}_is_append_only"),
        connection.cursor() as cursor,
    ):
        cursor.execute(f"DELETE FROM {model._meta.db_table}")


def test_a_table_is_not_emptied_at_once(posting, no_deletion):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no TRUNCATE")
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")

        with pytest.raises(IntegrityError, match="is_append_only"):
            cursor.execute("TRUNCATE banking_entry CASCADE")
