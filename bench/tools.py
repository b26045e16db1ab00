"""Tool calls beside their peers: `python -m bench.tools` (three minutes).

It starts a PostgreSQL of its own with the demo bank, lets us and every peer answer the same
questions and compares what they say, counts the statements of each call, and then lets them search
transactions, sum up, hand out a statement and check a token in turn.
"""

import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode

from bench import parts, statements
from bench.contest import Peer, Request, Results, Scenario, contest, spread
from bench.databases import database
from bench.reports import Headline, Report
from bench.servers import UNHEARD, Server, peer_python, serving

Json = dict[str, Any]

TITLE = "Tool calls"
FASTAPI, FASTMCP = "FastAPI + SQLAlchemy", "FastMCP + psycopg"
OURS, BARE = "Vestibule", "bare Django view"
WARM = 6
WHOLE, SHORT = {1: 0.15, 8: 0.4, 32: 0.15}, {1: 0.1, 8: 0.3, 32: 0.1}
JSON_HEADERS = {"Content-Type": "application/json", "Accept": "application/json"}
SEARCH = "svc_search_transactions"
TEN, HUNDRED = "search: 10 of all", "search: 100 of all"
WORDS = "search: 10 of a word"
SUMMARY, FINANCIAL = "account summary", "financial summary of a year"
GROUPED = "financial summary of a year, by merchant"
STATEMENT, TOKEN = "download of a statement", "the token check alone (`ping`)"
FOREWORD = """\
Each server reads the demo bank in one PostgreSQL, with one process, after the same questions were
answered alike. Vestibule does what production does: the protocol, the token, the scope, the
limit, the access log of each call and the log of requests. FastAPI and FastMCP check the token by
one statement and then count and read by two; they have no limit and no log. The bare Django view
gets the tools' own query, with no token, no protocol and Django's least middleware; under "SQL",
one of its statements is the question for the user whose token others check.
"""


@dataclass(frozen=True)
class Bank:
    """Whom the demo bank knows: a user with a token, and what there is to ask about."""

    url: str
    token: str
    email: str
    user_id: str
    statement_id: str


@dataclass(frozen=True)
class Question:
    """A tool and its arguments, and who answers it besides us."""

    tool: str
    arguments: Json
    peers: Sequence[str]
    levels: Mapping[int, float] = field(default_factory=lambda: SHORT)


def run(*, rounds: int = 5) -> Report:
    """Run the contest; return the report."""
    with (
        database() as url,
        tempfile.TemporaryDirectory(prefix="vestibule-bench-") as folder,
    ):
        environment = prepare(url, Path(folder))
        bank = load(url)
        asked, entrants = questions(bank), peers(url, environment)
        counts = check(bank, asked, entrants)
        wanted = [scenario(bank, name, question) for name, question in asked.items()]
        results = contest(entrants, wanted, rounds=rounds)
    return Report(headlines(results), f"{FOREWORD}\n{results.table(counts)}")


def prepare(url: str, folder: Path) -> dict[str, str]:
    """Make the secrets and the settings of every server, and take them for this process, too."""
    more = {"BASE_URL": "http://testserver", "ALLOWED_HOSTS": "127.0.0.1", "ALLOW_LOOPBACK": "0"}
    environment = parts.settle(url, folder, RATE_LIMIT_FACTOR="1000000", **more)
    (folder / "static").mkdir()
    return environment


def load(url: str) -> Bank:
    """Fill the database with the demo bank; return whom it knows."""
    parts.set_up()
    from django.core.management import call_command
    from django.utils import timezone

    from banking.demo import cast
    from banking.models import User
    from banking.queries.statements import get_latest_statement
    from mcp_server.scopes import Scope
    from mcp_server.services.connections import issue_token

    call_command("load_demo_bank", verbosity=0)
    user = User.objects.get(email=cast.BUSINESS_USER)
    business = user.business_owner.business
    return Bank(
        url,
        token=issue_token(user, client_name="bench", scopes=Scope.values, at=timezone.now()),
        email=user.email,
        user_id=str(user.external_id),
        statement_id=str(get_latest_statement(business).external_id),
    )


def questions(bank: Bank) -> dict[str, Question]:
    """Return what is asked; who answers it first in `peers` is the reference of its table."""
    everybody = [FASTAPI, FASTMCP, BARE]
    year = {
        "customerExternalId": bank.user_id,
        "chartType": "EXPENSE",
        "startDate": "2026-06-01",
        "granularity": "YEAR",
    }
    return {
        TEN: Question(SEARCH, {"recordCnt": 10, "page": 1}, everybody, WHOLE),
        HUNDRED: Question(SEARCH, {"recordCnt": 100, "page": 1}, everybody, WHOLE),
        WORDS: Question(SEARCH, {"recordCnt": 10, "page": 1, "query": "flour"}, [BARE]),
        SUMMARY: Question("svc_get_account_summary", {}, [BARE]),
        FINANCIAL: Question("svc_get_financial_summary", year, [BARE]),
        GROUPED: Question("svc_get_financial_summary", {**year, "groupBy": "MERCHANT"}, [BARE]),
        STATEMENT: Question("svc_download_statement", {"statementId": bank.statement_id}, [BARE]),
        TOKEN: Question("", {}, [FASTMCP]),
    }


