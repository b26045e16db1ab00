"""What files cost: `python -m bench.exports` (a minute).

It makes a business with 100,000 transactions in a year and an accountant with 500 clients, serves
them, and downloads the file of the year, by turns from two peers, and the archive of the clients'
latest statements. Papers are drawn in this process.
"""

import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from statistics import median

from bench import parts
from bench.databases import database
from bench.reports import Report
from bench.servers import Server, peer_python, serving

TITLE = "Files"
OURS, PLAIN, COPIED = "Vestibule", "ORM and csv in a Django view", "psycopg COPY, no framework"
FIRST, LAST, UNTIL = "2025-01-01", "2025-12-31", "2026-01-01"
ROWS_OF_THREE_YEARS, CLIENTS, DIFFERENT = 300_000, 500, 20
FOREWORD = """\
{rows:,} transactions of a year as CSV, and the latest statements of {clients} clients, {size:.0f}
MiB, as ZIP, downloaded over HTTP from one process without other requests; medians of {rounds}
rounds, the servers by turns. Memory is the peak of the process (VmHWM) above its memory after it
had served one small file. The Django view writes cells as they are, a line at a time; COPY is the
limit of database and driver. Vestibule escapes cells that a spreadsheet would take for a formula,
and checks session and permissions first.
"""


@dataclass(frozen=True)
class Taken:
    """What one download took. Units: seconds, bytes."""

    lines: int
    size: int
    first_byte: float
    second_chunk: float
    seconds: float
    cpu_seconds: float
    memory: int


@dataclass(frozen=True)
class Paths:
    """Where we serve the files, a large and a small one, to whom has the cookie."""

    csv: str
    small: str
    archive: str
    peers: str
    cookie: str


def run(*, rounds: int = 5) -> Report:
    """Measure downloads and papers; return the report."""
    from bench import export_tables

    with (
        database() as url,
        tempfile.TemporaryDirectory(prefix="vestibule-bench-") as folder,
    ):
        environment = prepare(url, Path(folder))
        paths = fill()
        taken = download(environment, paths, rounds)
    files = taken[OURS, "csv"][0].lines - 1, taken[OURS, "zip"][0].size
    foreword = FOREWORD.format(
        rows=files[0], clients=CLIENTS, size=files[1] / 1024**2, rounds=rounds
    )
    drawn = export_tables.draw()
    details = [foreword, export_tables.downloads(taken), export_tables.papers_table(drawn)]
    return Report(export_tables.headlines(taken, drawn), "\n".join(details))


def prepare(url: str, folder: Path) -> dict[str, str]:
    """Make the secrets and set Django up; return the environment of every server."""
    environment = parts.settle(url, folder)
    parts.set_up()
    return environment


def fill() -> Paths:
    """Make the transactions, the clients with their statements, and a session of staff."""
    from bench import export_records

    business, small = export_records.make_businesses(ROWS_OF_THREE_YEARS)
    accountant = export_records.make_accountant(CLIENTS, different=DIFFERENT)
    return Paths(
        csv=f"/admin/banking/business/{business.pk}/transactions/?period=LAST_YEAR",
        small=f"/admin/banking/business/{small.pk}/transactions/?period=LAST_YEAR",
        archive=f"/admin/banking/accountant/{accountant.pk}/statements/",
        peers=f"/csv/{business.pk}/{FIRST}/{UNTIL}",
        cookie=export_records.sign_in(),
    )


def download(
    environment: Mapping[str, str], paths: Paths, rounds: int
) -> dict[tuple[str, str], list[Taken]]:
    """Serve everybody and download by turns."""
    taken: dict[tuple[str, str], list[Taken]] = defaultdict(list)
    with ExitStack() as stack:
        services = {
            name: stack.enter_context(served(environment, name)) for name in (OURS, PLAIN, COPIED)
        }
        wanted = {OURS: paths.csv, PLAIN: paths.peers, COPIED: paths.peers}
        idle = {}
        for name, path in {**wanted, OURS: paths.small}.items():
            get(services[name], path.replace(FIRST, LAST), paths.cookie, 0)  # of peers, a day
            idle[name] = services[name].resident()
        for number in range(rounds):
            for name in wanted if number % 2 else reversed(wanted):
                found = get(services[name], wanted[name], paths.cookie, idle[name])
                taken[name, "csv"].append(found)
            found = get(services[OURS], paths.archive, paths.cookie, idle[OURS])
            taken[OURS, "zip"].append(found)
    return taken


@contextmanager
def served(environment: Mapping[str, str], name: str) -> Iterator[Server]:
    """Serve with one process."""
    python, application, peer = {
        OURS: (sys.executable, "config.wsgi:application", ""),
        PLAIN: (peer_python(), "bench.peers.django_wsgi:application", "plain_csv"),
        COPIED: (peer_python(), "bench.peers.copied_csv:application", ""),
    }[name]
    command = [
        *(python, "-m", "granian", application, "--interface", "wsgi", "--host", "127.0.0.1"),
        *("--port", "{port}", "--workers", "1", "--blocking-threads", "2"),
        *("--log-level", "warning"),
    ]
    of_peer = {"PEER": peer, "DJANGO_SETTINGS_MODULE": "bench.peers.django_settings"}
    with serving(command, {**os.environ, **environment, **(of_peer if peer else {})}) as server:
        yield server


def get(server: Server, path: str, cookie: str, idle: int) -> Taken:
    """Download a file from a server that held so many bytes. Raises: RuntimeError for a refusal."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=120)
    server.forget_peak()
    cpu, start = server.cpu_seconds(), time.perf_counter()
    connection.request("GET", path, headers={"Cookie": cookie})
    response = connection.getresponse()
    if response.status != 200:
        raise RuntimeError(f"{path}: {response.status} {response.read(500)!r}")
    moments, lines, size = [], 0, 0
    while chunk := response.read1(65_536):
        moments.append(time.perf_counter() - start)
        lines += chunk.count(b"\n")
        size += len(chunk)
    connection.close()
    spent = server.cpu_seconds() - cpu
    first, second, last = moments[0], moments[1], moments[-1]
    return Taken(lines, size, first, second, last, spent, server.peak() - idle)


def middle(taken: list[Taken], what: str) -> float:
    """Return the median of one figure."""
    return median(float(getattr(one, what)) for one in taken)


if __name__ == "__main__":
    sys.exit(parts.main(__doc__, run, TITLE, rounds=5))
