"""What a tool call costs beside its peers: `python -m bench.mcp` (three minutes).

It makes a database with the demo bank, starts the tool server and its peers, and lets them search
transactions in turn, A B C A B C: the tool with everything that production does, a bare Django
view that only does the query, and FastMCP with raw psycopg. Figures are CPU time of the server's
own processes, without the database's, as ratios of one run. With `--write` they go into
`docs/mcp.md`.
"""

import argparse
import json
import os
import platform
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from typing import Any

import django
import psutil

from bench.create_leads import database
from bench.service import ROOT, free_port, wait_for_port
from tests import postgresql

VENV = ROOT / ".venv" / "bench"
SEARCH = {"recordCnt": 10, "page": 1}
PURCHASES = {"recordCnt": 10, "page": 3, "transactionType": "PURCHASE"}
HUNDRED = {"recordCnt": 100, "page": 1}
SCENARIOS = {"10 of all": SEARCH, "10 purchases, page 3": PURCHASES, "100 of all": HUNDRED}
HEAD = """## Speed

Measured {today} by `.venv/bin/python -m bench.mcp --write docs/mcp.md`, Python {python}. CPU
milliseconds of the server's own processes per call, and ratios within each round, from the least
to the most.

"""
OURS, BARE, FASTMCP = "tools/call", "bare Django view", "FastMCP, raw psycopg"


@dataclass(frozen=True)
class Peer:
    """A server and how it is asked to search."""

    name: str
    process: psutil.Process
    port: int
    path: str
    headers: dict[str, str]
    body: Callable[[dict[str, Any]], dict[str, Any]]

    def cpu_seconds(self) -> float:
        """Return the CPU time that its processes have spent."""
        processes = [self.process, *self.process.children(recursive=True)]
        return sum(sum(process.cpu_times()[:2]) for process in processes)

    def round(self, arguments: dict[str, Any], calls: int) -> tuple[float, float]:
        """Search so often; return CPU and wall milliseconds per call."""
        body = json.dumps(self.body(arguments)).encode()
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            cpu, start = self.cpu_seconds(), time.perf_counter()
            for _ in range(calls):
                connection.request("POST", self.path, body, self.headers)
                response = connection.getresponse()
                answer = response.read()
                if response.status != 200 or b"transactionId" not in answer:
                    raise RuntimeError(f"{self.name}: {response.status} {answer[:500]!r}")
            seconds = time.perf_counter() - start
            return (self.cpu_seconds() - cpu) * 1000 / calls, seconds * 1000 / calls


def main() -> int:
    """Run the benchmark; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", type=int, default=400, help="Per round (400).")
    parser.add_argument("--rounds", type=int, default=7, help="After a warm-up (7).")
    parser.add_argument("--write", type=Path, help="The document whose section is replaced.")
    options = parser.parse_args()
    with ExitStack() as stack:
        server = stack.enter_context(postgresql.server())
        url = stack.enter_context(database(server.url))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="vestibule-bench-")))
        token, email = prepare(url)
        peers = start_peers(stack, url, folder, token, email)
        text = HEAD.format(today=datetime.now(UTC).date(), python=platform.python_version())
        text += report(peers, options) + steps(token)
    sys.stdout.write(text)
    if options.write:
        from bench.search_report import write

        write(options.write, text)
    return 0


def prepare(url: str) -> tuple[str, str]:
    """Fill the database; return a token and whose it is."""
    os.environ.update(DATABASE_URL=url, DJANGO_SETTINGS_MODULE="config.settings_test")
    django.setup()
    from django.core.management import call_command

    from banking.demo import cast
    from banking.models import User
    from mcp_server.scopes import Scope
    from mcp_server.services.connections import issue_token

    call_command("migrate", verbosity=0)
    call_command("load_demo_bank", verbosity=0)
    from django.utils import timezone

    user = User.objects.get(email=cast.BUSINESS_USER)
    now = timezone.now()
    return issue_token(user, client_name="bench", scopes=Scope.values, at=now), user.email


def start_peers(stack: ExitStack, url: str, folder: Path, token: str, email: str) -> list[Peer]:
    """Start every server; the tool and the bare view are served by one process."""
    environment = {
        **os.environ,
        "DATABASE_URL": url,
        "DATA_DIR": str(folder),
        "DJANGO_SETTINGS_MODULE": "bench.mcp_peers.settings",
        "BASE_URL": "http://testserver",
        "ALLOWED_HOSTS": "127.0.0.1",
        "RATE_LIMIT_FACTOR": "1000000",
        "LOG_LEVEL": "WARNING",
    }
    secrets_command = [sys.executable, "-m", "config.development_secrets"]
    subprocess.run(secrets_command, cwd=ROOT, env=environment, check=True)
    port = free_port()
    django_server = [
        *(sys.executable, "-m", "granian", "config.wsgi:application", "--interface", "wsgi"),
        *("--host", "127.0.0.1", "--port", str(port), "--workers", "1"),
        *("--blocking-threads", "1", "--log-level", "warning"),
    ]
    process = stack.enter_context(serving(django_server, port, environment))
    json_headers = {"Content-Type": "application/json", "Accept": "application/json"}
    authorized = {**json_headers, "Authorization": f"Bearer {token}"}
    versioned = {**authorized, "MCP-Protocol-Version": "2025-11-25"}
    peers = [
        Peer(OURS, process, port, "/mcp", versioned, tool_call),
        Peer(BARE, process, port, "/bare", json_headers, lambda asked: {**asked, "user": email}),
    ]
    port = free_port()
    program = str(ROOT / "bench" / "mcp_peers" / "fastmcp_server.py")
    process = stack.enter_context(
        serving([str(peer_python()), program, url, str(port)], port, environment)
    )
    sse = {**versioned, "Accept": "application/json, text/event-stream"}
    return [*peers, Peer(FASTMCP, process, port, "/mcp", sse, tool_call)]


def tool_call(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON-RPC request of a search."""
    params = {"name": "svc_search_transactions", "arguments": arguments}
    return {
        "jsonrpc": "2.0",
        "id": secrets.randbelow(1000),
        "method": "tools/call",
        "params": params,
    }


