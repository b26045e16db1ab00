"""Run the suite on each database that can be had: `python -m tests.databases [pytest options]`."""

import os
import secrets
import signal
import sqlite3
import subprocess
import sys
from functools import partial

from config import env, processes
from tests import postgresql

PYTEST = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "--maxprocesses", "4"]
NAME = f"test_vestibule_{secrets.token_hex(4)}"  # two runs on one server do not meet


def main() -> int:
    """Run, say at the end what ran, and return the exit status."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what was started is cleared away
    sqlite = f"SQLite {sqlite3.sqlite_version}"
    verdicts = {sqlite: _suite(sqlite, "")}
    try:
        with postgresql.server() as server:
            title = f"PostgreSQL, {server.origin}"
            verdicts[title] = _on_postgresql(title, server.url)
    except postgresql.Unavailable as exc:
        verdicts["PostgreSQL"] = f"not run: {exc}"
    print(*(f"{title}: {verdict}" for title, verdict in verdicts.items()), sep="\n")  # noqa: T201 - the report
    return 0 if all(_is_fine(verdict) for verdict in verdicts.values()) else 1


def _is_fine(verdict: str) -> bool:
    must_run = env.flag("CI") or "TEST_DATABASE_URL" in os.environ
    return verdict == "passed" or (verdict.startswith("not run") and not must_run)


def _on_postgresql(title: str, url: str) -> str:
    try:
        return _suite(title, url)
    finally:
        postgresql.drop_databases(url, NAME)


def _suite(title: str, url: str) -> str:
    print(f"\n== {title}", flush=True)  # noqa: T201 - the report
    process = subprocess.Popen(
        [*PYTEST, *sys.argv[1:]],
        env={**os.environ, "DATABASE_URL": url, "TEST_DATABASE_NAME": NAME},
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
