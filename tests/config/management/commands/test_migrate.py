"""`manage.py migrate` beside a transaction that keeps a table."""

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

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
        host=ours.host, port=ours.port, user=ours.user, dbname=ours.dbname
    ) as other:
        other.execute("LOCK TABLE django_migrations IN ACCESS EXCLUSIVE MODE")
        yield other
        other.rollback()


def run():
    call_command("migrate", interactive=False, verbosity=0)


def test_it_lets_others_pass_and_tries_again(holder, monkeypatch, capsys):
    monkeypatch.setattr(migrate.time, "sleep", lambda _seconds: holder.rollback())

    run()

    assert capsys.readouterr().err.count("A table is in use.") == 1


def test_it_gives_up_with_a_sentence(holder, monkeypatch):
    monkeypatch.setattr(migrate, "MAX_TRIES", 2)
    monkeypatch.setattr(migrate, "PAUSE_SECONDS", 0.0)

    with pytest.raises(CommandError, match="stayed in use through 2 tries"):
        run()


def test_it_leaves_the_connection_as_it_was(db):
    run()

    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("0",)
