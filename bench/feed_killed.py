"""A long batch of the record feed whose server is killed: `python -m bench.feed_killed` (Linux).

It sends transactions in one batch to a PostgreSQL of its own, kills the server with SIGKILL when
half of the lines are answered, sends the whole file again to a new server, and requires that each
line is stored once and that the ledger balances. Searches run meanwhile, as in `bench.feed`.
"""

import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import psutil

from bench import feed, parts
from bench.contest import MIB
from bench.databases import database
from bench.feed_searches import Searcher, Searches, search_for, table
from bench.reports import Headline, Report
from bench.servers import Server

TITLE = "Record feed, killed and sent again"
QUARTERS = 4
TEXT = """\
{lines:,} posted transactions in one batch. The server was killed after {answered:,} answers;
{stored:,} lines were stored by then. The same file, sent again to a new server: {created:,}
`created` and {unchanged:,} `unchanged`. {rows:,} transactions and {records:,} records are stored,
each once, and `verify_ledger` found no fault. {cpu:,.0f} CPU seconds of both servers and of
PostgreSQL together, in {seconds:,.0f} seconds: {rate:,.0f} lines a CPU-second, with the lines that
were sent twice. Peak of a server above its memory before: {memory:.0f} MiB.
"""


@dataclass(frozen=True)
class Half:
    """One of the two sendings. Units: seconds, bytes."""

    results: Counter[str]
    cpu_seconds: float
    memory: int


def run(*, lines: int = 1_000_000) -> Report:
    """Send the lines, kill the server in the middle, send them again; return the report."""
    with database() as url, tempfile.TemporaryDirectory(prefix="vestibule-bench-") as folder:
        environment = parts.settle(url, Path(folder), LOG_LEVEL="WARNING")
        (Path(folder) / "static").mkdir()
        parts.set_up()
        key = feed.fill()
        file = feed.write(Path(folder), "killed", lines)
        before = search_for(feed.IDLE_SECONDS)
        cpu, start = feed.postgresql_seconds(url), time.perf_counter()
        searcher = Searcher()
        first = send(environment, file, key, kill_after=lines // 2)
        stored = count_rows()[1]
        second = send(environment, file, key)
        seconds = time.perf_counter() - start
        cpu = feed.postgresql_seconds(url) - cpu + first.cpu_seconds + second.cpu_seconds
        found = searcher.end()
        afterwards = search_for(feed.IDLE_SECONDS)
        rows, records = count_rows()
        require(lines, stored, first, second, rows, records)
        feed.require_balance()
    rate, memory = lines / cpu, max(first.memory, second.memory) / MIB
    text = TEXT.format(
        lines=lines,
        answered=first.results.total(),
        stored=stored,
        created=second.results["created"],
        unchanged=second.results["unchanged"],
        rows=rows,
        records=records,
        cpu=cpu,
        seconds=seconds,
        rate=rate,
        memory=memory,
    )
    return Report(headlines(lines, rate, memory), text + searches(before, found, afterwards))


def send(
    environment: Mapping[str, str], file: Path, key: str, *, kill_after: int | None = None
) -> Half:
    """Send a file as one batch to a new server, which is killed after so many answers."""
    with feed.served(environment, feed.OURS) as server:
        idle, cpu = server.resident(), server.cpu_seconds()
        server.forget_peak()
        connection = HTTPConnection("127.0.0.1", server.port, timeout=3600)
        head = {"Authorization": key, "Content-Type": "application/x-ndjson"}
        head["Content-Length"] = str(file.stat().st_size)
        results: Counter[str] = Counter()
        with file.open("rb") as body:
            connection.request("POST", "/service/bank/v1/records:batch", body, head)
            try:
                for line in connection.getresponse():
                    results[json.loads(line)["result"]] += 1
                    if results.total() == kill_after:
                        half = Half(results, server.cpu_seconds() - cpu, server.peak() - idle)
                        kill(server)
                        return half
            finally:
                connection.close()
        return Half(results, server.cpu_seconds() - cpu, server.peak() - idle)


def kill(server: Server) -> None:
    """Kill the server and the processes that it started."""
    processes = [*server.process.children(recursive=True), server.process]
    for process in processes:
        process.kill()
    psutil.wait_procs(processes, timeout=10)


def count_rows() -> tuple[int, int]:
    """Return how many transactions and how many records of transactions are stored."""
    from banking.models import Transaction
    from banking.models.feed import FeedRecord

    return Transaction.objects.count(), FeedRecord.objects.filter(kind="transactions").count()


def require(lines: int, stored: int, first: Half, second: Half, rows: int, records: int) -> None:
    """Require that no line is lost or stored twice. Raises: RuntimeError."""
    expected = {"created": lines - stored, "unchanged": stored}
    is_whole = second.results == expected and rows == records == lines
    if not is_whole or set(first.results) != {"created"} or stored < first.results["created"]:
        raise RuntimeError(f"{first.results} {stored} {second.results} {rows} {records}")


def headlines(lines: int, rate: float, memory: float) -> list[Headline]:
    """Return the figures that have goals."""
    text = f"{rate:,.0f} lines a CPU-second"
    met = memory < feed.MEMORY_GOAL
    return [
        Headline(f"{lines:,} lines, killed", text, f"≥ {feed.GOAL:,}", rate >= feed.GOAL),
        Headline("Memory", f"{memory:.0f} MiB above idle", f"< {feed.MEMORY_GOAL} MiB", met),
    ]


def searches(before: Searches, found: Searches, afterwards: Searches) -> str:
    """Return the table of the searches before, in each quarter of the run, and afterwards."""
    size = len(found.wall) // QUARTERS
    rows: dict[str, Searches] = {}
    for number in range(QUARTERS):
        quarter = slice(size * number, size * (number + 1))
        title = f"while lines come, quarter {number + 1}"
        rows[title] = Searches(found.wall[quarter], found.cpu[quarter])
    return table(before, rows, afterwards)


if __name__ == "__main__":
    sys.exit(parts.main(__doc__, run, TITLE, lines=1_000_000))
