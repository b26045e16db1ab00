"""Moments: read from PostgreSQL as Django would, only faster."""

from datetime import UTC, datetime

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from foundation.database.timestamps import TimestampLoader, aware

only_postgresql = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite keeps moments as text"
)


def timestamp(text):
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::timestamptz", [text])
        return cursor.fetchone()[0]


@only_postgresql
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-02 12:00:00+00", datetime(2026, 3, 2, 12, tzinfo=UTC)),
        ("2026-03-02 12:00:00.1+00", datetime(2026, 3, 2, 12, microsecond=100_000, tzinfo=UTC)),
        ("2026-03-02 12:00:00.123456+02", datetime(2026, 3, 2, 10, 0, 0, 123_456, tzinfo=UTC)),
        ("0001-01-01 00:00:00+00", datetime(1, 1, 1, tzinfo=UTC)),
        (None, None),
    ],
)
def test_a_moment_comes_back_in_utc(db, text, expected):
    found = timestamp(text)

    assert found == expected
    assert found is None or found.tzinfo is UTC


@only_postgresql
@pytest.mark.parametrize("text", ["infinity", "12026-01-01", "0044-01-01 BC"])
def test_what_python_cannot_hold_is_refused(db, text):
    with pytest.raises(DatabaseError), transaction.atomic():
        timestamp(text)


@only_postgresql
def test_every_connection_reads_so(db):
    oid = psycopg.postgres.types["timestamptz"].oid

    loader = connection.connection.adapters.get_loader(oid, psycopg.pq.Format.TEXT)

    assert loader is TimestampLoader


def test_a_timestamp_without_a_zone_is_one_of_utc():
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)

    assert aware(noon) is noon
    assert aware(noon.replace(tzinfo=None)) == noon
