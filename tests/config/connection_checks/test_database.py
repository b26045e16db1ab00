"""The connection check of a real PostgreSQL, right and wrong."""

from random import randrange

import dj_database_url
import psycopg
import pytest
from django.conf import settings

from config.connection_checks import database
from foundation.database.postgresql.base import DatabaseWrapper
from tests import postgresql

pytestmark = [pytest.mark.one_database, pytest.mark.django_db]
ROLES = """
    CREATE ROLE vestibule_owner LOGIN PASSWORD 'right-0123456789';
    CREATE ROLE vestibule_web LOGIN PASSWORD 'right-0123456789';
    CREATE DATABASE bank OWNER vestibule_owner;
"""
TABLE = "CREATE TABLE note (id int); GRANT SELECT ON note TO vestibule_web; ALTER TABLE note OWNER"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Start a PostgreSQL without TLS that asks for passwords, and yield its address."""
    rules = tmp_path_factory.getbasetemp() / "pg_hba.conf"
    rules.write_text("local all all trust\nhost bank all 127.0.0.0/8 scram-sha-256\n")
    for folder in [rules, *rules.parents][:4]:
        folder.chmod(folder.stat().st_mode | 0o055)
    found = f"127.{randrange(1, 255)}.{randrange(255)}.{randrange(1, 255)}"
    options = [f"hba_file={rules}", f"listen_addresses={found}"]
    try:
        with postgresql.throwaway(*options) as server:
            with psycopg.connect(server.url, autocommit=True) as connection:
                for statement in ROLES.strip().splitlines():
                    connection.execute(statement)
            bank = server.url.replace("/postgres", "/bank")
            with psycopg.connect(bank, autocommit=True) as connection:
                connection.execute(f"{TABLE} TO vestibule_owner")
            yield found
    except postgresql.Unavailable as exc:
        pytest.skip(str(exc))


@pytest.fixture
def findings(address):
    """Return the findings of a connection to the server."""

    def ask(role="vestibule_web", password="right-0123456789", at=5432, query=""):
        url = f"postgres://{role}:{password}@{address}:{at}/bank?connect_timeout=3{query}"
        parsed = dj_database_url.parse(url, conn_max_age=None)
        options = {"AUTOCOMMIT": True, "ATOMIC_REQUESTS": False, "TIME_ZONE": None, **parsed}
        defaults = {"CONN_HEALTH_CHECKS": False, "TEST": {}}
        probe = DatabaseWrapper({**defaults, **options}, alias="probe")
        return list(database.check_connection(probe))

    return ask


def test_a_role_that_owns_nothing_has_no_fault(findings):
    [found] = findings()

    assert "answers vestibule_web, without TLS" in found.text
    assert not found.hint


@pytest.mark.parametrize(
    ("values", "text", "hint"),
    [
        ({"password": "wrong"}, "password authentication failed", "password of this role"),
        ({"query": "&sslmode=require"}, "does not support SSL", "Switch `ssl` on"),
        ({"role": "vestibule_owner"}, "owns 1 tables", "roles of their own"),
        ({"at": 1}, "refused", "Nothing listens there"),
    ],
)
def test_each_fault_is_a_sentence_with_a_hint(findings, values, text, hint):
    found = findings(**values)[-1]

    assert text in found.text
    assert hint in found.hint


def test_time_limits_that_do_not_arrive_are_a_fault(findings, monkeypatch):
    monkeypatch.setattr(database, "LIMIT", "4321")  # shown in another unit, as by a pooler's role

    assert "Time limits do not reach the server" in findings()[-1].text


def test_clocks_that_differ_are_a_fault(findings, monkeypatch):
    monkeypatch.setattr(database.time, "time", lambda: 0.0)

    assert "clocks" in findings()[-1].text


def test_the_docs_name_each_step_that_a_hint_names():
    assert "**Step 1: the database.**" in (settings.BASE_DIR / "docs/production.md").read_text()
