"""Partition an access log that programs write to: `python -m bench.partitioning`.

It fills the table as release 1.0.0 had it with 1,000,000 calls, and turns it into a partitioned
table while threads write calls to it as the tools do, as a role that owns no table. It prints how
long each step took, and the longest that a written call waited in it.
"""

import argparse
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from bench import databases, parts

WRITERS = 4
PAUSE = 0.005  # seconds between two calls of a writer
ROLE = "bench_web"
FILL = """
INSERT INTO mcp_server_accesslogentry
    (at, connection_id, tool, outcome, duration_ms, request_id, business_id)
SELECT now() - n * interval '20 seconds', %s, 'svc_search_transactions', 'OK', 12,
    gen_random_uuid()::text, NULL
FROM generate_series(1, %s) n
"""


def main() -> int:
    """Run the benchmark; the exit status says whether no call was lost."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    with databases.server() as url:
        os.environ.update(DATABASE_URL=url, DJANGO_SETTINGS_MODULE="config.settings_test")
        parts.set_up()
        with databases.in_database():
            return run(rows)


def run(rows: int) -> int:
    """Fill the table, partition it under load, and compare the rows with the calls."""
    from django.db import connection

    from bench.scale.tables import execute
    from foundation.database import grants
    from foundation.database.partitioning import Partitioning
    from mcp_server.models import AccessLogEntry, Connection
    from tests import factories

    assistant = Connection.objects.create(
        user=factories.make_user(), client_name="Bench", created_at=datetime.now(UTC)
    )
    as_in_1_0_0()
    execute(FILL, [assistant.pk, rows])
    execute("VACUUM ANALYZE mcp_server_accesslogentry")
    execute(f"DROP ROLE IF EXISTS {ROLE}")
    execute(f"CREATE ROLE {ROLE}")
    for statement in grants.statements(connection, [ROLE]):
        execute(statement)
    calls = Calls(assistant.pk)
    with calls.written():
        calls.timed("before", lambda: time.sleep(3))
        work = Partitioning(connection, "mcp_server_accesslogentry", "at")
        for step in ("_validate_boundary", "_build_key", "_swap"):
            original: Callable[..., Any] = getattr(work, step)
            setattr(work, step, partial(timed, step, original))
        now = datetime.now(UTC)
        calls.timed("all", lambda: work.run(at=now, through=now + timedelta(days=365)))
        calls.timed("after", lambda: time.sleep(3))
    found = AccessLogEntry.objects.count() - rows
    sys.stdout.write(f"{calls.count:,} calls written, {found:,} found, {calls.errors} errors\n")
    execute(f"DROP OWNED BY {ROLE}; DROP ROLE {ROLE}")
    return int(found != calls.count or bool(calls.errors))


def as_in_1_0_0() -> None:
    """Put the table in place that release 1.0.0 had."""
    from django.db import connection

    from bench.scale.tables import execute
    from foundation.database import append_only
    from mcp_server.models import AccessLogEntry

    execute("DROP TABLE mcp_server_accesslogentry CASCADE")
    with connection.schema_editor() as editor:
        editor.create_model(AccessLogEntry)
    append_only.protect(connection, "mcp_server_accesslogentry")


def timed(name: str, step: Callable[..., object], *given: object) -> None:
    """Do a step of the partitioning and print its duration."""
    start = time.perf_counter()
    step(*given)
    sys.stdout.write(f"{name:20} {time.perf_counter() - start:8.3f} s\n")


class Calls:
    """Calls that threads write, and how long each took."""

    def __init__(self, connection_id: int) -> None:
        self.connection_id, self.count, self.errors = connection_id, 0, 0
        self._taken: list[float] = []
        self._lock, self._ended = threading.Lock(), threading.Event()

    @contextmanager
    def written(self) -> Iterator[None]:
        """Let threads write while the block runs."""
        threads = [threading.Thread(target=self._write) for _ in range(WRITERS)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._ended.set()
            for thread in threads:
                thread.join()

    def timed(self, name: str, step: Callable[[], object]) -> None:
        """Do a step and print its duration, and the longest call that ended meanwhile."""
        with self._lock:
            self._taken.clear()
        timed(name, step)
        time.sleep(0.5)  # so that calls that waited have ended
        with self._lock:
            longest, number = max(self._taken, default=0.0), len(self._taken)
        sys.stdout.write(f"  the longest of {number} calls meanwhile: {longest:.3f} s\n")

    def _write(self) -> None:
        from django.db import connection, connections

        from mcp_server.services import access_log

        with connection.cursor() as cursor:
            cursor.execute(f"SET ROLE {ROLE}")
        while not self._ended.is_set():
            start = time.perf_counter()
            try:
                access_log.record(
                    connection_id=self.connection_id,
                    tool="svc_list_cards",
                    business_ids=[],
                    outcome="OK",
                    duration_ms=3,
                    request_id="bench",
                    at=datetime.now(UTC),
                )
            except Exception as exc:  # noqa: BLE001 - each is counted
                sys.stderr.write(f"{exc}\n")
                self.errors += 1
                break
            with self._lock:
                self.count += 1
                self._taken.append(time.perf_counter() - start)
            time.sleep(PAUSE)
        connections.close_all()


if __name__ == "__main__":
    sys.exit(main())