def peers(url: str, environment: Mapping[str, str]) -> list[Peer]:
    """Return the servers, each with one process."""
    uvicorn = [
        *(peer_python(), "-m", "uvicorn", "bench.peers.fastapi_sqlalchemy:app"),
        *("--host", "127.0.0.1", "--port", "{port}", "--loop", "uvloop", "--http", "httptools"),
        *("--no-access-log", "--log-level", "warning"),
    ]
    granian = [
        *(
            *UNHEARD,
            sys.executable,
            "-m",
            "granian",
            "config.wsgi:application",
            "--interface",
            "wsgi",
        ),
        *("--host", "127.0.0.1", "--port", "{port}", "--workers", "1", "--blocking-threads", "2"),
        *("--log-level", "warning"),
    ]
    fastmcp = [peer_python(), "-m", "bench.peers.fastmcp_psycopg", url, "{port}"]
    bare = {**environment, "DJANGO_SETTINGS_MODULE": "bench.peers.tools_settings"}
    return [
        Peer(FASTAPI, uvicorn, environment),
        Peer(FASTMCP, fastmcp, environment),
        Peer(BARE, granian, bare),
        Peer(OURS, granian, environment),
    ]


def scenario(bank: Bank, name: str, question: Question) -> Scenario:
    """Return a question as the contest asks it."""

    def requests(peer: Peer) -> list[Request]:
        answers = peer.name == OURS or peer.name in question.peers
        return [request(bank, peer.name, question)] if answers else []

    return Scenario(name, requests, levels=question.levels)


def request(bank: Bank, name: str, question: Question) -> Request:
    """Return a question as a peer takes it."""
    authorized = {"Authorization": f"Bearer {bank.token}"}
    if name == FASTAPI:
        given = question.arguments
        asked = {"size": given["recordCnt"], "page": given["page"]}
        return Request("GET", f"/transactions?{urlencode(asked)}", authorized)
    if name == BARE:
        body = json.dumps({**question.arguments, "user": bank.email})
        return Request("POST", f"/{question.tool}", JSON_HEADERS, body)
    accepted = "application/json, text/event-stream"
    headers = {**JSON_HEADERS, **authorized, "Accept": accepted}
    headers["MCP-Protocol-Version"] = "2025-11-25"
    call: Json = {"method": "ping"}
    if question.tool:
        params = {"name": question.tool, "arguments": question.arguments}
        call = {"method": "tools/call", "params": params}
    return Request("POST", "/mcp", headers, json.dumps({"jsonrpc": "2.0", "id": 1, **call}))


def check(
    bank: Bank, asked: Mapping[str, Question], entrants: Sequence[Peer]
) -> dict[tuple[str, str], int]:
    """Return the statements of each call by scenario and peer.

    Raises: RuntimeError if a peer answers otherwise than we do.
    """
    counts: dict[tuple[str, str], int] = {}
    wanted: dict[str, object] = {}
    for peer in sorted(entrants, key=lambda peer: peer.name != OURS):
        sys.stderr.write(f"{peer.name}: the same answers?\n")
        with serving(peer.command, {**os.environ, **peer.environment}) as server:
            for name, question in asked.items():
                for one in scenario(bank, name, question).requests(peer):
                    for _ in range(WARM):
                        answer = ask(server, one)
                    if wanted.setdefault(name, answer) != answer:
                        texts = f"{answer!s:.500} where we have {wanted[name]!s:.500}"
                        raise RuntimeError(f"{name}: {peer.name}: {texts}")
                    counts[name, peer.name] = statements.count(bank.url, partial(ask, server, one))
    return counts


def ask(server: Server, asked: Request) -> object:
    """Return what a server answers, without what the protocol puts around it."""
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=30)) as connection:
        connection.request(asked.method, asked.path, asked.body, dict(asked.headers))
        response = connection.getresponse()
        content = response.read()
    answer = json.loads(content)
    if response.status != 200 or answer.get("result", {}).get("isError"):
        raise RuntimeError(f"{asked.path}: {response.status} {content[:500]!r}")
    structured = answer["result"].get("structuredContent", {}) if "result" in answer else answer
    for row in structured.get("transactions", []):
        row["timestamp"] = row["timestamp"][:19]  # some peers tell fractions of a second
    for name in ("downloadUrl", "expiresAt"):  # each answer has a link of its own
        structured.pop(name, None)
    return structured


def headlines(results: Results) -> list[Headline]:
    """Return the figures at 8 connections that have goals."""
    return [
        _cost(results, TEN, 1.3, BARE),
        _cost(results, TEN, 1, FASTMCP),
        _cost(results, HUNDRED, 1.35, BARE),
        _cost(results, HUNDRED, 1, FASTMCP),
        _speed(results, TEN, 2, FASTAPI),
        _speed(results, HUNDRED, 3.5, FASTAPI),
    ]


def _cost(results: Results, name: str, goal: float, peer: str) -> Headline:
    """Return how many times as much CPU as a peer a call takes."""
    ratios = results.ratios(name, 8, OURS, peer, lambda cell: 1 / cell.per_cpu_second)
    measured = median(1000 / cell.per_cpu_second for cell in results.cells[name, 8, OURS])
    text, wanted, is_met = f"{measured:.1f} ms", f"ratio ≤ {goal:g}", median(ratios) <= goal
    return Headline(f"{name}, CPU", text, wanted, is_met, spread(ratios), peer)


def _speed(results: Results, name: str, goal: float, peer: str) -> Headline:
    """Return how many times as many calls per CPU-second as a peer we answer."""
    ratios = results.ratios(name, 8, OURS, peer, lambda cell: cell.per_cpu_second)
    measured = median(cell.per_cpu_second for cell in results.cells[name, 8, OURS])
    text, is_met = f"{measured:,.0f} a CPU-second", median(ratios) >= goal
    return Headline(name, text, f"ratio ≥ {goal:g}", is_met, spread(ratios), peer)


if __name__ == "__main__":
    sys.exit(parts.main(__doc__, run, TITLE, rounds=5))
