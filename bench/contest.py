"""Contests: servers in turn, A B A B, each driven with the same requests by a separate process."""

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from statistics import median, quantiles
from typing import Any

from bench.servers import ROOT, Server, peer_python, serving

LEVELS = {1: 0.2, 8: 0.8, 32: 0.2}  # connections, and for how many seconds
AWAKE = 0.01  # until each connection has an answer: the port is open before all workers serve
FIRST_WARM_UP, WARM_UP = 0.4, 0.15  # a server does slowly what it does first, whatever that is
NOISY = 0.25  # a reference that spreads by more is printed as noisy
NUMBERS = count(100_000_000, 1_000_000)  # each run has a million of its own
MIB = 1024**2


class Failed(Exception):
    """A server answered otherwise than the scenario wants."""


@dataclass(frozen=True)
class Request:
    """What is sent; `{n}` in path, headers and body becomes a number that no other request has."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""


@dataclass(frozen=True)
class Peer:
    """A server in the contest; `{port}` in its command is the one that it must serve."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Scenario:
    """Something that servers are asked to do; a peer that has no requests for it sits out."""

    name: str
    requests: Callable[[Peer], Sequence[Request]]
    status: int = 200
    levels: Mapping[int, float] = field(default_factory=lambda: LEVELS)


@dataclass(frozen=True)
class Cell:
    """What one server did in one round: times in ms; bytes of memory after the whole turn."""

    requests: int
    seconds: float
    cpu_seconds: float
    p50: float
    p99: float
    memory: int = 0

    @property
    def per_second(self) -> float:
        """Return the requests per second."""
        return self.requests / self.seconds

    @property
    def per_cpu_second(self) -> float:
        """Return the requests per CPU-second of the server."""
        return self.requests / max(self.cpu_seconds, 0.001)


@dataclass
class Results:
    """Cells by scenario, level and peer; a list has one per round."""

    cells: dict[tuple[str, int, str], list[Cell]] = field(default_factory=lambda: defaultdict(list))

    def ratios(
        self, scenario: str, level: int, peer: str, to: str, of: Callable[[Cell], float]
    ) -> list[float]:
        """Return, in order of size, how many times as much a peer had as another, by round."""
        ours, theirs = (self.cells[scenario, level, name] for name in (peer, to))
        return sorted(of(one) / of(other) for one, other in zip(ours, theirs, strict=True))

    def table(self, statements: Mapping[tuple[str, str], int] | None = None) -> str:
        """Return a Markdown table for each scenario; the first peer of each is the reference.

        `statements` has the SQL statements of a request by scenario and peer.
        """
        names = dict.fromkeys(scenario for scenario, _, _ in self.cells)
        return "\n".join(self._table(name, statements or {}) for name in names)

    def _table(self, scenario: str, statements: Mapping[tuple[str, str], int]) -> str:
        lines = [f"### {scenario}\n", HEAD]
        reference = ""
        for name, level, peer in self.cells:
            if name == scenario:
                reference = reference or peer
                statement_count = statements.get((scenario, peer), "")
                lines.append(self._line(scenario, level, peer, reference, str(statement_count)))
        return "\n".join(lines) + "\n"

    def _line(self, scenario: str, level: int, peer: str, reference: str, statements: str) -> str:
        cells = self.cells[scenario, level, peer]
        ratios = self.ratios(scenario, level, peer, reference, lambda cell: cell.per_cpu_second)
        p50, p99 = (median(getattr(cell, name) for cell in cells) for name in ("p50", "p99"))
        speeds = [cell.per_cpu_second for cell in cells]
        return (
            f"| {peer} | {level} | {median(cell.per_second for cell in cells):,.0f} "
            f"| {median(speeds):,.0f} "
            f"| {noise(speeds) if peer == reference else spread(ratios)} "
            f"| {p50:.1f} | {p99:.1f} | {median(cell.memory for cell in cells) / MIB:.0f} "
            f"| {statements} |"
        )


HEAD = """\
| who | connections | a second | per CPU-second | times the first | p50 ms | p99 ms | MiB | SQL |
|---|--:|--:|--:|--:|--:|--:|--:|--:|"""


