"""Does every webhook arrive, in order, whatever ends in between? `python -m bench.webhook_faults`.

Writes events while a real worker and a real receiver run, each in a process of its own; the
receiver answers 500 to one request in ten, and the worker is killed with SIGKILL again and again.
Other scenarios also restart the broker (all its messages are lost) or the database. Afterwards
what arrived is compared with what was written down.

`--write docs/reliability.md` puts the figures into that page.
"""

import argparse
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from statistics import median
from threading import Thread

from bench.servers import ROOT, free_port
from config import development_secrets, processes
from tests import postgresql

BEGIN, END = "<!-- figures -->", "<!-- end of the figures -->"
TIMEOUT_SECONDS = 900.0  # until the last event must have arrived
RETRIES = "0,1,2,5,10,20,30,60,60,60"  # seconds: a bench has no days
SCENARIOS = {
    "SQLite, messages in files": ("sqlite", "files", "worker"),
    "PostgreSQL, messages in files": ("postgresql", "files", "worker"),
    "PostgreSQL, Redis; Redis restarted empty": ("postgresql", "redis", "broker"),
    "PostgreSQL, messages in files; database restarted": ("postgresql", "files", "database"),
}


@dataclass
class Figures:
    """What one scenario came to; times in seconds."""

    events: int
    requests: int
    lost: int
    repeated: int
    other_ids: int
    out_of_order: int
    unverified: int
    refused: int
    worker_kills: int
    restarts: int
    seconds: float
    per_second: float
    median_delay: float
    longest_delay: float


@dataclass
class Program:
    """A process of ours that can be killed and started again."""

    command: list[str]
    environment: dict[str, str]
    log: Path
    folder: Path = ROOT  # of the code

    def start(self) -> None:
        """Start it in a process group of its own."""
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                self.command,
                cwd=self.folder,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=partial(processes.end_with, os.getpid()),
            )

    def kill(self) -> None:
        """End it and all that it started, without a word."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def main() -> None:
    """Run the scenarios, one after the other, and print what they came to."""
    options = read_options()
    if options.scenario:
        database, broker, restart = SCENARIOS[options.scenario]
        figures = run(options, database, broker, restart)
        print(json.dumps(asdict(figures)))  # noqa: T201 - what the caller reads
        return
    found = {}
    for scenario in SCENARIOS:
        print(f"{scenario} …", flush=True)  # noqa: T201 - a bench talks
        command = [sys.executable, "-m", "bench.webhook_faults", *sys.argv[1:]]
        done = subprocess.run(
            [*command, "--scenario", scenario],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            sys.exit(done.stderr)
        found[scenario] = Figures(**json.loads(done.stdout.splitlines()[-1]))
    table = describe(found, options)
    print(table)  # noqa: T201 - a bench talks
    if options.write:
        write(options.write, table)
    sys.exit(any(is_bad(figures) for figures in found.values()))


def read_options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--leads", type=int, default=200)
    parser.add_argument("--endpoints", type=int, default=5)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--fail-one-in", type=int, default=10)
    parser.add_argument("--scenario", choices=SCENARIOS)
    parser.add_argument("--write", type=Path, metavar="PAGE")
    return parser.parse_args()


def run(options: argparse.Namespace, database: str, broker: str, restart: str) -> Figures:
    """Run one scenario on a database, a broker and a receiver of its own."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vestibule-faults-")))
        url = stack.enter_context(database_of(database))
        broker_url, restart_broker = stack.enter_context(broker_of(broker, folder))
        prepare_environment(folder, url, broker_url)
        port = free_port()
        secret = prepare_rows(options, port)
        log = folder / "received.jsonl"
        modules = {
            "receiver": ["bench.webhook_receiver", str(port), str(log), secret],
            "worker": ["config.worker"],
            "beat": ["config.beat"],
        }
        started = {
            name: Program([sys.executable, "-m", *module], dict(os.environ), folder / f"{name}.log")
            for name, module in modules.items()
        }
        for program in started.values():
            program.start()
            stack.callback(program.kill)
        restarts = {"worker": None, "broker": restart_broker, "database": crash_database}
        return measure(options, log, started["worker"], restarts[restart])


