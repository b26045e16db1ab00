"""How many webhooks one worker delivers: `python -m bench.webhooks` (a minute).

A worker of ours, with the beat that wakes it, and a worker of the peer each have one process, 32
threads and the same receiver, which verifies every signature. They get bursts in turn, A B A B,
and then events at an even pace. CPU is that of the worker's process, without the database's.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import psutil

from bench import parts, webhook_faults
from bench.contest import MIB, noise, percentiles, spread
from bench.databases import database
from bench.reports import Headline, Report
from bench.servers import free_port
from bench.webhook_faults import Program
from bench.webhook_news import Caused, PeerQueue, count_ours, write_events

TITLE = "Webhook deliveries"
OURS, PEER = "Vestibule", "a Celery task per delivery"
LEADS = {300: 300, 4: 100, 1: 40}  # leads at once, and the deliveries of a burst
PACE, PACED_SECONDS = 20, 3
TIMEOUT_SECONDS = 60.0
HEAD = """\
| what | who | a second | per CPU-second | times the peer | p50 s | p99 s | MiB | SQL |
|---|---|--:|--:|--:|--:|--:|--:|--:|
"""


@dataclass(frozen=True)
class Cell:
    """What became of one burst: times in seconds, from the event to its receipt."""

    per_second: float
    per_cpu_second: float
    p50: float
    p99: float
    memory: int


@dataclass(frozen=True)
class Sender:
    """A worker, and how it is given so many messages of so many leads."""

    name: str
    process: psutil.Process
    give: Callable[[int, int], Caused]
    statements: float

    def cpu_seconds(self) -> float:
        """Return the CPU time that the worker has spent."""
        return sum(self.process.cpu_times()[:2])


def run(*, rounds: int = 5) -> Report:
    """Deliver bursts and a steady stream; return the report."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vestibule-bench-")))
        url = stack.enter_context(database())
        broker = "redis" if shutil.which("redis-server") else "files"
        broker_url, _ = stack.enter_context(webhook_faults.broker_of(broker, folder))
        webhook_faults.prepare_environment(folder, url, broker_url or "files://")
        log = folder / "received.jsonl"
        senders = list(start(stack, folder, log, with_peer=broker == "redis"))
        cells = measure(senders, log, rounds)
    details = f"{preface(broker)}\n\n{HEAD}{''.join(lines(senders, cells))}"
    return Report(list(headlines(cells)), details)


def start(stack: ExitStack, folder: Path, log: Path, *, with_peer: bool) -> Iterator[Sender]:
    """Start the receiver and the workers, and see each deliver something."""
    from django.db import connection

    from tests import factories

    stack.callback(connection.close)
    port = free_port()
    ours = factories.make_webhook(server_url=f"http://127.0.0.1:{port}/ours")
    theirs = factories.make_webhook(server_url=f"http://127.0.0.1:{port}/theirs")
    for _ in range(max(LEADS)):
        factories.make_application(factories.make_lead(ours.partner))
    peer = ["celery", "-A", "bench.peers.celery_webhooks", "-q", "worker", "--pool", "threads"]
    quiet = ["--concurrency", "32", "--without-gossip", "--without-mingle", "--loglevel", "ERROR"]
    programs = {
        "receiver": ["bench.webhook_receiver", str(port), str(log), factories.SIGNING_SECRET],
        "worker": ["config.worker"],
        "beat": ["config.beat"],
        **({"peer": [*peer, *quiet]} if with_peer else {}),
    }
    processes = {}
    for name, words in programs.items():
        command = [sys.executable, "-m", *words]
        program = Program(command, dict(os.environ), folder / f"{name}.log")
        program.start()
        stack.callback(program.kill)
        processes[name] = psutil.Process(program.process.pid)
    yield Sender(OURS, processes["worker"], write_events, count_ours(ours))
    if with_peer:
        give = PeerQueue(theirs)
        yield Sender(PEER, processes["peer"], give, give.count())


def measure(senders: list[Sender], log: Path, rounds: int) -> dict[tuple[str, str], list[Cell]]:
    """Let the senders have bursts in turn, and then a steady pace; return cells by what and who."""
    cells: dict[tuple[str, str], list[Cell]] = {}
    for sender in senders:
        burst(sender, log, 50, 50)
    for leads, count in LEADS.items():
        what = title(leads, count)
        for number in range(rounds):
            for sender in senders if number % 2 == 0 else reversed(senders):
                sys.stderr.write(f"{what}: {sender.name}\n")
                cells.setdefault((what, sender.name), []).append(burst(sender, log, count, leads))
    for sender in senders:
        cells[f"{PACE} a second", sender.name] = [pace(sender, log)]
    return cells


