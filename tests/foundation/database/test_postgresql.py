"""A kept connection is taken for alive without a question, and never when it is not."""

import psycopg
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

pytestmark = [
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no connection"),
    pytest.mark.django_db(transaction=True),
]


def test_an_idle_connection_is_usable_unasked():
    connection.ensure_connection()

    with CaptureQueriesContext(connection) as captured:
        assert connection.is_usable()

    assert not captured.captured_queries


def test_one_that_the_server_ended_is_not():
    connection.ensure_connection()
    ours = connection.connection
    with psycopg.connect(
        host=ours.info.host, port=ours.info.port, user=ours.info.user, dbname=ours.info.dbname
    ) as other:
        other.execute("SELECT pg_terminate_backend(%s, 5000)", [ours.info.backend_pid])

    assert not connection.is_usable()

    connection.close()


def test_one_that_was_closed_is_not():
    connection.ensure_connection()
    connection.connection.close()

    assert not connection.is_usable()

    connection.close()


def test_one_whose_transaction_was_aborted_is_asked():
    connection.ensure_connection()
    with pytest.raises(psycopg.Error):
        connection.connection.execute("BEGIN; SELECT nonsense")

    assert not connection.is_usable()

    connection.close()