@contextmanager
def database_of(kind: str) -> Iterator[str]:
    """Yield the URL of an empty database; none is SQLite's."""
    if kind == "sqlite":
        yield ""
        return
    with postgresql.throwaway("fsync=on", "synchronous_commit=on", "full_page_writes=on") as server:
        yield server.url


@contextmanager
def broker_of(kind: str, folder: Path) -> Iterator[tuple[str, Callable[[], None] | None]]:
    """Yield the URL of a broker, none for files, and what restarts it without its messages."""
    if kind == "files":
        yield "", None
        return
    port = free_port()
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
    redis = Program([*command, "--appendonly", "no"], dict(os.environ), folder / "redis.log")

    def restart() -> None:
        redis.kill()
        time.sleep(2)
        redis.start()

    redis.start()
    try:
        yield f"redis://127.0.0.1:{port}/0", restart
    finally:
        redis.kill()


def crash_database() -> None:
    """Kill a backend of PostgreSQL: the server ends all others, recovers, and starts again."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (backend,) = cursor.fetchone()
    os.kill(backend, signal.SIGKILL)
    connection.close()


def prepare_environment(folder: Path, url: str, broker_url: str) -> None:
    """Set Django up on the folder, the database and the broker, for us and who we start."""
    os.environ.update(
        DJANGO_SETTINGS_MODULE="config.settings",
        DATA_DIR=str(folder),
        DATABASE_URL=url,
        CELERY_BROKER_URL=broker_url,
        RETRY_DELAYS=RETRIES,
        ALLOW_LOOPBACK="1",
        LOG_LEVEL="WARNING",
    )
    development_secrets.write(folder / "secrets.env")
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)


def prepare_rows(options: argparse.Namespace, port: int) -> str:
    """Make a partner with a webhook per endpoint, and the leads; return the webhooks' secret."""
    from tests import factories

    for number in range(options.endpoints):
        url = f"http://127.0.0.1:{port}/fail/{options.fail_one_in}/{number}"
        webhook = factories.make_webhook(server_url=url)
        for _ in range(number, options.leads, options.endpoints):
            factories.make_application(factories.make_lead(webhook.partner))
    return factories.SIGNING_SECRET


