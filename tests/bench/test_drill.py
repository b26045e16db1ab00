"""The restore drill, in a small size: `make drill`."""

import os
import subprocess
import sys

import pytest
from django.db import connection

from bench.servers import ROOT
from tests import postgresql
from tests.e2e.serving import migrated_database

TIMEOUT_SECONDS = 1200
INHERITED = {"PATH", "HOME", "TMPDIR", "LANG"}  # not the settings of the tests


@pytest.fixture
def tables(db, tmp_path):
    """A dump of the empty tables of a migrated database, to save their migrations."""
    if connection.vendor != "postgresql" or postgresql.binaries() is None:
        pytest.skip("the drill is run once, on PostgreSQL with its server binaries")
    dump = tmp_path / "tables.sql"
    with migrated_database(tmp_path) as url:  # with the triggers that the tests' own database lacks
        program = postgresql.binaries() / "pg_dump"
        subprocess.run([program, "-O", "-x", "-f", dump, "-d", url], check=True)
    return dump


def test_everything_before_the_moment_is_back_and_nothing_after_it(tables):
    sizes = ["--leads", "2", "--more", "1", "--archive-seconds", "2"]
    environment = {name: value for name, value in os.environ.items() if name in INHERITED}

    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "bench.drill", *sizes, "--tables", tables],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
        timeout=TIMEOUT_SECONDS,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr
    assert "| acknowledged leads from before the moment | 3 |" in done.stdout
    assert "| of these missing | 0 |" in done.stdout
