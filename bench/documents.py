"""Documents beside the peers: `python -m bench.documents` (Linux, two minutes).

It starts a PostgreSQL of its own, lets plain DRF, FastAPI and us create leads with a document of
1 MiB in turn, and then leads with 25 MiB of documents, one alone and eight at once, while it
watches the memory of the servers. It also tells what the parts of reading such a body cost.
"""

import base64
import hashlib
import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from statistics import median

import psycopg

from bench import lead_bodies, lead_parity, lead_scenarios, leads, parts, statements
from bench.contest import MIB, Cell, Request, Results, Scenario, contest, drive
from bench.databases import database
from bench.lead_bodies import LEADS
from bench.lead_scenarios import Entrant
from bench.leads import DRF, FASTAPI, OURS
from bench.servers import Server, serving
from tests import postgresql

TITLE = "Documents"
ONE = "Create with a document of 1 MiB"
LEVELS = {1: 0.3, 8: 0.6, 32: 0.1}
LARGE = [5 * MIB] * 5
AT_ONCE = (1, 8)
WARM_UP, SHORT = 1.0, 0.5  # seconds; whatever was sent by then is waited for
NUMBERS = count(1)
ROW = """
    SELECT d.file_name, d.size_bytes, d.sha256, d.status
    FROM onboarding_document d JOIN onboarding_lead l ON l.id = d.lead_id
    WHERE l.partner_id = %s ORDER BY d.id DESC LIMIT 1
"""
FOREWORD = """\
Everybody takes the same lead with the same documents in Base64, stores each in a private folder
and a row of it beside the lead. Vestibule reads a large body in pieces and decodes its documents on
their way to the disk; it looks at what they are, and knows one that comes again. The peers hold the
body, the parsed text and the decoded file in memory, as their frameworks do. Memory is what all
processes of a server have resident; pages that they share count once for each.
"""


@dataclass(frozen=True)
class Growth:
    """What leads with large documents took: memory in bytes before and at the peak, and speed."""

    at_once: int
    idle: int
    peak: int
    cell: Cell

    @property
    def mebibytes(self) -> float:
        """Return by how much the memory grew."""
        return (self.peak - self.idle) / MIB


def run(*, rounds: int = 5) -> str:
    """Run the contest and watch the memory; return the Markdown below the heading."""
    with (
        postgresql.throwaway(statements.PRELOAD) as server,
        database(server.url) as url,
        tempfile.TemporaryDirectory(prefix="vestibule-bench-") as folder,
    ):
        environment = leads.prepare(url, Path(folder))
        known = {entrant.peer.name: entrant for entrant in leads.enter(environment)}
        entrants = [known[name] for name in (DRF, OURS, FASTAPI)]
        counts = {(ONE, one.peer.name): check(one, url) for one in entrants}
        results = contest([one.peer for one in entrants], [scenario(known)], rounds=rounds)
        growths = {one.peer.name: grow(one) for one in entrants}
        parts = steps()
    return "\n".join(
        [FOREWORD, verdict(results, growths), results.table(counts), memory(growths), parts]
    )


def scenario(known: dict[str, Entrant]) -> Scenario:
    """Return the creation with one document."""
    return Scenario(ONE, lambda peer: [creation(known[peer.name], [MIB])], 201, LEVELS)


def creation(entrant: Entrant, sizes: Sequence[int]) -> Request:
    """Return the request that registers somebody new with documents of these sizes."""
    return Request("PUT", LEADS, lead_scenarios.headers(entrant), body_of(sizes))


def body_of(sizes: Sequence[int]) -> str:
    """Return the body of a new lead with documents of these sizes, in bytes."""
    random = Random(1)  # noqa: S311 - the same documents in each run
    documents = [
        {
            "content": base64.b64encode(b"%PDF-1.7\n" + random.randbytes(size - 9)).decode(),
            "contentType": "application/pdf",
            "fileName": f"{number}.pdf",
        }
        for number, size in enumerate(sizes)
    ]
    values = {"email": "documents{n}@example.com", "uniqueId": "documents-{n}"}
    return json.dumps(lead_bodies.body(**values) | {"documentDataList": documents})


