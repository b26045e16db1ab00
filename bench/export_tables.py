"""The figures of files as tables; those of papers are taken here."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from statistics import median

from bench import papers
from bench.contest import noise, spread
from bench.exports import COPIED, OURS, PLAIN, Taken, middle
from bench.servers import ROOT

ROUNDS = 5
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


def papers_table() -> str:
    """Draw papers by turns; return what they took, and what process draws the long one."""
    ours = papers.Goal("statement of 100 lines, tagged", statement)
    peer = papers.Goal("the same by reportlab's platypus, untagged", papers.platypus_statement)
    long = papers.Goal("detailed report of 5,000 lines", papers.write_report)
    goals = [ours, peer, long]
    taken = papers.measure(goals, ROUNDS)
    text = PAPERS
    for goal in goals:
        milliseconds = median(taken[goal.name])
        ratio = ""
        if goal is ours:
            pairs = zip(taken[peer.name], taken[ours.name], strict=True)
            ratio = spread([theirs / mine for theirs, mine in pairs])
        text += f"| {goal.name} | {1000 / milliseconds:.1f} | {milliseconds:.1f} | {ratio} |\n"
    return (
        f"{text}\nA process that draws the report holds {_report_memory():.0f} MiB at its most.\n"
    )


def statement(seed: int) -> bytes:
    """Draw a statement."""
    return papers.render_statement(papers.make_statement(seed))


def _report_memory() -> float:
    done = subprocess.run(
        [sys.executable, "-c", REPORT], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return int(done.stdout) / 1024
