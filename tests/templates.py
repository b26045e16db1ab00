"""Migrated databases that tests copy: migrating takes longer than many a test.

The database is made when first needed, and anew when a migration has changed.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from django.conf import settings
from psycopg import sql

FOLDER = Path(sys.prefix) / "databases"
SOURCES = [  # files that decide how a migrated database looks
    "requirements.txt",
    "*/migrations/*.py",
    "foundation/**/*.py",
    "config/management/commands/migrate.py",
    "banking/numbers.py",
    "onboarding/places.py",
]
PATIENCE = 600


def is_sqlite():
    return settings.DATABASES["default"]["ENGINE"].endswith("sqlite3")


def copy_file(target):
    """Copy the SQLite template to a path."""
    template = FOLDER / f"{_fingerprint()}.sqlite3"
    with _one_at_a_time():
        if not template.exists():
            draft = FOLDER / "draft.sqlite3"
            draft.unlink(missing_ok=True)  # of a run that was interrupted
            _migrate(f"sqlite:///{draft}")
            draft.rename(template)
        shutil.copy(template, target)


def name_on_server():
    """Return the name of the PostgreSQL template; it is on the server that the tests use."""
    name = f"{os.environ.get('TEST_DATABASE_NAME', 'test_vestibule')}_template"
    url = urlsplit(os.environ["DATABASE_URL"])
    found = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s"
    with _one_at_a_time(), psycopg.connect(url.geturl(), autocommit=True) as connection:
        if connection.execute(found, [name]).fetchone() != (_fingerprint(),):
            execute(connection, "DROP DATABASE IF EXISTS {} WITH (FORCE)", name)
            execute(connection, "CREATE DATABASE {}", name)
            _migrate(url._replace(path=f"/{name}").geturl())
            comment = sql.SQL("COMMENT ON DATABASE {} IS {}")
            connection.execute(comment.format(sql.Identifier(name), sql.Literal(_fingerprint())))
    return name


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
        timeout=PATIENCE,
        check=True,
    )