def title(leads: int, count: int) -> str:
    """Return the name of a burst."""
    return f"{count} events of {leads} lead{'s' if leads > 1 else ''} at once"


def burst(sender: Sender, log: Path, count: int, leads: int) -> Cell:
    """Give a sender so much at once, and wait until all of it arrived."""
    cpu = sender.cpu_seconds()
    return cell(sender, log, sender.give(count, leads), cpu)


def pace(sender: Sender, log: Path) -> Cell:
    """Give a sender something all the time, and wait until all of it arrived."""
    cpu, caused, began = sender.cpu_seconds(), Caused(), time.monotonic()
    for number in range(PACE * PACED_SECONDS):
        time.sleep(max(0.0, began + number / PACE - time.monotonic()))
        caused |= sender.give(1, 1)
    return cell(sender, log, caused, cpu)


def cell(sender: Sender, log: Path, caused: Caused, cpu: float) -> Cell:
    """Wait for messages; return how long they took. Raises: TimeoutError."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not caused.keys() <= (received := read(log)).keys():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{sender.name} did not deliver in time.")
        time.sleep(0.1)
    time.sleep(0.2)  # for what follows the last POST
    arrived = sorted(received[name] for name in caused)
    p50, p99 = percentiles([received[name] - at for name, at in caused.items()])
    return Cell(
        per_second=(len(arrived) - 1) / (arrived[-1] - arrived[0]),
        per_cpu_second=len(arrived) / (sender.cpu_seconds() - cpu),
        p50=p50,
        p99=p99,
        memory=sender.process.memory_full_info().uss,
    )


def read(log: Path) -> Caused:
    """Return when each message came first, verified."""
    came: Caused = {}
    for line in log.read_text().splitlines() if log.exists() else ():
        row = json.loads(line)
        if row["is_verified"] and row["status"] < 300:
            came.setdefault(row["webhook_id"], row["at"])
    return came


def preface(broker: str) -> str:
    """Return what was compared."""
    holder = "Redis" if broker == "redis" else "a folder"
    missing = "" if broker == "redis" else " Without `redis-server` the peer was left out."
    return (
        "One worker process with 32 threads sends to one healthy receiver over http on loopback, "
        f"which verifies each signature; PostgreSQL holds the rows, {holder} the messages. "
        "Vestibule publishes events from its outbox, keeps the order of each lead with up to "
        "16 runners, takes leases, guards addresses and writes each attempt down; the peer is a "
        "Celery task per delivery with `requests.post` and one `save()`, in no order, whose work "
        "is lost with the broker. CPU and memory are the worker's alone, without beat, which wakes "
        "ours. Times go from the event's commit to its receipt: Vestibule looks for news once a "
        "second."
        f"{missing}"
    )


def headlines(cells: dict[tuple[str, str], list[Cell]]) -> Iterator[Headline]:
    """Yield the bursts of the most leads and of one lead, with ratios of CPU-seconds."""
    for leads in (max(LEADS), min(LEADS)):
        what = title(leads, LEADS[leads])
        found = cells[what, OURS]
        pairs = zip(found, cells.get((what, PEER), []), strict=False)
        ratios = sorted(one.per_cpu_second / other.per_cpu_second for one, other in pairs)
        speed = median(one.per_second for one in found)
        headline = Headline(what, f"{speed:,.0f} a second", "≥ 200", speed >= 200)
        yield replace(headline, ratio=spread(ratios), to=PEER) if ratios else headline


def lines(senders: list[Sender], cells: dict[tuple[str, str], list[Cell]]) -> Iterator[str]:
    """Yield the rows of the table: medians, and ratios within each round with their spread."""
    statements = {sender.name: sender.statements for sender in senders}
    for (what, who), found in cells.items():
        peers = cells.get((what, PEER), [])
        pairs = zip(found, peers, strict=False)
        ratios = sorted(one.per_cpu_second / other.per_cpu_second for one, other in pairs)
        spread_text = spread(ratios) if ratios else ""
        yield (
            f"| {what} | {who} | {median(one.per_second for one in found):,.0f} "
            f"| {median(one.per_cpu_second for one in found):,.0f} "
            f"| {noise([one.per_cpu_second for one in found]) if who == PEER else spread_text} "
            f"| {median(one.p50 for one in found):.2f} | {median(one.p99 for one in found):.2f} "
            f"| {median(one.memory for one in found) / MIB:.0f} | {statements[who]:.0f} |\n"
        )


if __name__ == "__main__":
    sys.exit(parts.main(__doc__, run, TITLE, rounds=5))
