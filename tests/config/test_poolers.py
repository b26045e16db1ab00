"""Poolers: that of Debian 12 is refused with a sentence, the documented one is fit."""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import quote

import dj_database_url
import psycopg
import pytest
from django.db import connection

from config import database_limits, deploy_pooler, processes
from tests import postgresql
from tests.poolers import NEEDED, PGBOUNCER, version

pytestmark = pytest.mark.one_database
FILE = Path("docs/production/pgbouncer.ini")
TIMEOUT_SECONDS = 60


needs_pgbouncer = pytest.mark.skipif(PGBOUNCER is None, reason="pgbouncer is not installed")
needs_newer = pytest.mark.skipif(
    version() < NEEDED, reason="no pgbouncer 1.21 or newer; name one in PGBOUNCER"
)


@pytest.fixture(scope="module")
def server():
    try:
        with postgresql.throwaway() as found:
            yield dj_database_url.parse(found.url)
    except postgresql.Unavailable as exc:
        pytest.skip(str(exc))


@contextmanager
def pooler(server, **changes):
    """Run pgbouncer with the documented file, adapted to this machine, and yield its settings."""
    home = Path(tempfile.mkdtemp(prefix="vestibule-pgbouncer-"))
    account = postgresql.account_of_server()
    values = {
        "listen_addr": "",
        "unix_socket_dir": home,
        "listen_port": 6432,
        "auth_type": "trust",
        "auth_file": home / "users",
        "server_tls_sslmode": "disable",
        "server_tls_ca_file": "",
        **changes,
    }
    line = f"bank = host={server['HOST']} dbname=postgres"
    text = re.sub(r"^vestibule = .*", line, FILE.read_text(), flags=re.MULTILINE)
    for name, value in values.items():
        written = f"{name} = {value}" if value != "" else ""
        text, found = re.subn(rf"^{name} =.*", written, text, flags=re.MULTILINE)
        assert found == 1, name
    if version() < NEEDED:
        text = text.replace("max_prepared_statements", ";max_prepared_statements")
    (home / "users").write_text('"vestibule" ""\n')
    (home / "ini").write_text(text)
    if account:
        for path in (home, home / "users", home / "ini"):
            os.chown(path, account["user"], account["group"])
    process = subprocess.Popen(
        [PGBOUNCER, home / "ini"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=home,
        preexec_fn=partial(processes.end_with, os.getpid()), **account,
    )  # fmt: skip
    url = f"postgres://vestibule@{quote(str(home), safe='')}:6432/bank"
    try:
        end = time.monotonic() + TIMEOUT_SECONDS
        while not listens(home / ".s.PGSQL.6432"):
            assert process.poll() is None, process.stdout.read().decode()
            assert time.monotonic() < end, "pgbouncer did not start"
            time.sleep(0.05)
        yield settings_of(url)
    finally:
        process.terminate()
        process.wait(TIMEOUT_SECONDS)
        process.stdout.close()
        shutil.rmtree(home, ignore_errors=True)


def listens(path):
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(str(path)) == 0


def settings_of(url):
    usual = connection.settings_dict
    named = dj_database_url.parse(url)
    options = {**database_limits.options(named.get("OPTIONS", {})), "prepare_threshold": 5}
    engine = "foundation.database.postgresql"
    return {**usual, "TEST": {}, **named, "ENGINE": engine, "OPTIONS": options}


def faults_of(database):
    return [fault.id for fault in deploy_pooler.faults(database)]


@pytest.fixture(autouse=True)
def unblocked(django_db_blocker):
    """Let connections be made: to servers of our own, not to the database of the tests."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture
def limited(server):
    """Give the role a time limit, as the documentation has it for poolers."""
    name = {"host": server["HOST"], "user": server["USER"], "dbname": "postgres"}
    with psycopg.connect(**name, autocommit=True) as session:
        session.execute("ALTER ROLE vestibule SET statement_timeout = '5s'")
        yield
        session.execute("ALTER ROLE vestibule RESET statement_timeout")


def test_a_server_without_a_pooler_is_fit(server):
    url = f"postgres://vestibule@{quote(server['HOST'], safe='')}/postgres"

    assert faults_of(settings_of(url)) == []


@needs_pgbouncer
@pytest.mark.skipif(version() >= NEEDED, reason="this pgbouncer knows prepared statements")
def test_the_pooler_of_debian_is_refused(server, limited):
    with pooler(server) as database:
        assert faults_of(database) == ["vestibule.E110"]


@needs_pgbouncer
def test_any_pooler_may_keep_sessions(server, limited):
    with pooler(server, pool_mode="session") as database:
        assert faults_of(database) == []


@needs_pgbouncer
def test_limits_that_a_pooler_drops_are_missed(server):
    with pooler(server, pool_mode="session") as database:
        assert faults_of(database) == ["vestibule.E111"]


@needs_pgbouncer
def test_a_pooler_that_refuses_the_options_is_told_how_to_take_them(server):
    with pooler(server, ignore_startup_parameters="extra_float_digits") as database:
        (fault,) = deploy_pooler.faults(database)

    assert fault.id == "vestibule.E112"
    assert "ignore_startup_parameters = options" in fault.hint


@needs_newer
def test_the_documented_file_is_fit(server, limited):
    with pooler(server) as database:
        assert faults_of(database) == []


@needs_newer
def test_a_newer_pooler_without_prepared_statements_is_refused(server, limited):
    with pooler(server, max_prepared_statements=0) as database:
        assert faults_of(database) == ["vestibule.E110"]


def test_sqlite_and_unnamed_databases_are_not_asked(settings):
    assert deploy_pooler.connections_keep_statements() == []