def contest(peers: Sequence[Peer], scenarios: Sequence[Scenario], *, rounds: int = 5) -> Results:
    """Let the servers do all scenarios, one server after another, in each round anew.

    Every second round goes backwards. Raises: Failed, NotServed.
    """
    results = Results()
    for scenario in scenarios:  # in this order, whoever begins
        for level in scenario.levels:
            for peer in peers:
                if scenario.requests(peer):
                    results.cells[scenario.name, level, peer.name] = []
    for number in range(rounds):
        for peer in peers if number % 2 == 0 else reversed(peers):
            sys.stderr.write(f"round {number + 1}: {peer.name}\n")
            with serving(peer.command, {**os.environ, **peer.environment}) as server:
                _turn(server, peer, scenarios, results)
    return results


def _turn(server: Server, peer: Peer, scenarios: Sequence[Scenario], results: Results) -> None:
    asked = [(scenario, scenario.requests(peer)) for scenario in scenarios]
    asked = [(scenario, requests) for scenario, requests in asked if requests]
    drive(server, asked[0][1], 8, AWAKE, asked[0][0].status)
    for place, (scenario, requests) in enumerate(asked):
        drive(server, requests, 8, WARM_UP if place else FIRST_WARM_UP, scenario.status)
    taken = {
        (scenario.name, level, peer.name): drive(server, requests, level, seconds, scenario.status)
        for scenario, requests in asked
        for level, seconds in scenario.levels.items()
    }
    held = server.memory()  # which takes longer than many a cell
    for key, cell in taken.items():
        results.cells[key].append(replace(cell, memory=held))


def drive(
    server: Server, requests: Sequence[Request], connections: int, seconds: float, status: int
) -> Cell:
    """Send requests so long over so many connections. Raises: Failed."""
    sent = [
        {
            "method": request.method,
            "path": request.path,
            "body": request.body,
            "head": "".join(
                f"{name}: {value}\r\n"
                for name, value in {"Host": f"127.0.0.1:{server.port}", **request.headers}.items()
            ),
        }
        for request in requests
    ]
    order = {
        "port": server.port,
        "connections": connections,
        "seconds": seconds,
        "first": next(NUMBERS),
        "requests": sent,
    }
    cpu = server.cpu_seconds()
    measured = _order(order)
    spent = server.cpu_seconds() - cpu
    if list(measured["statuses"]) != [str(status)]:
        raise Failed(f"{requests[0]}: {measured['statuses']} {measured['failure']}")
    p50, p99 = percentiles(measured["milliseconds"])
    return Cell(len(measured["milliseconds"]), measured["seconds"], spent, p50, p99)


def _order(order: Mapping[str, object]) -> dict[str, Any]:
    """Let the driver carry out an order; return what it tells."""
    sender = _driver()
    if sender.stdin is None or sender.stdout is None:
        raise RuntimeError("The driver cannot be spoken to.")
    sender.stdin.write(f"{json.dumps(order)}\n")
    sender.stdin.flush()
    line = sender.stdout.readline()
    if not line:
        raise Failed("The driver ended: the server closed a connection.")
    measured: dict[str, Any] = json.loads(line)
    return measured


@cache
def _driver() -> subprocess.Popen[str]:
    """Start the one driver of this process; it ends when this does, at the end of its input."""
    command = [peer_python(), "-m", "bench.driver"]
    return subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def percentiles(values: Sequence[float]) -> tuple[float, float]:
    """Return the 50th and the 99th percentile; of few values that is the largest."""
    shares = quantiles(values, n=100, method="inclusive") if len(values) > 1 else [values[0]] * 99
    return shares[49], shares[98]


def noise(speeds: Sequence[float]) -> str:
    """Return what a reference says of its rounds."""
    spread = (max(speeds) - min(speeds)) / median(speeds)
    return f"1, noisy: spreads by {spread:.0%}" if spread > NOISY else "1"


def spread(ratios: Sequence[float]) -> str:
    """Return the median of ratios, with the least and the most of them."""
    return f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
