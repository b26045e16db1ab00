"""Large documents beside the peers: `python -m bench.documents` (Linux, a minute).

It starts a PostgreSQL of its own, sends plain DRF, FastAPI and us leads with 25 MiB of documents,
one alone and eight at once, and watches the memory of the servers meanwhile. It also tells what
the parts of reading such a body cost.
"""

import base64
import hashlib
import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psycopg

from bench import lead_bodies, lead_parity, leads, parts
from bench.contest import MIB, Cell, Request, drive
from bench.databases import database
from bench.lead_scenarios import Entrant, with_documents
from bench.leads import DRF, FASTAPI, OURS
from bench.reports import Headline, Report
from bench.servers import Server, serving

TITLE = "Large documents"
LARGE = [5 * MIB] * 5
AT_ONCE = (1, 8)
WARM_UP, SHORT = 0.5, 0.5  # seconds; whatever was sent by then is waited for
ROW = """
    SELECT d.file_name, d.size_bytes, d.sha256, d.status
    FROM onboarding_document d JOIN onboarding_lead l ON l.id = d.lead_id
    WHERE l.partner_id = %s ORDER BY d.id DESC LIMIT 1
"""
FOREWORD = """\
Each server takes the same lead with the same documents in Base64, stores each in a private folder
and a row of it beside the lead. Vestibule reads a large body in pieces and decodes its documents
on their way to the disk; it detects their types, encrypts them, looks for scripts in them, with a
child process for a PDF file that may have some, and recognizes a repeated document. The peers
hold the body, the parsed text and the decoded file in memory, as their frameworks do. Memory is
the resident memory of all processes of a server; shared pages count once for each. Each server
has one turn.
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


def run() -> Report:
    """Send large documents and watch the memory; return the report."""
    with (
        database() as url,
        tempfile.TemporaryDirectory(prefix="vestibule-bench-") as folder,
    ):
        environment = leads.prepare(url, Path(folder))
        known = {entrant.peer.name: entrant for entrant in leads.enter(environment)}
        # Vestibule first: it does not start beside the plain numbers that the peers write
        growths = {name: grow(known[name], url) for name in (OURS, DRF, FASTAPI)}
        return Report(headlines(growths), "\n".join([FOREWORD, memory(growths), steps()]))


def grow(entrant: Entrant, url: str) -> list[Growth]:
    """Return what leads with 25 MiB of documents take, one alone and several at once."""
    peer = entrant.peer
    sys.stderr.write(f"{peer.name}: memory\n")
    small, large = with_documents(entrant, 300_000), with_documents(entrant, *LARGE)
    with serving(peer.command, {**os.environ, **peer.environment}) as server:
        drive(server, [small], max(AT_ONCE), WARM_UP, 201)
        grown = [watched(server, large, at_once) for at_once in AT_ONCE]
    check(entrant, large, url)
    return grown


def check(entrant: Entrant, request: Request, url: str) -> None:
    """See that the last document that was sent is stored. Raises: Differs."""
    sent = json.loads(request.body)["documentDataList"][-1]
    digest = hashlib.sha256(base64.b64decode(sent["content"])).hexdigest()
    with psycopg.connect(url) as connection:
        row = connection.execute(ROW, [entrant.partner_id]).fetchone()
    wanted = [sent["fileName"], LARGE[-1], digest, "RECEIVED"]
    lead_parity.compare(entrant.peer.name, wanted, list(row or []))


def watched(server: Server, request: Request, at_once: int) -> Growth:
    """Send so many at once; return what they took."""
    idle = server.resident()
    server.forget_peak()
    cell = drive(server, [request], at_once, SHORT, 201)
    return Growth(at_once, idle, server.peak(), cell)


def headlines(growths: dict[str, list[Growth]]) -> list[Headline]:
    """Return the figures that have goals."""
    alone, together = growths[OURS]
    ratio = together.cell.per_second / growths[DRF][1].cell.per_second
    grown, speed = alone.mebibytes, f"{together.cell.per_second:.1f} a second"
    return [
        Headline("25 MiB in one lead", f"{grown:.0f} MiB above idle", "< 30 MiB", grown < 30),
        Headline("25 MiB each in 8 leads", speed, "ratio ≥ 4", ratio >= 4, f"{ratio:.1f}", DRF),
    ]


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

    raw = lead_bodies.new_with_documents(MIB).encode()
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
    sys.exit(parts.main(__doc__, run, TITLE))
