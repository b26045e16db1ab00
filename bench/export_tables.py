"""The figures of files as tables and headlines; PDF files are drawn and measured here."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from bench import papers
from bench.contest import noise, spread
from bench.exports import COPIED, OURS, PLAIN, Taken, middle
from bench.reports import Headline
from bench.servers import ROOT

ROUNDS = 5
CSV, ZIP = "CSV of 100,000 rows", "ZIP of 500 statements"
SHORT, LONG = "statement of 100 lines, tagged", "detailed report of 5,000 lines"
PEER = "the same by reportlab's platypus, untagged"
REPORT = """
import re
from bench import papers
papers.write_report(1)
print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""
DOWNLOADS = """\
| file | from | first byte, ms | first rows, ms | seconds | {unit} | Vestibule to it | memory, MiB |
|---|---|--:|--:|--:|--:|--:|--:|
"""
PAPERS = """\
| paper | per CPU-second | CPU, ms | to the peer |
|---|--:|--:|--:|
"""


def downloads(taken: Mapping[tuple[str, str], Sequence[Taken]]) -> str:
    """Return what downloads took; ratios are of rows per CPU-second."""
    text = DOWNLOADS.format(unit="rows or MiB per CPU-second")
    rates = {
        name: [one.lines / one.cpu_seconds for one in taken[name, "csv"]]
        for name in (OURS, PLAIN, COPIED)
    }
    for name in (OURS, PLAIN, COPIED):
        ratios = [ours / theirs for ours, theirs in zip(rates[OURS], rates[name], strict=True)]
        rate = (
            f"{median(rates[name]):,.0f} | {noise(rates[OURS]) if name == OURS else spread(ratios)}"
        )
        text += _line("CSV", name, list(taken[name, "csv"]), rate)
    archives = list(taken[OURS, "zip"])
    speed = median(one.size / 1024**2 / one.cpu_seconds for one in archives)
    return text + _line("ZIP", OURS, archives, f"{speed:,.0f} | ")


def _line(file: str, name: str, taken: list[Taken], rate: str) -> str:
    first, second = (1000 * middle(taken, what) for what in ("first_byte", "second_chunk"))
    memory = max(one.memory for one in taken) / 1024**2
    return (
        f"| {file} | {name} | {first:.0f} | {second:.0f} | {middle(taken, 'seconds'):.2f} "
        f"| {rate} | {memory:.1f} |\n"
    )


@dataclass(frozen=True)
class Drawn:
    """CPU milliseconds of each paper by its name, and the peak memory of a process in MiB."""

    taken: Mapping[str, Sequence[float]]
    ratios: Sequence[float]
    memory: float


def draw() -> Drawn:
    """Draw papers by turns."""
    goals = [
        papers.Goal(SHORT, statement),
        papers.Goal(PEER, papers.platypus_statement),
        papers.Goal(LONG, papers.write_report),
    ]
    taken = papers.measure(goals, ROUNDS)
    ratios = [theirs / ours for theirs, ours in zip(taken[PEER], taken[SHORT], strict=True)]
    return Drawn(taken, ratios, _report_memory())


def papers_table(drawn: Drawn) -> str:
    """Return the figures of the papers."""
    text = PAPERS
    for name, taken in drawn.taken.items():
        milliseconds = median(taken)
        ratio = spread(drawn.ratios) if name == SHORT else ""
        text += f"| {name} | {1000 / milliseconds:.1f} | {milliseconds:.1f} | {ratio} |\n"
    return f"{text}\nA process that draws the report holds {drawn.memory:.0f} MiB at its most.\n"


def headlines(taken: Mapping[tuple[str, str], Sequence[Taken]], drawn: Drawn) -> list[Headline]:
    """Return the figures that have goals."""
    rates = {
        name: [one.lines / one.cpu_seconds for one in taken[name, "csv"]] for name in (OURS, PLAIN)
    }
    ratios = [ours / theirs for ours, theirs in zip(rates[OURS], rates[PLAIN], strict=True)]
    speed = f"{median(rates[OURS]):,.0f} rows a CPU-second"
    found = [Headline(CSV, speed, ratio=spread(ratios), to=PLAIN)]
    for what, kind in ((CSV, "csv"), (ZIP, "zip")):
        first = 1000 * middle(list(taken[OURS, kind]), "first_byte")
        memory = max(one.memory for one in taken[OURS, kind]) / 1024**2
        found += [
            Headline(f"{what}, first byte", f"{first:.0f} ms", "< 100 ms", first < 100),
            Headline(f"{what}, memory", f"{memory:.1f} MiB", "< 10 MiB", memory < 10),
        ]
    rate, ratio = 1000 / median(drawn.taken[SHORT]), spread(drawn.ratios)
    seconds = median(drawn.taken[LONG]) / 1000
    return [
        *found,
        Headline(
            SHORT, f"{rate:.0f} a CPU-second", "≥ 60", rate >= 60, ratio, "reportlab's platypus"
        ),
        Headline(f"{LONG}, CPU", f"{seconds:.2f} s", "< 1 s", seconds < 1),
        Headline(f"{LONG}, memory", f"{drawn.memory:.0f} MiB", "< 60 MiB", drawn.memory < 60),
    ]


def statement(seed: int) -> bytes:
    """Draw a statement."""
    return papers.render_statement(papers.make_statement(seed))


def _report_memory() -> float:
    done = subprocess.run(
        [sys.executable, "-c", REPORT], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return int(done.stdout) / 1024
