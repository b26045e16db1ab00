"""Run the suite on each database that can be had: `python -m tests.databases [pytest options]`."""

import os
import secrets
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

from config import env, processes
from tests import postgresql

PROCESSES = min(6, (os.cpu_count() or 1) + 2)  # many tests wait for a process or a browser
PYTEST = [sys.executable, "-m", "pytest", "-q", "-n", str(PROCESSES)]
COMPILED = {"PYTHONDONTWRITEBYTECODE": ""}  # once, not by each process of each run
SETTINGS = {"DJANGO_SETTINGS_MODULE": "config.settings_test"}
SLOW_TO_COLLECT = "tests/onboarding/api/test_contract.py"  # each of its tests is one_database
ON_SQLITE = ["-m", "one_database or not on_postgresql"]
ON_POSTGRESQL = ["-m", "not one_database", f"--ignore={SLOW_TO_COLLECT}"]
OF_STANDBY = "tests/foundation/database/test_replica.py"
STANDBY = "PostgreSQL with a standby"
NOT_RUN = "not run, though it must be"
NAME = f"test_vestibule_{secrets.token_hex(4)}"  # two runs on one server do not meet


def main() -> int:
    """Run, say at the end what ran, and return the exit status."""
    for ending in (signal.SIGINT, signal.SIGTERM):  # an exit clears away what was started
        signal.signal(ending, lambda number, _frame: sys.exit(128 + number))
    sqlite, verdicts = f"SQLite {sqlite3.sqlite_version}", {}
    with ExitStack() as opened:
        opened.enter_context(_template(""))
        try:
            server = opened.enter_context(postgresql.server())
        except postgresql.Unavailable as exc:
            verdicts[sqlite] = _suite(sqlite, "", [])
            verdicts["PostgreSQL"] = f"{NOT_RUN if is_required() else 'not run'}: {exc}"
        else:
            opened.enter_context(_template(server.url))
            verdicts[sqlite] = _suite(sqlite, "", ON_SQLITE)
            title = f"PostgreSQL, {server.origin}"
            verdicts[title] = _on_postgresql(title, server.url)
            if not sys.argv[1:]:
                verdicts[STANDBY] = _with_standby()
    print(*(f"{title}: {verdict}" for title, verdict in verdicts.items()), sep="\n")  # noqa: T201 - the report
    return int(any(verdict.startswith(("failed", NOT_RUN)) for verdict in verdicts.values()))


def is_required() -> bool:
    """Say whether PostgreSQL was promised."""
    return env.flag("CI") or bool(os.environ.get("TEST_DATABASE_URL"))


@contextmanager
def _template(url: str) -> Iterator[None]:
    """Migrate the template of a database meanwhile; if that fails, a test that needs it says so."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.templates"],
        env={**os.environ, **COMPILED, **SETTINGS, "DATABASE_URL": url},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=partial(processes.end_with, os.getpid()),
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def _on_postgresql(title: str, url: str) -> str:
    try:
        apart = [] if sys.argv[1:] else [f"--ignore={OF_STANDBY}"]
        verdict = _suite(title, url, [*ON_POSTGRESQL, *apart])
        return f"{verdict}; some tests ran on one of the two alone, CONTRIBUTING.md says which"
    finally:
        postgresql.drop_databases(url, NAME)


def _with_standby() -> str:
    """Run the tests of a standby on a server of their own, whatever the usual server permits.

    A standby is not ready while a transaction has many savepoints, as those of other tests have.
    """
    try:
        with postgresql.throwaway() as server:
            return _suite(STANDBY, server.url, ["-n", "0", OF_STANDBY])
    except postgresql.Unavailable as exc:
        return f"not run: {exc}"


def _suite(title: str, url: str, chosen: list[str]) -> str:
    print(f"\n== {title}", flush=True)  # noqa: T201 - the report
    process = subprocess.Popen(
        [*PYTEST, *chosen, *sys.argv[1:]],
        env={**os.environ, **COMPILED, "DATABASE_URL": url, "TEST_DATABASE_NAME": NAME},
        preexec_fn=partial(processes.end_with, os.getpid()),
    )
    try:
        status = process.wait()
    except BaseException:
        _interrupt(process)
        raise
    return "passed" if status == 0 else f"failed (pytest ended with {status})"


def _interrupt(process: subprocess.Popen) -> None:
    """Let pytest tear down; a Ctrl-C in the terminal has reached it already."""
    try:
        process.wait(1)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        process.wait(60)


if __name__ == "__main__":
    sys.exit(main())
