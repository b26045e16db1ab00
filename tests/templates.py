"""Migrated databases that tests copy: migrating takes longer than many a test.

The database is made when first needed, and anew when a migration has changed. It is kept in the
environment, or on the server, for the next run; a dump of it in the environment fills other
servers. `python -m tests.templates` makes that of DATABASE_URL.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from django.conf import settings
from psycopg import sql

from config import processes
from tests import postgresql

FOLDER = Path(sys.prefix) / "databases"
ON_SERVER = "vestibule_template"
SOURCES = [  # files that decide how a migrated database looks
    "requirements.txt",
    "*/migrations/*.py",
    "foundation/**/*.py",
    "config/management/commands/migrate.py",
    "banking/numbers.py",
    "onboarding/places.py",
    "tests/templates.py",
]
TIMEOUT_SECONDS = 1800  # of a minute of CPU time, on a machine that has much else to do
# Rows of undone tests leave pages. Analyzed then, a table counts as empty, and a test that fills
# the ledger in one transaction gets plans for no rows: they take minutes for a few thousand.
LEDGER = ["banking_posting", "banking_entry", "banking_transaction"]
WITHOUT_AUTOVACUUM = "ALTER TABLE {} SET (autovacuum_enabled = off)"


def is_sqlite():
    return settings.DATABASES["default"]["ENGINE"].endswith("sqlite3")


def copy_file(target):
    """Copy the SQLite template to a path."""
    shutil.copy(file(), target)


def file():
    """Return the path of the SQLite template."""
    template = FOLDER / f"{_fingerprint()}.sqlite3"
    with _one_at_a_time():
        if not template.exists():
            draft = FOLDER / "draft.sqlite3"
            draft.unlink(missing_ok=True)  # of a run that was interrupted
            _migrate(f"sqlite:///{draft}")
            draft.rename(template)
    return template


def name_on_server():
    """Return the name of the PostgreSQL template; it is on the server that the tests use."""
    name = f"{ON_SERVER}_{_fingerprint()}"
    draft = f"{name}_draft"
    url = urlsplit(os.environ["DATABASE_URL"])
    with psycopg.connect(url.geturl(), autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(hashtext(%s))", [ON_SERVER])
        if name not in (known := _templates(connection)):
            execute(connection, "DROP DATABASE IF EXISTS {} WITH (FORCE)", draft)
            execute(connection, "CREATE DATABASE {}", draft)
            _fill(url._replace(path=f"/{draft}").geturl())
            execute(connection, "ALTER DATABASE {} RENAME TO {}", draft, name)
            for former in known - {draft}:
                with suppress(psycopg.errors.ObjectInUse):
                    execute(connection, "DROP DATABASE IF EXISTS {}", former)
    return name


def _fill(url):
    """Restore the dump of a migrated database, or migrate and keep a dump for the next server.

    Without PostgreSQL's programs, or with ones of another version, it migrates.
    """
    dump = FOLDER / f"{_fingerprint()}.sql"
    if dump.exists() and _run("psql", "-q1", "-v", "ON_ERROR_STOP=1", "-f", dump, url):
        return
    _migrate(url)
    with psycopg.connect(url) as connection:
        for table in LEDGER:
            execute(connection, WITHOUT_AUTOVACUUM, table)
    FOLDER.mkdir(exist_ok=True)
    draft = FOLDER / f"draft-{os.getpid()}.sql"  # another server may be filled meanwhile
    if _run("pg_dump", "--no-owner", "-f", draft, url):
        draft.rename(dump)


def _run(name, *arguments):
    """Run a program of PostgreSQL and return whether it is there and succeeds."""
    folder = postgresql.binaries()
    if folder is None or not (folder / name).exists():
        return False
    done = subprocess.run([folder / name, *arguments], capture_output=True, check=False)
    return done.returncode == 0


def _templates(connection):
    found = "SELECT datname FROM pg_database WHERE starts_with(datname, %s)"
    return {name for (name,) in connection.execute(found, [ON_SERVER]).fetchall()}


def execute(connection, statement, *names):
    """Execute a statement with the names of databases, quoted."""
    connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


def _fingerprint():
    digest = hashlib.sha256()
    for path in sorted(path for source in SOURCES for path in settings.BASE_DIR.glob(source)):
        digest.update(str(path.relative_to(settings.BASE_DIR)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@contextmanager
def _one_at_a_time():
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _migrate(url):
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity=0"],
        cwd=settings.BASE_DIR,
        env={
            "PATH": os.environ["PATH"],
            "DJANGO_SETTINGS_MODULE": "config.settings_test",
            "DATABASE_URL": url,
        },
        timeout=TIMEOUT_SECONDS,
        check=True,
        preexec_fn=partial(processes.end_with, os.getpid()),
    )


if __name__ == "__main__":
    file() if is_sqlite() else name_on_server()
