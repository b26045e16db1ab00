"""Instructions that one request to the Lead API takes: `python -m bench.instructions` (10 minutes).

callgrind of valgrind counts them in one process without a server in front, PostgreSQL not
included. Two runs of the same code differ by less than a thousandth, however busy the machine is,
so a change of one per cent can be seen. Names of scenarios as arguments measure only these.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import count, cycle, islice
from pathlib import Path

from bench import lead_bodies, lead_scenarios, leads, parts
from bench.contest import Peer, Request
from bench.databases import database
from bench.lead_scenarios import AGAIN, CREATE, GET, UPDATE, Entrant
from bench.servers import ROOT

SCENARIOS = (CREATE, AGAIN, UPDATE, GET)
WARM_UP, COUNTED = 20, 40
VALGRIND = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--callgrind-out-file=/dev/null"]
NUMBERS = count(1)


def main() -> None:
    """Print a table with the millions of instructions of a request."""
    sys.stdout.write("| request | million instructions |\n|---|--:|\n")
    with database() as url, tempfile.TemporaryDirectory(prefix="vestibule-bench-") as folder:
        environment = {**os.environ, **leads.prepare(url, Path(folder))}
        for scenario in sys.argv[1:] or SCENARIOS:
            log = Path(folder, f"{scenario}.log")
            _count(scenario, environment, log)
            [counted] = re.findall(r"Collected\s*:\s*(\d+)", log.read_text())
            sys.stdout.write(f"| {scenario} | {int(counted) / COUNTED / 1e6:.2f} |\n")
            sys.stdout.flush()


def _count(scenario: str, environment: dict[str, str], log: Path) -> None:
    """Let another process answer requests under valgrind, which writes its count to the log."""
    program = [sys.executable, "-m", "bench.instructions", "--answer", scenario]
    command = [*VALGRIND, f"--log-file={log}", *program]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment | {"PYTHONHASHSEED": "0"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("The process cannot be spoken to.")
        for switch in ("on", "off"):
            process.stdout.readline()  # it has warmed up; it has answered
            control = ["callgrind_control", f"--instr={switch}", str(process.pid)]
            subprocess.run(control, capture_output=True, check=False)  # its status says nothing
            process.stdin.write("\n")
            process.stdin.flush()


def _answer(scenario: str) -> None:
    """Answer requests: some to warm up, the others after a line on the standard input."""
    parts.set_up()
    requests = requests_of(scenario)
    for number, requested in enumerate((WARM_UP, COUNTED)):
        for request in islice(requests, requested):
            send(request)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()
        sys.stdin.readline()


def requests_of(scenario: str) -> Iterator[Request]:
    """Return the requests of a scenario, again and again, for a partner and leads made here."""
    from django.utils import timezone

    from onboarding.services.partners.api_keys import create_partner, issue_api_key

    partner = create_partner(name=f"{leads.OURS}, {scenario}")  # names are unique
    issued = issue_api_key(partner, at=timezone.now())
    peer = Peer(leads.OURS, [])
    ours = Entrant(peer, partner.pk, issued.key.access_key, issued.secret)
    for number in range(1, leads.SEEDS + 1):
        seed = lead_bodies.seed_with_documents(number)
        put = Request("PUT", lead_bodies.LEADS, lead_scenarios.headers(ours), json.dumps(seed))
        ours.seeds.append(send(put)["customerId"])
    [wanted] = [one for one in lead_scenarios.scenarios([ours]) if one.name == scenario]
    return cycle(wanted.requests(peer))


def send(request: Request) -> dict[str, str]:
    """Let the WSGI application answer a request, and return the answer. Raises: ValueError."""
    from django.test import RequestFactory

    from config.wsgi import application

    number = f"{next(NUMBERS):09}"
    headers = {name: value.replace("{n}", number) for name, value in request.headers.items()}
    body = request.body.replace("{n}", number)
    statuses: list[str] = []
    environ = (
        RequestFactory(SERVER_NAME="127.0.0.1")
        .generic(request.method, request.path, body, "application/json", headers=headers)
        .environ
    )
    response = application(environ, lambda status, *_: statuses.append(status) or bytes)
    content = b"".join(response)
    response.close()
    if not statuses[0].startswith("2"):
        raise ValueError(f"{request}: {statuses[0]} {content!r}")
    answer: dict[str, str] = json.loads(content)
    return answer


if __name__ == "__main__":
    if sys.argv[1:2] == ["--answer"]:
        _answer(sys.argv[2])
    else:
        main()
