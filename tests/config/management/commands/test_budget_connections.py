"""The connections of all programs, against those of the server."""

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from config import connection_budgets
from config.connection_budgets import Machines

TWO = Machines(web=2, workers=2, beats=1, others=10)
on_postgresql = pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no limit")


@pytest.fixture(autouse=True)
def sizes(settings):
    settings.WEB_WORKERS, settings.WEB_THREADS, settings.CELERY_WORKER_CONCURRENCY = 2, 4, 32


def test_each_program_holds_what_its_threads_hold(settings):
    alone = {name: count for name, count, _ in connection_budgets.lines_of(TWO)}
    settings.DATABASE_REPLICA = {"NAME": "x"}
    with_replica = connection_budgets.lines_of(TWO)[0]

    assert alone == {"web": 16, "workers": 64, "beat": 1, "others": 10}
    assert with_replica == ("web", 20, "2 * 2 WEB_WORKERS * (4 WEB_THREADS + 1 for the replica)")


def test_the_metrics_of_a_worker_have_connections_of_their_own(settings):
    settings.METRICS_PORT = 9101

    workers = connection_budgets.lines_of(TWO)[1]

    assert workers == ("workers", 68, "2 * (32 WORKER_THREADS + 2 for the metrics)")


@pytest.mark.parametrize(
    ("usable", "pool", "fits", "words"),
    [
        (97, None, True, "They fit: 6 are left."),
        (80, None, False, "11 are missing: set max_connections to 96 or more"),
        (97, 30, True, "take 81 connections of programs (max_client_conn); it holds 30 of"),
        (97, 90, False, "open 87 at most (default_pool_size)"),
    ],
)
def test_the_verdict_says_what_to_change(usable, pool, fits, words):
    assert connection_budgets.fits(91, usable, TWO, pool=pool) is fits
    assert words in connection_budgets.verdict(91, usable, TWO, pool=pool)


@on_postgresql
@pytest.mark.django_db
def test_the_server_is_asked(capsys):
    call_command("budget_connections")
    fitting = capsys.readouterr().out
    with pytest.raises(SystemExit):
        call_command("budget_connections", workers=1000)

    assert f"the server has {connection_budgets.usable_connections():,} for them" in fitting
    assert "are missing" in capsys.readouterr().out


@pytest.mark.skipif(connection.vendor == "postgresql", reason="PostgreSQL has a limit")
def test_sqlite_has_no_limit():
    with pytest.raises(CommandError, match="SQLite"):
        call_command("budget_connections")
