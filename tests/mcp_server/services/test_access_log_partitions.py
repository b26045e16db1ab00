"""Months of the access log leave the table as files, and are still what was anchored."""

import secrets
from datetime import UTC, datetime

import pytest
from django.db import connection

from foundation.anchoring.sources import SOURCES
from foundation.database import grants, partitions, schema_faults
from foundation.jobs.registry import Incomplete
from mcp_server.models import AccessLogArchive, AccessLogEntry
from mcp_server.services import access_log_partitions
from mcp_server.services.access_log_partitions import TABLE, tend

NOW = datetime(2028, 6, 10, tzinfo=UTC)
OLD, NEW = datetime(2027, 2, 3, 4, 5, 6, 789, tzinfo=UTC), datetime(2028, 6, 1, tzinfo=UTC)

on_postgresql = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite has no partitions"
)
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_store(monkeypatch, settings):
    settings.ACCESS_LOG_MONTHS = 12
    monkeypatch.setattr(access_log_partitions.stores, "require_own", lambda: None)


@pytest.fixture
def call(assistant):
    def make(at, **values):
        values = {"tool": "svc_list_cards", "outcome": "OK", "duration_ms": 3} | values
        entry = AccessLogEntry.objects.create(
            at=at, connection=assistant.connection, request_id="r", **values
        )
        connection.check_constraints()  # those that wait for a commit
        return entry

    return make


def names():
    return [
        one.name.removeprefix(f"{TABLE}_") for one in partitions.list_partitions(connection, TABLE)
    ]


@on_postgresql
def test_the_coming_year_has_partitions_and_nothing_is_wrong_then():
    assert list(access_log_partitions.find_faults(at=NOW))

    tend(at=NOW)

    assert names()[-2:] == ["2029_06", "default"]
    assert list(access_log_partitions.find_faults(at=NOW)) == []


@on_postgresql
def test_old_months_become_files_that_say_what_the_rows_said(call):
    old, last = call(OLD), call(NEW)

    assert tend(at=NOW).endswith("archived 1 rows of 6")

    assert "2027_02" not in names()
    assert list(AccessLogEntry.objects.all()) == [last]
    archive = AccessLogArchive.objects.get()
    assert (archive.first_id, archive.last_id, archive.row_count) == (old.pk, old.pk, 1)


@on_postgresql
def test_archived_rows_are_still_those_that_were_anchored(call):
    keys = [call(at).pk for at in (OLD, NEW, OLD, NEW)]
    source = SOURCES["access_log"]
    records = list(source.records(after=0, until=keys[-1]))

    tend(at=NOW)

    assert AccessLogEntry.objects.count() == 2
    assert list(source.compare(records)) == []
    assert list(source.records(after=0, until=keys[-1])) == records


@on_postgresql
def test_an_archive_that_was_removed_contradicts_the_anchors(call):
    keys = [call(at).pk for at in (OLD, NEW)]
    source = SOURCES["access_log"]
    records = list(source.records(after=0, until=keys[-1]))
    tend(at=NOW)
    archive = AccessLogArchive.objects.get()
    archive.file.storage.delete(archive.file.name)

    [(_, fault)] = source.compare(records)

    assert fault.endswith("1 rows instead of 2")


@on_postgresql
def test_the_newest_row_stays_in_the_table_however_old_it_is(call):
    call(OLD)

    tend(at=NOW)

    assert AccessLogEntry.objects.count() == 1
    assert not AccessLogArchive.objects.exists()


@on_postgresql
def test_without_a_retention_nothing_leaves_the_table(call, settings):
    settings.ACCESS_LOG_MONTHS = 0
    call(OLD)
    call(NEW)

    tend(at=NOW)

    assert AccessLogEntry.objects.count() == 2


@on_postgresql
def test_a_role_that_does_not_own_the_table_says_what_the_owner_has_to_do(call, settings):
    settings.ACCESS_LOG_MONTHS = 0
    call(NOW)
    tend(at=NOW)
    role = f"worker_{secrets.token_hex(4)}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE ROLE {role}")
        for statement in grants.statements(connection, [role]):
            cursor.execute(statement)
        cursor.execute(f"SET LOCAL ROLE {role}")

    assert tend(at=NOW) == "the access log has the partitions that it needs"
    call(datetime(2031, 1, 1, tzinfo=UTC))
    with pytest.raises(Incomplete, match=r"without a partition\. .*manage\.py tend_access_log"):
        tend(at=NOW)

    with connection.cursor() as cursor:
        cursor.execute("RESET ROLE")


@on_postgresql
@pytest.mark.usefixtures("protected_tables")
def test_a_partition_whose_trigger_is_gone_or_switched_off_is_a_fault_of_the_schema():
    partition = f"{TABLE}_default"
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {partition} DISABLE TRIGGER {TABLE}_no_update")

    assert list(schema_faults.find_faults(connection)) == [
        f"partition {partition} lacks the trigger {TABLE}_no_update of its table"
    ]


@pytest.mark.skipif(connection.vendor == "postgresql", reason="it has partitions")
def test_sqlite_keeps_one_table():
    assert tend(at=NOW) == "the access log is one table on this database"
