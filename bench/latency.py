"""How long a create takes while PostgreSQL shares the cores, and with a core of its own.

`python -m bench.latency` prints a table for docs/performance.md in two minutes: the 50th and the
99th percentile over 8 connections, of us and of FastAPI + SQLAlchemy. The core of its own is taken
from the web servers and the sender, so they have less to work with: what the 99th percentile loses
then is the waiting for a core, and what it keeps is the server's own.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import psutil

from bench import lead_scenarios, leads
from bench.contest import Cell, drive
from bench.databases import database, postmaster
from bench.servers import serving

CONNECTIONS, WARM_UP, SECONDS, ROUNDS = 8, 0.5, 1.5, 5
SHARED, OWN = "shared", "of its own"
CORES = {SHARED: "the cores of all", OWN: "a core of its own"}


def run() -> str:
    """Measure; return a table in Markdown with the medians of the rounds."""
    cells: dict[tuple[str, str], list[Cell]] = {}
    with database() as url, tempfile.TemporaryDirectory(prefix="vestibule-bench-") as folder:
        environment = leads.prepare(url, Path(folder))
        # ours first: a first start among plain rows, which peers write, is refused for its keys
        known = {one.peer.name: one for one in leads.enter(environment)}
        entrants = [known[leads.OURS], known[leads.FASTAPI]]
        for number in range(ROUNDS):
            for cores in CORES:
                for entrant in entrants if number % 2 == 0 else entrants[::-1]:
                    requests, settings = lead_scenarios.creates(entrant), entrant.peer.environment
                    with (
                        pinned(postmaster(url), cores),
                        serving(entrant.peer.command, {**os.environ, **settings}) as web,
                    ):
                        drive(web, requests, CONNECTIONS, WARM_UP, 201)
                        cell = drive(web, requests, CONNECTIONS, SECONDS, 201)
                    cells.setdefault((cores, entrant.peer.name), []).append(cell)
    return "\n".join([HEAD, *(_line(*key, measured) for key, measured in cells.items())])


HEAD = """\
| PostgreSQL has | who | a second | p50 ms | p99 ms, least to most |
|---|---|--:|--:|--:|"""


@contextmanager
def pinned(postgresql: psutil.Process, cores: str) -> Iterator[None]:
    """Give PostgreSQL the last core for OWN, and the others to the programs started meanwhile."""
    here = psutil.Process()
    every = here.cpu_affinity()
    if cores == OWN:
        here.cpu_affinity(every[:-1])
        for process in (postgresql, *postgresql.children(recursive=True)):
            process.cpu_affinity(every[-1:])
    try:
        yield
    finally:
        here.cpu_affinity(every)
        for process in (postgresql, *postgresql.children(recursive=True)):
            process.cpu_affinity(every)


def _line(cores: str, name: str, cells: list[Cell]) -> str:
    rate, p50 = median(cell.per_second for cell in cells), median(cell.p50 for cell in cells)
    p99 = sorted(cell.p99 for cell in cells)
    spread = f"{median(p99):.1f} ({p99[0]:.1f} to {p99[-1]:.1f})"
    return f"| {CORES[cores]} | {name} | {rate:,.0f} | {p50:.1f} | {spread} |"


if __name__ == "__main__":
    sys.stdout.write(f"{run()}\n")
