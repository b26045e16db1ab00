"""The record feed beside a plain bulk view: `python -m bench.feed` (Linux, some minutes).

It starts a PostgreSQL of its own, sends the same number of transactions to each server, by turns,
and counts the CPU time of the server and of PostgreSQL. Meanwhile a process of its own searches as
a tool does, which PostgreSQL's time includes, and times each search with and without a feed.
"""

import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import psutil
import psycopg

from bench import parts
from bench.contest import MIB, noise, spread
from bench.databases import database
from bench.feed_searches import Searcher, Searches, joined, p95, search_for, table
from bench.reports import Headline, Report
from bench.servers import Server, serving

TITLE = "Record feed"
OURS, PLAIN = PEERS = "Vestibule", "plain DRF"
IDLE_SECONDS = 10
UNTIL = datetime(2026, 7, 1, tzinfo=UTC)
BUSINESSES = 101
LIST = 500  # lines in a request to the plain view
GOAL, MEMORY_GOAL, SEARCH_GOAL = 1500, 150, 1.5
FOREWORD = """\
{lines:,} posted transactions of {businesses} businesses, in one batch of NDJSON to Vestibule, in
lists of {size} to a bulk view in plain DRF that stores the same rows by the same ledger, each
{rounds} times by turns. CPU seconds are those of the server and of PostgreSQL together. Memory is
the peak of the server (VmHWM) above its memory before. Sent again, all lines are `unchanged`.
Searches are those of
`svc_search_transactions`, a few a second, in a process beside, on the business that most lines
belong to; their CPU time is that of this process and of its PostgreSQL backend. "To alone" is to
the searches afterwards, when all lines are stored.

| who | lines | lines per CPU-second | Vestibule to it | lines a second | memory, MiB |
|---|--:|--:|--:|--:|--:|
"""


@dataclass(frozen=True)
class Sent:
    """The time and memory of sending lines, and the searches meanwhile. Units: seconds, bytes."""

    lines: int
    seconds: float
    cpu_seconds: float
    memory: int
    searches: Searches

    @property
    def rate(self) -> float:
        """Return the lines per CPU-second."""
        return self.lines / self.cpu_seconds


def run(*, lines: int = 30_000, rounds: int = 3) -> Report:
    """Send transactions to both; return the report."""
    with (
        database() as url,
        tempfile.TemporaryDirectory(prefix="vestibule-bench-") as folder,
    ):
        environment = parts.settle(url, Path(folder), LOG_LEVEL="WARNING")
        (Path(folder) / "static").mkdir()
        parts.set_up()
        key = fill()
        before = search_for(IDLE_SECONDS)
        taken: dict[str, list[Sent]] = {OURS: [], PLAIN: [], "again": []}
        for number in range(rounds):
            files = {
                name: write(Path(folder), f"{name[0]}{number}", lines) for name in (OURS, PLAIN)
            }
            for name in (OURS, PLAIN) if number % 2 else (PLAIN, OURS):
                with served(environment, name) as server:
                    taken[name].append(send(name, server, url, files[name], key, "created"))
                    if name == OURS:
                        again = send(name, server, url, files[name], key, "unchanged")
                        taken["again"].append(again)
        afterwards = search_for(IDLE_SECONDS)
        require_balance()
    found = {
        f"while {name} writes": joined([one.searches for one in taken[name]]) for name in PEERS
    }
    searches = table(before, found, afterwards)
    heads = [*headlines(taken), searching(afterwards, found[f"while {OURS} writes"])]
    return Report(heads, details(taken, lines, rounds) + searches)


def fill() -> str:
    """Store businesses, accounts and merchants; return the header of a bank key."""
    from django.utils import timezone

    from banking.demo.lines import store
    from banking.demo.scale import Scale, write_lines
    from onboarding.services.partners import api_keys

    store(write_lines(Scale(0, "bench", businesses=BUSINESSES), until=UNTIL), at=UNTIL)
    issued = api_keys.issue_bank_key(at=timezone.now(), scopes=["*:write"])
    return f"Vestibule {issued.key.access_key}:{issued.secret}"


def write(folder: Path, name: str, count: int) -> Path:
    """Write the lines of new transactions to a file."""
    from banking.demo.scale import Scale, write_lines

    file = folder / f"{name}.ndjson"
    scale = Scale(count, "bench", businesses=BUSINESSES, seed=len(name))
    with file.open("wb") as target:
        for line in write_lines(scale, until=UNTIL):
            data = json.loads(line)
            if data["kind"] == "transactions":
                data["data"]["status"] = "POSTED"
                data["externalId"] = f"{name}-{data['externalId']}"
                target.write(json.dumps(data).encode() + b"\n")
    return file


@contextmanager
def served(environment: Mapping[str, str], name: str) -> Iterator[Server]:
    """Serve with one process."""
    variables = {**os.environ, **environment, "WEB_WORKERS": "1", "WEB_THREADS": "2"}
    command = [sys.executable, "-m", "config.web", "{port}"]
    if name == PLAIN:
        variables["DJANGO_SETTINGS_MODULE"] = "bench.peers.plain_feed_settings"
        command = [
            *(sys.executable, "-m", "granian", "bench.peers.django_wsgi:application"),
            *("--interface", "wsgi", "--host", "127.0.0.1", "--port", "{port}"),
            *("--workers", "1", "--blocking-threads", "2", "--log-level", "warning"),
        ]
    with serving(command, variables) as server:
        yield server


