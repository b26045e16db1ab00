"""How long each program waits for PostgreSQL."""

import os
import signal

import pytest
from django.db import OperationalError, connection

from config import database_limits
from foundation.database import deadlines
from foundation.database.postgresql.base import DatabaseWrapper

on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="has no such limits")


@pytest.fixture
def connect(db, monkeypatch):
    """Connect as a program would, with the options of a DATABASE_URL."""
    made = []

    def run(program, **given):
        monkeypatch.setattr(database_limits, "program", program)
        options = database_limits.options(given)
        made.append(DatabaseWrapper({**connection.settings_dict, "OPTIONS": options}))
        return made[-1]

    yield run
    for one in made:
        one.close()


def shown(one, name):
    with one.cursor() as cursor:
        cursor.execute(f"SHOW {name}")
        return cursor.fetchone()[0]


@pytest.mark.parametrize(
    ("program", "seconds"), [("web", 7), ("worker", 62), ("beat", 7), ("manage", None)]
)
def test_a_program_gives_up_a_server_that_cancels_nothing(monkeypatch, program, seconds):
    monkeypatch.setattr(database_limits, "program", program)

    assert database_limits.options({})["answer_seconds"] == seconds


@pytest.mark.parametrize(
    ("given", "seconds"),
    [
        ("-c statement_timeout=3000", 5), ("-c statement_timeout=3s", 5),
        ("-c statement_timeout=1min", 62), ("-c statement_timeout=0", None),
        ("-c work_mem=64MB", 7),
    ],
)  # fmt: skip
def test_the_deadline_follows_the_limit_of_the_url(monkeypatch, given, seconds):
    monkeypatch.setattr(database_limits, "program", "web")

    assert database_limits.options({"options": given})["answer_seconds"] == seconds


def test_an_environment_variable_sets_the_limit(monkeypatch):
    monkeypatch.setattr(database_limits, "program", "worker")
    monkeypatch.setenv("WORKER_STATEMENT_SECONDS", "600")

    assert "-c statement_timeout=600000 " in database_limits.options({})["options"]


@pytest.mark.parametrize(
    "given",
    [{}, {"application_name": "mine", "options": "-c work_mem=64MB"}, {"connect_timeout": 9}],
    ids=str,
)
def test_a_fork_of_a_command_connects_as_the_program_would(settings, monkeypatch, given):
    monkeypatch.setattr(database_limits, "program", "manage")
    fork = {"OPTIONS": {**database_limits.options(given), "prepare_threshold": 5}}
    monkeypatch.setitem(settings.DATABASES, "default", fork)

    database_limits.become("worker")

    assert fork["OPTIONS"] == {**database_limits.options(given), "prepare_threshold": 5}
    assert database_limits.program == "worker"


def test_a_fork_leaves_sqlite_as_it_is(settings, monkeypatch):
    monkeypatch.setattr(database_limits, "program", "manage")
    fork = {"OPTIONS": {"timeout": 20}}
    monkeypatch.setitem(settings.DATABASES, "default", fork)

    database_limits.become("worker")

    assert fork == {"OPTIONS": {"timeout": 20}}


@on_postgresql
@pytest.mark.parametrize(
    ("program", "limits"),
    [
        ("web", ["5s", "2s", "30s"]),
        ("worker", ["1min", "10s", "2min"]),
        ("manage", ["0", "0", "0"]),
    ],
)
def test_the_server_knows_the_program_and_its_limits(connect, program, limits):
    one = connect(program)

    names = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]
    assert [shown(one, name) for name in names] == limits
    assert shown(one, "application_name") == f"vestibule-{program}"


@on_postgresql
def test_options_of_the_url_win(connect):
    one = connect("web", options="-c statement_timeout=1234", application_name="mine")

    assert shown(one, "statement_timeout") == "1234ms"
    assert shown(one, "lock_timeout") == "2s"
    assert shown(one, "application_name") == "mine"


@on_postgresql
def test_a_statement_that_takes_too_long_is_cancelled_and_the_connection_stays(connect):
    one = connect("web", options="-c statement_timeout=50")

    with pytest.raises(OperationalError, match="statement timeout"), one.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(60)")

    assert shown(one, "statement_timeout") == "50ms"


@on_postgresql
def test_a_server_that_is_frozen_is_given_up(connect, monkeypatch):
    monkeypatch.setattr(deadlines, "MARGIN_SECONDS", 0.1)
    one = connect("web", options="-c statement_timeout=100")
    one.ensure_connection()
    backend = one.connection.info.backend_pid
    try:
        os.kill(backend, signal.SIGSTOP)
    except (PermissionError, ProcessLookupError):
        pytest.skip("the server is another user's, or on another machine")
    try:
        with pytest.raises(OperationalError), one.cursor() as cursor:
            cursor.execute("SELECT 1")
    finally:
        os.kill(backend, signal.SIGCONT)

    assert one.connection.closed
