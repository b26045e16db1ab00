"""Partitions by month as they are listed; `test_partitioning` makes, fills and detaches some."""

from datetime import UTC, datetime

import pytest
from django.db import connection

from config.database_limits import DEFAULTS
from foundation.database.partitions import LOCK_SECONDS, is_owned, list_partitions, months_from

TABLE = "mcp_server_accesslogentry"
on_postgresql = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite has no partitions"
)


def test_requests_outlast_a_wait_for_the_log_and_the_two_tables_that_it_refers_to():
    assert DEFAULTS["web"].lock > 3 * LOCK_SECONDS


def test_months_follow_each_other_over_the_end_of_a_year():
    at = datetime(2026, 11, 27, 9, tzinfo=UTC)

    assert months_from(at, 1) == datetime(2026, 12, 1, tzinfo=UTC)
    assert months_from(at, 14) == datetime(2028, 1, 1, tzinfo=UTC)
    assert months_from(at, -11) == datetime(2025, 12, 1, tzinfo=UTC)


@on_postgresql
@pytest.mark.django_db
def test_partitions_follow_each_other_without_a_gap_and_the_default_one_is_last():
    first, *months, default = list_partitions(connection, TABLE)

    assert first.first is None
    assert default.is_default
    for before, after in zip([first, *months], months, strict=False):
        assert before.until == after.first


@on_postgresql
@pytest.mark.django_db
def test_only_the_owner_may_add_partitions():
    assert is_owned(connection, TABLE)
    with connection.cursor() as cursor:
        cursor.execute("CREATE ROLE role_of_a_test_of_owners")
        cursor.execute("SET LOCAL ROLE role_of_a_test_of_owners")

        assert not is_owned(connection, TABLE)

        cursor.execute("RESET ROLE")


@pytest.mark.skipif(connection.vendor == "postgresql", reason="it has partitions")
@pytest.mark.django_db
def test_sqlite_has_none():
    assert list_partitions(connection, TABLE) == []
    assert not is_owned(connection, TABLE)
