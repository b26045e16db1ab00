"""The Lead API beside its peers: `python -m bench.leads` (three minutes).

It starts a PostgreSQL of its own, lets us and every peer answer the same dozen bodies and compares
what they stored, counts the statements of each request, and then lets them create, create again,
update and read leads in turn.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count, cycle
from pathlib import Path
from statistics import median

from bench import lead_bodies, lead_parity, lead_scenarios, parts, statements
from bench.contest import Cell, Peer, Request, Results, contest, percentiles, spread
from bench.databases import database
from bench.lead_bodies import LEADS
from bench.lead_parity import Client
from bench.lead_scenarios import AGAIN, CREATE, DOCUMENT, GET, UPDATE, Entrant
from bench.reports import Headline, Report
from bench.servers import ROOT, UNHEARD, peer_python, serving

TITLE = "Leads"
FASTAPI, NINJA, DRF = "FastAPI + SQLAlchemy", "Django Ninja", "plain DRF"
OURS, BARE, RAW = "Vestibule", "bare Django view", "psycopg alone"
LONG = {FASTAPI, OURS}  # who does more than create
TAKING = {FASTAPI, OURS, DRF}  # who takes documents
SEEDS, WARM = 20, 6
RAW_SECONDS = 0.5
NUMBERS = count(1)
FOREWORD = """\
Each server creates leads with two owners, addresses and answers in the same tables of one
PostgreSQL, with two worker processes, after the same dozen bodies were answered and stored alike.
Vestibule does what production does: it checks the key, its networks and limits, keeps the answer
under the `Idempotency-Key`, encrypts the personal numbers with blind indexes, seals an event to
the one before and logs each request. The peers check the key, validate, look for the email, write
lead, application, owners and event in one transaction, and answer the same; they have no
idempotency, no encryption, no limits, no chain of events and no log. The bare Django view
validates nothing and writes by one statement; psycopg alone does the same in one process without
any server, and its MiB are its peak of resident memory. “Create again” sends a stored lead; an
update changes a name, metadata and one owner; “Get” reads a lead with two owners and two
documents, from the peers without the list of missing requirements. A document of 1 MiB comes as
Base64: Vestibule decodes and inspects it on its way to the disk, the peers hold body, text and
file in memory, as their frameworks do, and store it, too.
"""


def run(*, rounds: int = 5) -> Report:
    """Run the contest; return the report."""
    with (
        database() as url,
        tempfile.TemporaryDirectory(prefix="vestibule-bench-") as folder,
    ):
        environment = prepare(url, Path(folder))
        entrants = enter(environment)
        counts = check(entrants, url)
        results = compete(entrants, environment, rounds)
    return Report(headlines(results), f"{FOREWORD}\n{results.table(counts)}")


def prepare(url: str, folder: Path) -> dict[str, str]:
    """Make the secrets and set Django up; return the environment of every server."""
    environment = parts.settle(url, folder, RATE_LIMIT_FACTOR="1000000")
    parts.set_up()
    return environment


def enter(environment: Mapping[str, str]) -> list[Entrant]:
    """Return the contestants, each with a partner of its own; the first one is the reference."""
    from django.utils import timezone

    from onboarding.services.partners.api_keys import create_partner, issue_api_key

    entrants = []
    for peer in peers(environment):
        partner = create_partner(name=peer.name)
        issued = issue_api_key(partner, at=timezone.now())
        known = issued.key.access_key, issued.secret
        entrants.append(Entrant(peer, partner.pk, *known, takes_documents=peer.name in TAKING))
    return entrants


def peers(environment: Mapping[str, str]) -> list[Peer]:
    """Return the servers, each with two processes."""
    uvicorn = [
        *(peer_python(), "-m", "uvicorn", "bench.peers.fastapi_sqlalchemy:app"),
        *("--host", "127.0.0.1", "--port", "{port}", "--workers", "2", "--loop", "uvloop"),
        *("--http", "httptools", "--no-access-log", "--log-level", "warning"),
    ]
    ours = [*UNHEARD, sys.executable, "-m", "config.web", "{port}"]
    theirs = [
        *(peer_python(), "-m", "granian", "bench.peers.django_wsgi:application"),
        *("--interface", "wsgi", "--host", "127.0.0.1", "--port", "{port}", "--workers", "2"),
        *("--blocking-threads", "2", "--log-level", "warning"),
    ]
    of_peers = {**environment, "DJANGO_SETTINGS_MODULE": "bench.peers.django_settings"}
    return [
        Peer(FASTAPI, uvicorn, environment),
        Peer(OURS, ours, {**environment, "WEB_WORKERS": "2", "WEB_THREADS": "2"}),
        Peer(NINJA, theirs, {**of_peers, "PEER": "django_ninja"}),
        Peer(DRF, theirs, {**of_peers, "PEER": "plain_drf"}),
        Peer(BARE, theirs, {**of_peers, "PEER": "bare_django"}),
    ]


def check(entrants: Sequence[Entrant], url: str) -> dict[tuple[str, str], int]:
    """Compare every peer with us, seed its leads, and count its statements. Raises: Differs."""
    counts: dict[tuple[str, str], int] = {}
    wanted: list[object] = []
    for entrant in sorted(entrants, key=lambda entrant: entrant.peer.name != OURS):
        name, validates = entrant.peer.name, entrant.peer.name != BARE
        sys.stderr.write(f"{name}: the same answers and rows?\n")
        with calling(entrant) as client:
            found: list[object] = [lead_parity.answers(client, url, validates=validates)]
            if validates:
                found.append(lead_parity.life(client, url))
            wanted = wanted or found
            lead_parity.compare(name, wanted[: len(found)], found)
            if name in LONG:
                entrant.seeds.extend(seeded(client))
            counts |= counted(entrant, client, url)
    return counts


@contextmanager
def calling(entrant: Entrant) -> Iterator[Client]:
    """Serve a contestant, and yield who calls it."""
    peer = entrant.peer
    with serving(peer.command, {**os.environ, **peer.environment}) as server:
        yield Client(peer.name, server.port, entrant.partner_id, entrant.authorization)


def seeded(client: Client) -> list[str]:
    """Create the leads that are there before the contest; return their ids."""
    bodies = (lead_bodies.seed_with_documents(number) for number in range(1, SEEDS + 1))
    return [client.expect(201, "PUT", LEADS, body)["customerId"] for body in bodies]


def counted(entrant: Entrant, client: Client, url: str) -> dict[tuple[str, str], int]:
    """Return the statements of a request by scenario, once each process has had some."""
    counts = {}
    for scenario in lead_scenarios.scenarios([entrant]):
        requests = cycle(scenario.requests(entrant.peer))
        if not scenario.requests(entrant.peer):
            continue
        send = partial(send_next, client, requests, scenario.status)
        for _ in range(WARM):
            send()
        counts[scenario.name, entrant.peer.name] = statements.count(url, send)
    return counts


def send_next(client: Client, requests: Iterator[Request], status: int) -> None:
    """Send the next request under the next number. Raises: Differs for another status."""
    client.send(status, next(requests), f"{next(NUMBERS):09}")


def compete(entrants: Sequence[Entrant], environment: Mapping[str, str], rounds: int) -> Results:
    """Run the rounds, each second one backwards; psycopg alone has its turn in each."""
    results, firsts = Results(), count(0, 100_000)
    wanted = lead_scenarios.scenarios(entrants)
    for number in range(rounds):
        sys.stderr.write(f"round {number + 1} of {rounds}\n")
        turn = entrants if number % 2 == 0 else entrants[::-1]
        part = contest([entrant.peer for entrant in turn], wanted, rounds=1)
        for cell, taken in part.cells.items():  # the first round's order is the table's
            results.cells[cell] += taken
        results.cells[CREATE, 1, RAW].append(alone(entrants[0], environment, next(firsts)))
    return results


def alone(entrant: Entrant, environment: Mapping[str, str], first: int) -> Cell:
    """Let psycopg create leads without a server."""
    facts = {
        "access_key": entrant.access_key,
        "secret": entrant.secret,
        "body": lead_bodies.new(),
        "first": first,
    }
    done = subprocess.run(
        [peer_python(), "-m", "bench.peers.raw_psycopg", str(RAW_SECONDS)],
        cwd=ROOT,
        env={**os.environ, **environment},
        input=json.dumps(facts).encode(),
        stdout=subprocess.PIPE,
        check=True,
    )
    measured = json.loads(done.stdout)
    spent = measured["seconds"], measured["cpu_seconds"]
    return Cell(
        measured["requests"], *spent, *percentiles(measured["milliseconds"]), measured["memory"]
    )


def headlines(results: Results) -> list[Headline]:
    """Return the figures at 8 connections that have goals."""
    rate, speed = "per_cpu_second", "per_second"
    return [
        _at_least(results, CREATE, rate, 2, FASTAPI),
        _at_least(results, CREATE, rate, 4, DRF),
        _p99(results, CREATE, 0.6, FASTAPI),
        _at_least(results, DOCUMENT, speed, 4, DRF),
        _at_least(results, AGAIN, rate, 2, FASTAPI),
        _at_least(results, GET, rate, 2.5, FASTAPI),
        _at_least(results, UPDATE, rate, 1.5, FASTAPI),
    ]


def _at_least(results: Results, scenario: str, of: str, goal: float, peer: str) -> Headline:
    ratios = results.ratios(scenario, 8, OURS, peer, lambda cell: float(getattr(cell, of)))
    measured = median(float(getattr(cell, of)) for cell in results.cells[scenario, 8, OURS])
    unit = "a CPU-second" if of == "per_cpu_second" else "a second"
    text, wanted, is_met = f"{measured:,.0f} {unit}", f"ratio ≥ {goal:g}", median(ratios) >= goal
    return Headline(scenario, text, wanted, is_met, spread(ratios), peer)


def _p99(results: Results, scenario: str, goal: float, peer: str) -> Headline:
    ratios = results.ratios(scenario, 8, OURS, peer, lambda cell: cell.p99)
    measured = median(cell.p99 for cell in results.cells[scenario, 8, OURS])
    text, wanted, is_met = f"{measured:.1f} ms", f"ratio ≤ {goal:g}", median(ratios) <= goal
    return Headline(f"{scenario}, p99", text, wanted, is_met, spread(ratios), peer)


if __name__ == "__main__":
    sys.exit(parts.main(__doc__, run, TITLE, rounds=5))