def send(name: str, server: Server, url: str, file: Path, key: str, result: str) -> Sent:
    """Send a file, search meanwhile, and check each result. Raises: RuntimeError."""
    idle = server.resident()
    server.forget_peak()
    searcher = Searcher()
    cpu, start = server.cpu_seconds() + postgresql_seconds(url), time.perf_counter()
    results = (send_batch if name == OURS else send_lists)(server.port, file, key)
    seconds = time.perf_counter() - start
    spent = server.cpu_seconds() + postgresql_seconds(url) - cpu  # those of searches, too
    searches = searcher.end()
    if set(results) != {result}:
        raise RuntimeError(f"{name}: {results}")
    return Sent(results.total(), seconds, spent, server.peak() - idle, searches)


def send_batch(port: int, file: Path, key: str) -> Counter[str]:
    """Send a file as one batch; count the results."""
    connection = HTTPConnection("127.0.0.1", port, timeout=3600)
    head = {"Authorization": key, "Content-Type": "application/x-ndjson"}
    head["Content-Length"] = str(file.stat().st_size)
    with file.open("rb") as body:
        connection.request("POST", "/service/bank/v1/records:batch", body, head)
        response = connection.getresponse()
        results = Counter(json.loads(line)["result"] for line in response)
    connection.close()
    return results


def send_lists(port: int, file: Path, _key: str) -> Counter[str]:
    """Send a file as lists, each in one request; count the results."""
    connection = HTTPConnection("127.0.0.1", port, timeout=3600)
    results: Counter[str] = Counter()
    with file.open("rb") as lines:
        while chunk := list(islice(lines, LIST)):
            body = b"[" + b",".join(chunk) + b"]"
            connection.request("POST", "/transactions", body, {"Content-Type": "application/json"})
            answers: list[dict[str, Any]] = json.load(connection.getresponse())
            results.update(answer["result"] for answer in answers)
    connection.close()
    return results


def postgresql_seconds(url: str) -> float:
    """Return the CPU time that PostgreSQL has spent, with that of connections that have ended."""
    with psycopg.connect(url) as connection:
        pid = connection.info.backend_pid
        main = psutil.Process(pid).parent()
        times = main.cpu_times()
        spent = times.user + times.system + times.children_user + times.children_system
        living = [process.cpu_times() for process in main.children(recursive=True)]
    return spent + sum(one.user + one.system for one in living)


def require_balance() -> None:
    """Verify the whole ledger. Raises: CommandError."""
    from django.core.management import call_command

    call_command("verify_ledger", verbosity=0, stdout=sys.stderr)


def headlines(taken: Mapping[str, list[Sent]]) -> list[Headline]:
    """Return the figures that have goals."""
    rate = median(one.rate for one in taken[OURS])
    memory = max(one.memory for one in taken[OURS]) / MIB
    text = f"{rate:,.0f} lines a CPU-second"
    ratio = spread(ratios(taken))
    return [
        Headline("Transactions", text, f"≥ {GOAL:,}", rate >= GOAL, ratio, PLAIN),
        Headline("Memory", f"{memory:.0f} MiB above idle", "< 150 MiB", memory < MEMORY_GOAL),
    ]


def searching(alone: Searches, during: Searches) -> Headline:
    """Return the CPU time of searches during our feed as a ratio to searches without a feed."""
    ratio = p95(during.cpu) / p95(alone.cpu)
    text = f"p95 {p95(during.cpu):.1f} ms of CPU"
    goal, met = f"≤ {SEARCH_GOAL} times alone", ratio <= SEARCH_GOAL
    return Headline("Searches meanwhile", text, goal, met, f"{ratio:.2f}", "alone")


def ratios(taken: Mapping[str, list[Sent]]) -> list[float]:
    """Return our lines per CPU-second to those of the plain view, round by round."""
    return [ours.rate / theirs.rate for ours, theirs in zip(taken[OURS], taken[PLAIN], strict=True)]


def details(taken: Mapping[str, list[Sent]], lines: int, rounds: int) -> str:
    """Return the table of the feeds."""
    text = FOREWORD.format(lines=lines, businesses=BUSINESSES, size=LIST, rounds=rounds)
    names = {OURS: OURS, "again": "Vestibule, sent again", PLAIN: PLAIN}
    for name, title in names.items():
        of_rounds = taken[name]
        to_it = {OURS: noise([one.rate for one in of_rounds]), PLAIN: spread(ratios(taken))}
        text += (
            f"| {title} | {lines:,} | {median(one.rate for one in of_rounds):,.0f} "
            f"| {to_it.get(name, '')} "
            f"| {median(one.lines / one.seconds for one in of_rounds):,.0f} "
            f"| {max(one.memory for one in of_rounds) / MIB:.0f} |\n"
        )
    return text


if __name__ == "__main__":
    sys.exit(parts.main(__doc__, run, TITLE, lines=30_000, rounds=3))
