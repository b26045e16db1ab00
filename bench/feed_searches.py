"""Searches during a feed, in a separate process that times each by clock and CPU (Linux)."""

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from bench import parts
from bench.servers import ROOT

PAUSE = 0.2  # seconds between searches
HEAD = """
| searches | number | median ms | p95 ms | p95 to alone | CPU: median ms | p95 ms | p95 to alone |
|---|--:|--:|--:|--:|--:|--:|--:|
"""


@dataclass(frozen=True)
class Searches:
    """Durations of searches, by the clock and in CPU. Units: milliseconds."""

    wall: list[float]
    cpu: list[float]

    def row(self, title: str, alone: "Searches") -> str:
        """Return a row of the table below `HEAD`."""
        cells = [title, f"{len(self.wall):,}"]
        for own, of_alone in ((self.wall, alone.wall), (self.cpu, alone.cpu)):
            ratio = p95(own) / p95(of_alone)
            cells += [f"{median(own):.1f}", f"{p95(own):.1f}", f"{ratio:.2f}"]
        return f"| {' | '.join(cells)} |\n"


class Searcher:
    """A process that searches until it is ended."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "bench.feed_searches"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
        if self._process.stdout is None or self._process.stdout.readline() != "ready\n":
            raise RuntimeError("The process that searches did not start.")

    def end(self) -> Searches:
        """End the searches; return their times."""
        answer, _ = self._process.communicate()
        return Searches(**json.loads(answer))


def search_for(seconds: float) -> Searches:
    """Search for some seconds while nothing else runs; return the times of the searches."""
    searcher = Searcher()
    time.sleep(seconds)
    return searcher.end()


def joined(runs: Sequence[Searches]) -> Searches:
    """Return the times of searches of several runs together."""
    return Searches([ms for run in runs for ms in run.wall], [ms for run in runs for ms in run.cpu])


def table(before: Searches, during: Mapping[str, Searches], afterwards: Searches) -> str:
    """Return the table of searches; ratios are to searches afterwards, among the same rows."""
    rows = {"alone, before": before, **during, "alone, afterwards": afterwards}
    return HEAD + "".join(found.row(title, afterwards) for title, found in rows.items())


def p95(values: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return quantiles(values, n=20)[-1]


def main() -> int:
    """Search as the tool does, a few times a second, until the standard input ends."""
    parts.set_up()
    from django.db import connection

    search()  # opens the connection, and plans
    backend = connection.connection.info.backend_pid
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    wall, cpu = [], []
    while not select.select([sys.stdin], [], [], PAUSE)[0]:
        spent, start = cpu_seconds(backend), time.perf_counter()
        search()
        wall.append((time.perf_counter() - start) * 1000)
        cpu.append((cpu_seconds(backend) - spent) * 1000)
    sys.stdout.write(json.dumps({"wall": wall, "cpu": cpu}))
    return 0


def search() -> None:
    """Search as `svc_search_transactions` does, in the business that most lines belong to."""
    from banking.models import Business
    from banking.queries.filters import TransactionFilter
    from banking.queries.search import search_transactions

    business = Business.objects.order_by("pk").first()
    search_transactions(business, TransactionFilter(), page=1, page_size=10)


def cpu_seconds(backend: int) -> float:
    """Return the CPU time of this process and of its PostgreSQL backend, exact to microseconds."""
    on_cpu = Path(f"/proc/{backend}/schedstat").read_text().split()[0]
    return time.process_time() + int(on_cpu) / 1e9


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    sys.exit(main())
