"""A PostgreSQL that archives its WAL, a base backup of it, and its restore to a moment."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

import psycopg

from tests import postgresql

DURABLE = ("fsync=on", "synchronous_commit=on", "full_page_writes=on")
WAIT_SECONDS = 300


def make_folder(path: Path) -> Path:
    """Make a folder that belongs to the server's user."""
    path.mkdir(parents=True)
    if account := postgresql.account_of_server():
        os.chown(path, account["user"], account["group"])
    return path


@contextmanager
def archiving(home: Path, archive: Path, *, timeout: int) -> Iterator[str]:
    """Serve a new cluster that copies each WAL segment into a folder; yield the URL.

    `timeout` is the number of seconds after which a segment that is not full is archived.
    """
    postgresql.make_cluster(home)
    copy = f"test ! -f {archive}/%f && cp %p {archive}/%f.part && mv {archive}/%f.part {archive}/%f"
    archived = ("archive_mode=on", f"archive_timeout={timeout}", f"archive_command={copy}")
    with postgresql.serving(home, *DURABLE, *archived) as url:
        yield url


def back_up(home: Path, into: Path) -> None:
    """Write a base backup of the cluster in `home` to `into`/data, and verify its checksums."""
    data = into / "data"
    postgresql.run_program(
        home, "pg_basebackup", "-h", home, "-U", "vestibule", "-D", data, "-c", "fast"
    )
    postgresql.run_program(home, "pg_verifybackup", data)


def wait_until_archived(url: str) -> float:
    """Wait until every commit of now is in the archive; return the seconds of the wait."""
    begun = time.monotonic()
    with psycopg.connect(url, autocommit=True) as connection:
        wanted = connection.execute("SELECT pg_walfile_name(pg_current_wal_lsn())").fetchone()
        query = "SELECT coalesce(last_archived_wal, '') >= %s FROM pg_stat_archiver"
        while connection.execute(query, wanted).fetchone() != (True,):
            if time.monotonic() - begun > WAIT_SECONDS:
                raise TimeoutError("the WAL was not archived in time")
            time.sleep(0.1)
    return time.monotonic() - begun


def destroy(home: Path) -> None:
    """Kill the server of a cluster as a power cut would, and delete its files."""
    os.kill(int((home / "data" / "postmaster.pid").read_text().split()[0]), signal.SIGKILL)
    shutil.rmtree(home)


@contextmanager
def restored(home: Path, *, backup: Path, archive: Path, to: datetime) -> Iterator[str]:
    """Serve a base backup, rolled forward to a moment; yield the URL once it can be written."""
    data = home / "data"
    subprocess.run(["/bin/cp", "-a", backup / "data", data], check=True)
    (data / "recovery.signal").touch()
    recovery = (
        f"restore_command=cp {archive}/%f %p",
        f"recovery_target_time={to.isoformat()}",
        "recovery_target_action=promote",
    )
    with postgresql.serving(home, *DURABLE, *recovery) as url:
        _wait_for_promotion(url)
        yield url


def url_of(home: Path, database: str) -> str:
    """Return the URL of a database of the cluster in `home`."""
    return f"postgres://vestibule@{quote(str(home), safe='')}/{database}"


def _wait_for_promotion(url: str) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    with psycopg.connect(url, autocommit=True) as connection:
        while connection.execute("SELECT pg_is_in_recovery()").fetchone() != (False,):
            if time.monotonic() > deadline:
                raise TimeoutError("the recovery did not reach its target in time")
            time.sleep(0.1)
