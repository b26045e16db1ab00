"""Outages are two lines, however many threads meet them."""

import logging
import sys
from types import SimpleNamespace

import psycopg
import pytest
from amqp.exceptions import RecoverableConnectionError
from django.db import InterfaceError, OperationalError, connections
from django.db.backends.signals import connection_created
from kombu.exceptions import OperationalError as BrokerError

from config import outages


@pytest.fixture
def logged(monkeypatch):
    """Log through the filter; return the lines that are logged."""
    lines = []
    monkeypatch.setattr(outages, "database", outages.Outage("database", logging.CRITICAL))
    monkeypatch.setattr(outages, "broker", outages.Outage("broker", logging.ERROR))
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(
        record.msg if isinstance(record.msg, dict) else record.getMessage()
    )
    handler.addFilter(outages.OutageFilter())
    root = logging.getLogger()
    root.addHandler(handler)
    yield lines
    root.removeHandler(handler)


def fail(cause, error=OperationalError):
    try:
        raise error("connection refused\nIs the server running?") from cause
    except error:
        logging.getLogger("celery.app.trace").exception("Task raised unexpected")


def connect(settings):
    connection_created.send(None, connection=SimpleNamespace(settings_dict=settings))


def test_an_outage_of_the_database_is_a_line_at_its_begin_and_one_at_its_end(logged):
    for _ in range(3):
        fail(psycopg.OperationalError())
    connect(connections.settings["default"])
    connect(connections.settings["default"])

    assert len(logged) == 2
    assert logged[0] == "the database is away: connection refused"
    assert logged[1].startswith("the database is back after 0.")


def test_a_connection_to_the_replica_ends_no_outage_of_the_database(logged):
    fail(psycopg.OperationalError())
    connect({**connections.settings["default"], "HOST": "replica.example.com"})

    assert logged == ["the database is away: connection refused"]


def test_a_second_outage_is_logged_anew(logged):
    for _ in range(2):
        fail(psycopg.OperationalError())
        outages.database.end()

    assert len(logged) == 4


def test_a_time_limit_of_a_statement_is_no_outage(logged):
    fail(psycopg.errors.QueryCanceled())

    assert logged == ["Task raised unexpected"]


def test_a_closed_cursor_is_a_fault_of_ours_and_a_closed_connection_an_outage(logged):
    fail(psycopg.InterfaceError("the cursor is closed"), InterfaceError)
    fail(psycopg.InterfaceError("the connection is closed"), InterfaceError)

    assert logged == ["Task raised unexpected", "the database is away: connection refused"]


def test_the_lines_of_celery_about_its_broker_are_one(logged):
    consumer = logging.getLogger("celery.worker.consumer.consumer")

    for _ in range(3):
        consumer.error("consumer: Cannot connect to %s: %s.\n%s", "redis://", OSError("no"), "")
        fail(OSError(), BrokerError)
    outages.broker.end()

    assert [line.partition(" after")[0] for line in logged] == [
        "the broker is away: no",
        "the broker is back",
    ]


@pytest.mark.parametrize(
    "fault",
    [RecoverableConnectionError("connection already closed"), BrokenPipeError(32, "Broken pipe")],
    ids=lambda fault: type(fault).__name__,
)
def test_a_message_of_a_connection_that_has_ended_begins_no_outage(logged, fault):
    outages.broker.begin("connection reset")
    outages.broker.end()
    try:
        raise fault
    except (RecoverableConnectionError, BrokenPipeError) as exc:
        line = "Couldn't ack %r, reason:%r"
        logging.getLogger("celery.worker.request").critical(line, 7, exc, exc_info=True)

    assert [line.partition(" after")[0] for line in logged] == [
        "the broker is away: connection reset",
        "the broker is back",
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("celery.worker.loops", "the broker is away: [Errno 32] Broken pipe"),
        ("celery.app.trace", "Error cleaning up after event loop"),  # of a task: not the broker
    ],
)
def test_a_broken_pipe_of_the_worker_is_an_outage_and_one_of_a_task_is_not(logged, name, expected):
    try:
        raise BrokenPipeError(32, "Broken pipe")
    except BrokenPipeError:
        logging.getLogger(name).exception("Error cleaning up after event loop")

    assert logged == [expected]


def test_a_request_keeps_its_line_without_the_traceback(logged):
    try:
        raise OperationalError("gone") from psycopg.OperationalError()
    except OperationalError:
        event = {"event": "request_failed", "exc_info": sys.exc_info()}
        logging.getLogger("django_structlog").error(event)

    assert logged == ["the database is away: gone", {"event": "request_failed"}]
