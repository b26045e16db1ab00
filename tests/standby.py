"""A streaming replica of the PostgreSQL that the tests use, as `pg_basebackup -R` makes one."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psycopg

from config import processes
from tests import postgresql

TIMEOUT_SECONDS = 120


class Standby:
    """A running standby: its folder, which has its socket, and its process."""

    def __init__(self, home, binaries, account):
        self.home, self.binaries, self.account = home, binaries, account
        self.process = None

    def execute(self, query):
        with psycopg.connect(host=str(self.home), user="vestibule", dbname="postgres") as session:
            return session.execute(query).fetchone()[0]

    def start(self):
        command = [
            *(self.binaries / "postgres", "-D", self.home / "data", "-k", self.home),
            *("-clisten_addresses=", "-cfsync=off", "-cmax_connections=200"),
        ]
        with (self.home / "log").open("a") as log:
            self.process = subprocess.Popen(
                command, cwd=self.home, stdout=log, stderr=log, start_new_session=True,
                preexec_fn=partial(processes.end_with, os.getpid()), **self.account,
            )  # fmt: skip
        end = time.monotonic() + TIMEOUT_SECONDS
        while not self.answers():
            assert time.monotonic() < end, (self.home / "log").read_text()[-2000:]
            time.sleep(0.1)

    def answers(self):
        try:
            return bool(self.execute("SELECT pg_is_in_recovery()"))
        except psycopg.Error:
            return False

    def kill(self):
        self.process.send_signal(signal.SIGQUIT)  # PostgreSQL's immediate shutdown
        self.process.wait(TIMEOUT_SECONDS)


@contextmanager
def standby_of(values):
    """Yield a standby of the server of a Django connection. Raises: Unavailable."""
    binaries = postgresql.binaries()
    if binaries is None or not (binaries / "pg_basebackup").exists():
        raise postgresql.Unavailable("there is no pg_basebackup")
    account = postgresql.account_of_server()
    home = Path(tempfile.mkdtemp(prefix="vestibule-standby-"))
    named = {"-h": values["HOST"], "-p": values["PORT"], "-U": values["USER"]}
    options = [part for name, value in named.items() if value for part in (name, str(value))]
    standby = Standby(home, binaries, account)
    try:
        if account:
            os.chown(home, account["user"], account["group"])
        copied = subprocess.run(
            [binaries / "pg_basebackup", *options, "-D", home / "data", "-R", "-c", "fast"],
            env={**os.environ, "PGPASSWORD": values["PASSWORD"] or ""}, capture_output=True,
            text=True, check=False, cwd=home, timeout=TIMEOUT_SECONDS, **account,
        )  # fmt: skip
        if copied.returncode:
            raise postgresql.Unavailable(copied.stderr.strip())
        standby.start()
        yield standby
    finally:
        if standby.process and standby.process.poll() is None:
            standby.kill()
        shutil.rmtree(home, ignore_errors=True)