def measure(
    options: argparse.Namespace, log: Path, worker: Program, restart: Callable[[], None] | None
) -> Figures:
    """Write the events, kill and restart meanwhile, wait for the last one, and compare."""
    began = time.monotonic()
    writer = Thread(target=write_events, args=[options.events])
    writer.start()
    for number in range(options.kills):
        wait_for(log, options.events * (number + 1) // (options.kills + 1))
        worker.kill()
        worker.start()
        if restart and number % 2:
            restart()
    writer.join()
    expected = read_expected()
    wait_for(log, len(expected))
    seconds = time.monotonic() - began
    received = [json.loads(line) for line in log.read_text().splitlines()]
    restarts = options.kills // 2 if restart else 0
    return compare(expected, received, seconds, kills=options.kills, restarts=restarts)


def write_events(count: int, *, first: int = 0) -> None:
    """Write events down, lead after lead, each in a transaction of its own."""
    from django.db import InterfaceError, OperationalError, connection, transaction

    from onboarding.event_types import EventType
    from onboarding.models import Application
    from onboarding.queries.leads import lock_application
    from onboarding.services.events import history

    keys = list(Application.objects.order_by("pk").values_list("pk", flat=True))
    for number in range(first, first + count):
        while True:
            try:
                with transaction.atomic():
                    application = lock_application(pk=keys[number % len(keys)])
                    history.record(
                        application, EventType.STARTED, by=history.CHECKS, at=datetime.now(UTC)
                    )
                break
            except (OperationalError, InterfaceError):  # the database restarts
                reconnect()
    connection.close()


def reconnect() -> None:
    """Wait until the database answers again."""
    from django.db import OperationalError, connection

    connection.close()
    for _ in range(600):
        try:
            connection.ensure_connection()
        except OperationalError:
            time.sleep(0.1)
        else:
            return


def read_expected() -> dict[str, float]:
    """Return when each message was caused, by its id."""
    from onboarding.models import Event
    from onboarding.services.events import payloads

    events = Event.objects.exclude(sequence=None).only("external_id", "occurred_at")
    return {payloads.message_id(event): event.occurred_at.timestamp() for event in events}


def wait_for(log: Path, count: int) -> None:
    """Wait until so many messages were accepted, or patience ends."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while len(accepted(log)) < count and time.monotonic() < deadline:
        time.sleep(0.2)


def accepted(log: Path) -> set[str]:
    """Return the ids of the messages that the receiver took."""
    lines = map(json.loads, log.read_text().splitlines()) if log.exists() else ()
    return {line["webhook_id"] for line in lines if line["status"] < 300}


def compare(
    expected: dict[str, float], received: list[dict], seconds: float, *, kills: int, restarts: int
) -> Figures:
    """Return what became of the events."""
    first: dict[str, dict] = {}
    by_lead: dict[str, list[int]] = defaultdict(list)
    ids: dict[tuple[str, int], set[str]] = defaultdict(set)
    for line in received:
        ids[line["customer"], line["sequence"]].add(line["webhook_id"])
        if line["status"] < 300 and line["webhook_id"] not in first:
            first[line["webhook_id"]] = line
            by_lead[line["customer"]].append(line["sequence"])
    delays = [line["at"] - expected[name] for name, line in first.items() if name in expected]
    refused = sum(line["status"] >= 300 for line in received)
    return Figures(
        events=len(expected),
        requests=len(received),
        lost=len(expected.keys() - first.keys()),
        repeated=len(received) - refused - len(first),
        other_ids=sum(len(names) > 1 for names in ids.values()),
        out_of_order=sum(numbers != sorted(numbers) for numbers in by_lead.values()),
        unverified=sum(not line["is_verified"] for line in received),
        refused=refused,
        worker_kills=kills,
        restarts=restarts,
        seconds=seconds,
        per_second=len(received) / seconds,
        median_delay=median(delays) if delays else 0.0,
        longest_delay=max(delays, default=0.0),
    )


def is_bad(figures: Figures) -> bool:
    """Say whether something was promised and not kept."""
    return bool(figures.lost + figures.other_ids + figures.out_of_order + figures.unverified)


def describe(found: dict[str, Figures], options: argparse.Namespace) -> str:
    """Return the figures as a page shows them."""
    rows = {
        "events": "{0.events:,}",
        "lost": "{0.lost}",
        "leads with an event out of order": "{0.out_of_order}",
        "events sent under a second id": "{0.other_ids}",
        "signatures that did not verify": "{0.unverified}",
        "requests": "{0.requests:,}",
        "answered 500 on purpose": "{0.refused:,}",
        "accepted more than once": "{0.repeated}",
        "worker killed": "{0.worker_kills}",
        "broker or database restarted": "{0.restarts}",
        "seconds until the last one arrived": "{0.seconds:.0f}",
        "deliveries per second": "{0.per_second:.0f}",
        "delay, median": "{0.median_delay:.1f} s",
        "delay, longest": "{0.longest_delay:.1f} s",
    }
    lines = [
        f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores, Python "
        f"{platform.python_version()}; {options.leads} leads, {options.endpoints} endpoints.",
        "",
        "| | " + " | ".join(found) + " |",
        "|---" * (len(found) + 1) + "|",
    ]
    for title, form in rows.items():
        cells = " | ".join(form.format(figures) for figures in found.values())
        lines.append(f"| {title} | {cells} |")
    return "\n".join(lines)


def write(page: Path, table: str, *, begin: str = BEGIN, end: str = END) -> None:
    """Put the figures between the marks of a page."""
    before, _, rest = page.read_text().partition(begin)
    page.write_text(f"{before}{begin}\n{table}\n{end}{rest.partition(end)[2]}")


if __name__ == "__main__":
    if not shutil.which("redis-server"):
        sys.exit("redis-server is needed for one of the scenarios")
    main()
