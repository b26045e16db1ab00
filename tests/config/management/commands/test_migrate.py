"""`manage.py migrate` beside a transaction that keeps a table."""

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection

from config.management.commands import migrate

pytestmark = [
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no lock of a table"),
    pytest.mark.django_db(transaction=True),
]


@pytest.fixture
def holder(monkeypatch):
    """Keep the table of migrations in a transaction of another connection."""
    monkeypatch.setattr(migrate, "LOCK_SECONDS", 1)
    connection.ensure_connection()
    ours = connection.connection.info
    with psycopg.connect(
        host=ours.host,
        port=ours.port,
        user=ours.user,
        dbname=ours.dbname,
        application_name="a long report",
    ) as other:
        other.execute("LOCK TABLE django_migrations IN ACCESS EXCLUSIVE MODE")
        yield other
        other.rollback()


def run():
    call_command("migrate", interactive=False, verbosity=0)


def test_it_lets_others_pass_and_tries_again(holder, monkeypatch, capsys):
    monkeypatch.setattr(migrate.time, "sleep", lambda _seconds: holder.rollback())

    run()

    (line,) = capsys.readouterr().err.strip().splitlines()
    process = holder.info.backend_pid
    assert line.startswith(f"django_migrations is in use by process {process} (a long report), for")
    assert line.endswith("The next try is in 2 s.")


def test_it_waits_longer_each_time_and_gives_up_with_a_sentence(holder, monkeypatch):
    waits = []
    monkeypatch.setattr(migrate, "PAUSES", migrate.PAUSES[:2])
    monkeypatch.setattr(migrate.time, "sleep", waits.append)

    with pytest.raises(CommandError, match=r"^django_migrations is in use .* That is try 3, "):
        run()

    assert waits == [2.0, 4.0]


def test_a_lock_that_is_missed_at_the_commit_is_tried_again_too(monkeypatch, capsys):
    tries = []

    def handle(_command, *_arguments, **_options):
        tries.append(1)
        if len(tries) == 1:  # a deferred foreign key waits for its row without a statement of ours
            raise OperationalError from psycopg.errors.LockNotAvailable()

    monkeypatch.setattr(migrate.migrate.Command, "handle", handle)
    monkeypatch.setattr(migrate.time, "sleep", lambda _seconds: None)

    run()

    assert len(tries) == 2
    assert "It waited 0.5 s: COMMIT." in capsys.readouterr().err


def test_it_leaves_the_connection_as_it_was(db):
    run()

    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("0",)