def check(entrant: Entrant, url: str) -> int:
    """Return the statements of a creation with one document. Raises: Differs for a wrong row."""
    request = creation(entrant, [MIB])
    with leads.calling(entrant) as client:
        for _ in range(leads.WARM):
            client.send(201, request, number())
        counted = statements.count(url, lambda: client.send(201, request, number()))
    content = base64.b64decode(json.loads(request.body)["documentDataList"][0]["content"])
    wanted = ["0.pdf", MIB, hashlib.sha256(content).hexdigest(), "RECEIVED"]
    with psycopg.connect(url) as connection:
        row = connection.execute(ROW, [entrant.partner_id]).fetchone()
    lead_parity.compare(entrant.peer.name, wanted, list(row or []))
    return counted


def number() -> str:
    """Return a number of nine digits that no other request has."""
    return f"{next(NUMBERS):09}"


def grow(entrant: Entrant) -> list[Growth]:
    """Return what leads with 25 MiB of documents take, one alone and several at once."""
    peer = entrant.peer
    sys.stderr.write(f"{peer.name}: memory\n")
    small, large = (creation(entrant, sizes) for sizes in ([300_000], LARGE))
    with serving(peer.command, {**os.environ, **peer.environment}) as server:
        drive(server, [small], max(AT_ONCE), WARM_UP, 201)
        return [watched(server, large, at_once) for at_once in AT_ONCE]


def watched(server: Server, request: Request, at_once: int) -> Growth:
    """Send so many at once; return what they took."""
    idle = server.resident()
    server.forget_peak()
    cell = drive(server, [request], at_once, SHORT, 201)
    return Growth(at_once, idle, server.peak(), cell)


def verdict(results: Results, growths: dict[str, list[Growth]]) -> str:
    """Return the figures that the goals are about."""
    alone, together = growths[OURS]
    lines = ["| goal | | found |\n|---|---|--:|"]
    lines += [
        f"| 25 MiB in one lead, above idle | under 30 MiB | {alone.mebibytes:.0f} MiB |",
        f"| the same in eight leads at once | none | {together.mebibytes:.0f} MiB |",
    ]
    for title, of in (("a second", per_second), ("per CPU-second", per_cpu_second)):
        ratios = results.ratios(ONE, 8, OURS, DRF, of)
        spread = f"{median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f})"
        lines.append(f"| 1 MiB, 8 connections, {title}, to {DRF} | at least 4 | {spread} |")
        ratio = of(together.cell) / of(growths[DRF][1].cell)
        lines.append(f"| 25 MiB, 8 connections, {title}, to {DRF} | at least 4 | {ratio:.1f} |")
    return "\n".join(lines) + "\n"


def per_second(cell: Cell) -> float:
    """Return the requests per second."""
    return cell.per_second


def per_cpu_second(cell: Cell) -> float:
    """Return the requests per CPU-second of the server."""
    return cell.per_cpu_second


def memory(growths: dict[str, list[Growth]]) -> str:
    """Return the table of what large documents take."""
    lines = [
        "### Create with five documents of 5 MiB\n",
        "| who | at once | idle MiB | grows by MiB | a second | per CPU-second |\n"
        "|---|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {name} | {one.at_once} | {one.idle / MIB:.0f} | {one.mebibytes:.0f} "
        f"| {one.cell.per_second:.1f} | {one.cell.per_cpu_second:.2f} |"
        for name, taken in growths.items()
        for one in taken
    ]
    return "\n".join(lines) + "\n"


def steps() -> str:
    """Return what reading a body with a document of 1 MiB costs in this process, and its parts."""
    from onboarding.api.spool import read_large_body
    from onboarding.uploads import decode_base64

    raw = body_of([MIB]).encode()
    text = json.loads(raw)["documentDataList"][0]["content"].encode()
    measured = {
        "to read the body": lambda: read_large_body(io.BytesIO(raw), limit=2 * MIB).uploads.close(),
        "in it: Base64 and the document's SHA-256": lambda: decode_base64(text).close(),
        "in it: the body's SHA-256": lambda: hashlib.sha256(raw).digest(),
    }
    lines = ["| step | CPU ms |\n|---|--:|"]
    lines += [f"| {title} | {milliseconds(step):.1f} |" for title, step in measured.items()]
    return "\n".join(lines) + "\n"


def milliseconds(step: Callable[[], object], times: int = 20) -> float:
    """Return the median CPU time of a step."""
    taken = []
    for _ in range(times):
        start = time.process_time()
        step()
        taken.append((time.process_time() - start) * 1000)
    return median(taken)


if __name__ == "__main__":
    sys.exit(parts.main(__doc__, run, rounds=5))
