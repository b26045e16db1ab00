"""The cost of proofs: `python -m bench.proofs` (300,000 events; minutes).

It fills a PostgreSQL of its own with applications and with transactions, and measures seconds of
CPU, those of the database included: of the audit one lead at a time, as it was read once, on a
sample; of the audit in batches, by one process and by two; of the comparison with anchors; and of
the ledger. The exit status is 0 if the audit with anchors and the ledger of 10,000,000 events and
as many entries would take ten minutes at most on two cores.
"""

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil

from bench import databases, parts

GOAL_ROWS, GOAL_SECONDS, CORES = 10_000_000, 600, 2
SAMPLE = 1_000  # leads that are read one at a time
EVENTS_PER_LEAD = 5.54
ENDS = ("external_id", "event_count", "last_sequence", "last_digest")  # copies decrypt nothing


def main() -> int:
    """Measure, print the figures, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--events", type=int, default=300_000, help="(300,000)")
    options = parser.parse_args()
    with databases.server() as url:
        os.environ.update(DATABASE_URL=url, DJANGO_SETTINGS_MODULE="config.settings_test")
        parts.set_up()
        with databases.in_database():
            return _measure(options.events)


def _measure(wanted: int) -> int:
    from django.utils import timezone

    from banking.models import Entry
    from bench import applications
    from bench.scale import transactions
    from onboarding.models import Event, Lead
    from onboarding.queries import audit

    applications.make(int(wanted / EVENTS_PER_LEAD))
    transactions.make_transactions(transactions.Scale(wanted // 2), until=timezone.now())
    transactions.vacuum()
    events, entries = Event.objects.count(), Entry.objects.count()
    sample = list(Lead.objects.only(*ENDS).order_by("?")[:SAMPLE])
    of_sample = Event.objects.filter(lead__in=sample).count()
    _say(f"{events:,} events of {Lead.objects.count():,} leads, {entries:,} ledger entries")
    alone = _cost(
        "audit, a lead at a time",
        of_sample,
        lambda: [list(audit.find_faults_of(one)) for one in sample],
    )
    batched = _cost("audit, in batches", events, lambda: sum(1 for _ in audit.find_faults()))
    _say(f"ratio of a lead at a time to batches: {alone / batched:.1f}")
    both = _cost("audit, two processes", events, lambda: _in_processes(CORES))
    anchored = _anchored(events + entries)
    books = _cost("ledger, two processes", entries, _books)
    seconds = extrapolate(audit=both, anchors=anchored, ledger=books)
    _say(
        f"{GOAL_ROWS:,} events and as many entries, audit with anchors and ledger: "
        f"{seconds:,.0f} s on {CORES} cores"
    )
    return int(seconds > GOAL_SECONDS)


def extrapolate(*, audit: float, anchors: float, ledger: float) -> float:
    """Return the seconds of all proofs of GOAL_ROWS events and as many entries, from µs per row.

    Processes share the audit, the ledger and the anchors, which fix events and entries.
    """
    return GOAL_ROWS * (audit + 2 * anchors + ledger) / CORES / 1e6


def _in_processes(processes: int) -> int:
    from foundation.database.snapshot_processes import shared_snapshot
    from onboarding.queries import audit

    with shared_snapshot(processes) as map_ranges:
        return sum(1 for _ in audit.find_faults(map_ranges=map_ranges))


def _books() -> None:
    from banking.queries import ledger
    from foundation.database.snapshot_processes import shared_snapshot

    with shared_snapshot(CORES) as map_ranges:
        list(ledger.find_differences(map_ranges=map_ranges))


def _anchored(rows: int) -> float:
    """Make an anchor of all rows, and return the cost of comparing a row with it."""
    from datetime import timedelta

    from django.utils import timezone

    from foundation.anchoring import anchors
    from foundation.anchoring.verification import Verification
    from foundation.database.snapshots import snapshot
    from tests.factories import make_anchor_key

    def compare() -> list[Any]:
        with snapshot():
            found = Verification(stores.stores, key_file=key, at=timezone.now())
            return [line for line in found.lines() if line.is_fault]

    with tempfile.TemporaryDirectory() as folder:
        key = make_anchor_key(Path(folder) / "key.pem")
        location = (Path(folder) / "anchors").as_uri()
        stores = anchors.parse_destinations([location], lock=timedelta(days=1))
        _cost("anchor, made", rows, lambda: anchors.make(stores, key_file=key, at=timezone.now()))
        return _cost("anchor, compared", rows, compare)


def _cost(name: str, rows: int, work: Callable[[], Any]) -> float:
    """Do some work; print and return microseconds of CPU per row, of Python and the database."""
    before, begun = (_python(), _database()), time.monotonic()
    work()
    python, database = _python() - before[0], _database() - before[1]
    micros = (python + database) / rows * 1e6
    _say(
        f"{name}: {python:.1f} s of Python and {database:.1f} s of PostgreSQL for {rows:,} rows, "
        f"{micros:.0f} µs each; {time.monotonic() - begun:.0f} s by the clock"
    )
    return micros


def _python() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _database() -> float:
    return sum(_seconds())


def _seconds() -> Iterator[float]:
    """Yield the CPU seconds of the server, of its processes, and of those that have ended."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        server = psutil.Process(psutil.Process(cursor.fetchone()[0]).ppid())
    times = server.cpu_times()
    yield times.user + times.system + times.children_user + times.children_system
    for process in server.children():
        own = process.cpu_times()
        yield own.user + own.system


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