@contextmanager
def serving(command: list[str], port: int, environment: dict[str, str]) -> Iterator[psutil.Process]:
    """Run a server while it is measured."""
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    try:
        wait_for_port(process, port)
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(timeout=30)


def peer_python() -> Path:
    """Return the Python that has the peers' packages; the first run installs them."""
    python = VENV / "bin" / "python"
    if not python.exists():
        requirements = str(ROOT / "bench" / "requirements.txt")
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--require-hashes"]
        subprocess.run([*pip, "-r", requirements], check=True)
    return python


def report(peers: list[Peer], options: argparse.Namespace) -> str:
    """Return the table of medians: CPU per call of each, and the ratios of ours to them."""
    rows = []
    for title, arguments in SCENARIOS.items():
        for peer in peers:
            peer.round(arguments, options.calls // 4)
        rounds = [
            {peer.name: peer.round(arguments, options.calls) for peer in peers}
            for _ in range(options.rounds)
        ]
        rows.append(row(title, rounds))
    head = (
        f"| search | {OURS}: CPU ms | {BARE} | {FASTMCP} | to {BARE} | to {FASTMCP} |\n"
        "|---|---|---|---|---|---|\n"
    )
    return head + "".join(rows)


def row(title: str, rounds: list[dict[str, tuple[float, float]]]) -> str:
    """Return a line: medians over the rounds, ratios within each round, with their spread."""
    cpu = {name: median(taken[name][0] for taken in rounds) for name in rounds[0]}
    cells = [f"{cpu[name]:.2f}" for name in (OURS, BARE, FASTMCP)]
    for peer in (BARE, FASTMCP):
        ratios = sorted(taken[OURS][0] / taken[peer][0] for taken in rounds)
        cells.append(f"{median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f})")
    return f"| {title} | {' | '.join(cells)} |\n"


def steps(token: str) -> str:
    """Return what our additions to a call cost by themselves, in this process."""
    from django.test import RequestFactory
    from django.utils import timezone
    from oauth2_provider.oauth2_backends import get_oauthlib_core

    from banking.services import limits
    from mcp_server.services import access_log
    from mcp_server.services.authentication import authenticate

    now = timezone.now()
    grant = authenticate(token, at=now)
    request = RequestFactory().post("/mcp", headers={"authorization": f"Bearer {token}"})
    toolkit = get_oauthlib_core()
    measured = {
        "token check": lambda: authenticate(token, at=now),
        "the toolkit's token check": lambda: toolkit.verify_request(request, scopes=[]),
        "rate limit": lambda: limits.count([f"tools:{grant.connection_id}"], at=now),
        "access log": lambda: access_log.record(
            connection_id=grant.connection_id,
            tool="svc_search_transactions",
            business_id=None,
            outcome="OK",
            duration_ms=1,
            request_id="bench",
            at=now,
        ),
    }
    lines = [f"| {name} | {microseconds(step):.0f} |\n" for name, step in measured.items()]
    return "\n| step | CPU µs |\n|---|---|\n" + "".join(lines)


def microseconds(step: Callable[[], Any], calls: int = 2000) -> float:
    """Return the CPU time of one call."""
    for _ in range(calls // 10):
        step()
    start = time.process_time()
    for _ in range(calls):
        step()
    return (time.process_time() - start) * 1e6 / calls


if __name__ == "__main__":
    sys.exit(main())
