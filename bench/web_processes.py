"""Creates and reads with 1, 2 and 4 web processes, and the CPU time that PostgreSQL takes of them.

`python -m bench.web_processes` prints a table for docs/scale.md in two minutes. Web, PostgreSQL and
the sender share the cores of the machine, so the rates stop growing when these are busy; the CPU
time of a request shows how many cores of web processes one core of PostgreSQL serves.
"""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

import psutil

from bench import lead_scenarios, leads
from bench.contest import Request, drive
from bench.databases import database, postmaster
from bench.lead_parity import Client
from bench.lead_scenarios import CREATE, GET, Entrant
from bench.servers import Server, serving

PROCESSES = (1, 2, 4)
ROUNDS = 5
CONNECTIONS, WARM_UP, SECONDS = 16, 0.5, 1.5
ASKED: dict[str, tuple[Callable[[Entrant], list[Request]], int]] = {
    CREATE: (lead_scenarios.creates, 201),
    GET: (lead_scenarios.gets, 200),
}


class Measured(NamedTuple):
    """One turn: requests a second, and the milliseconds of CPU time of one request."""

    per_second: float
    web: float
    postgresql: float


def run() -> str:
    """Measure; return a table in Markdown with the medians of the rounds."""
    with database() as url, tempfile.TemporaryDirectory(prefix="vestibule-bench-") as folder:
        environment = {**os.environ, **leads.prepare(url, Path(folder))}
        [ours] = [one for one in leads.enter(environment) if one.peer.name == leads.OURS]
        postgresql = postmaster(url)
        turns: dict[tuple[str, int], list[Measured]] = {}
        for _ in range(ROUNDS):
            for number in PROCESSES:
                settings = {**environment, **ours.peer.environment, "WEB_WORKERS": str(number)}
                with serving(ours.peer.command, settings) as web:
                    if not ours.seeds:
                        client = Client(leads.OURS, web.port, ours.partner_id, ours.authorization)
                        ours.seeds.extend(leads.seeded(client))
                    for name in ASKED:
                        measured = _measure(web, postgresql, ours, name)
                        turns.setdefault((name, number), []).append(measured)
    lines = [_line(name, number, turns[name, number]) for name in ASKED for number in PROCESSES]
    return "\n".join([HEAD, *lines])


HEAD = """\
| request | web processes | a second | CPU of the web, ms | CPU of PostgreSQL, ms |
|---|--:|--:|--:|--:|"""


def _measure(web: Server, postgresql: psutil.Process, ours: Entrant, name: str) -> Measured:
    make, status = ASKED[name]
    requests = make(ours)
    drive(web, requests, CONNECTIONS, WARM_UP, status)
    before = Server(postgresql, 0).cpu_seconds()
    cell = drive(web, requests, CONNECTIONS, SECONDS, status)
    spent = Server(postgresql, 0).cpu_seconds() - before
    milliseconds = 1000 / cell.requests
    return Measured(cell.per_second, cell.cpu_seconds * milliseconds, spent * milliseconds)


def _line(name: str, number: int, turns: list[Measured]) -> str:
    rate, web, postgresql = (median(column) for column in zip(*turns, strict=True))
    return f"| {name} | {number} | {rate:,.0f} | {web:.2f} | {postgresql:.2f} |"


if __name__ == "__main__":
    sys.stdout.write(f"{run()}\n")
