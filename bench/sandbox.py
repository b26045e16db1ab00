"""Start and memory of `make run`: `python -m bench.sandbox` (four minutes).

It makes a sandbox on SQLite, starts it anew five times, and puts load on REST and tools for a
minute. Memory is proportional (PSS): a page that several processes share counts once.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from statistics import median

import psutil

from bench import lead_bodies
from bench.reports import Headline, Report
from bench.servers import ROOT, free_port
from config import development_secrets, env

TITLE = "make run"
STARTS, LOAD_SECONDS, IDLE_SECONDS, CONNECTIONS = 5, 60, 12, 8
START_GOAL, MEMORY_GOAL = 1.5, 400  # seconds; MiB
TIMEOUT_SECONDS = 300
SERVES = "Vestibule serves on"
JSON_HEADERS = {"Content-Type": "application/json", "Accept": "application/json"}
LEADS = "/service/api/v1/lead"
SEARCH = {"name": "svc_search_transactions", "arguments": {}}
FOREWORD = """\
A start is the time from the command to the line that says that it serves; the data are there.
Memory is the sum over all processes, before and after a minute of creating leads and searching
transactions over 8 connections.
"""
Memory = dict[str, int]


def run(*, starts: int = STARTS) -> Report:
    """Start, load and measure; return the report."""
    with tempfile.TemporaryDirectory(prefix="vestibule-bench-") as folder:
        environment = sandbox(Path(folder))
        with running(environment) as (_, process):
            first = memory(process)
        seconds: list[float] = []
        for _ in range(starts):
            with running(environment) as (took, process):
                seconds.append(took)
                if len(seconds) == starts:
                    time.sleep(IDLE_SECONDS)
                    idle = memory(process)
                    answers = load(environment)
                    loaded = memory(process)
    return report(seconds, {"first start": first, "idle": idle, "loaded": loaded}, answers)


def sandbox(folder: Path) -> dict[str, str]:
    """Return the environment of a new sandbox without limits of calls."""
    development_secrets.write(folder / "secrets.env")
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    port = str(free_port())
    return {**kept, "DATA_DIR": str(folder), "PORT": port, "RATE_LIMIT_FACTOR": "0"}


@contextmanager
def running(environment: Mapping[str, str]) -> Iterator[tuple[float, psutil.Process]]:
    """Run `manage.py up`; yield the seconds that its start took, and its process."""
    log = Path(environment["DATA_DIR"]) / "log"
    begun = time.monotonic()
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up"], cwd=ROOT, env=environment,
            stdout=output, stderr=output, start_new_session=True,
        )  # fmt: skip
    try:
        while SERVES not in log.read_text():
            if process.poll() is not None or time.monotonic() - begun > TIMEOUT_SECONDS:
                raise RuntimeError(log.read_text())
            time.sleep(0.02)
        yield time.monotonic() - begun, psutil.Process(process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def memory(supervisor: psutil.Process) -> Memory:
    """Return the proportional memory of each program. Units: bytes."""
    found: Memory = {"supervisor": supervisor.memory_full_info().pss}
    for process in supervisor.children(recursive=True):
        name = process.name()
        found[name] = found.get(name, 0) + process.memory_full_info().pss
    return found


def load(environment: Mapping[str, str]) -> dict[int, int]:
    """Create leads and search transactions for a minute; return the answers by status."""
    facts = env.assignments(Path(environment["DATA_DIR"]) / "demo.env")
    issue = [sys.executable, "manage.py", "issue_assistant_token", "--user", facts["OWNER_EMAIL"]]
    token = subprocess.run(
        issue, cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    ).stdout.strip()
    key = f"{facts['SCHEME_WORD']} {facts['ACCESS_KEY']}:{facts['SECRET_KEY']}"
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": SEARCH}
    version = {"MCP-Protocol-Version": "2025-11-25"}
    requests = [
        ("PUT", LEADS, {"Authorization": key}, lead_bodies.new()),
        ("POST", "/mcp", {"Authorization": f"Bearer {token}", **version}, json.dumps(call)),
    ]
    numbers, statuses = count(1), Counter[int]()
    end = time.monotonic() + LOAD_SECONDS

    def send() -> None:
        with closing(HTTPConnection("127.0.0.1", int(environment["PORT"]), timeout=60)) as client:
            while time.monotonic() < end:
                method, path, headers, body = requests[(number := next(numbers)) % len(requests)]
                sent = body.replace("{n}", f"{number:09}")
                client.request(method, path, sent, {**JSON_HEADERS, **headers})
                response = client.getresponse()
                response.read()
                statuses[response.status] += 1

    with ThreadPoolExecutor(CONNECTIONS) as pool:
        for sender in [pool.submit(send) for _ in range(CONNECTIONS)]:
            sender.result()
    return dict(statuses)


def report(seconds: list[float], measured: dict[str, Memory], answers: dict[int, int]) -> Report:
    """Return the report of the starts and the memory."""
    usual, after = median(seconds), sum(measured["loaded"].values()) / 2**20
    starts = f"{usual:.1f} s ({min(seconds):.1f} to {max(seconds):.1f})"
    memory_after = f"{after:.0f} MiB"
    lines = [
        Headline("Start, installed", starts, f"≤ {START_GOAL} s", usual <= START_GOAL),
        Headline("Memory after load", memory_after, f"≤ {MEMORY_GOAL} MiB", after <= MEMORY_GOAL),
    ]
    names = list(measured["loaded"])
    table = f"| | {' | '.join(names)} | all |\n|---|{'--:|' * (len(names) + 1)}\n"
    for when, found in measured.items():
        cells = [found.get(name, 0) / 2**20 for name in names]
        table += f"| {when} | {' | '.join(f'{cell:.0f}' for cell in [*cells, sum(cells)])} |\n"
    answered = ", ".join(f"{count:,} times {status}" for status, count in answers.items())
    return Report(lines, f"{FOREWORD}\nPSS in MiB:\n\n{table}\nAnswers under load: {answered}.")


if __name__ == "__main__":
    sys.stdout.write(run().text(TITLE))
