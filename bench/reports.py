"""Reports of benchmarks: headlines for `docs/performance.md`, details for a second page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

HEAD = """\
| part | what | measured | ratio | to | goal | |
|---|---|--:|--:|---|---|---|
"""


@dataclass(frozen=True)
class Headline:
    """A measured figure, with its goal if there is one."""

    what: str
    measured: str
    goal: str = ""
    is_met: bool | None = None
    ratio: str = ""
    to: str = ""  # the peer of the ratio

    def row(self, part: str) -> str:
        """Return the figure as a row of the table of headlines."""
        verdict = {None: "", True: "met", False: "missed"}[self.is_met]
        cells = [part, self.what, self.measured, self.ratio, self.to, self.goal, verdict]
        return f"| {' | '.join(cells)} |\n"


@dataclass(frozen=True)
class Report:
    """The result of a part: `details` is Markdown."""

    headlines: Sequence[Headline]
    details: str

    def text(self, part: str) -> str:
        """Return headlines and details as one text."""
        return f"{HEAD}{''.join(line.row(part) for line in self.headlines)}\n{self.details}"


def replace_headlines(document: Path, part: str, headlines: Sequence[Headline]) -> None:
    """Replace the rows of a part in the table of headlines, or add them at its end.

    Raises: ValueError if the document has no such table.
    """
    text = document.read_text()
    before, head, after = text.partition(HEAD)
    if not head:
        raise ValueError(f"{document} has no table of headlines.")
    table = re.match(r"(?:\|.*\n)*", after)
    rows = table[0].splitlines(keepends=True) if table else []
    old = [number for number, row in enumerate(rows) if row.startswith(f"| {part} |")]
    place = old[0] if old else len(rows)
    others = [row for row in rows if not row.startswith(f"| {part} |")]
    others[place:place] = [headline.row(part) for headline in headlines]
    document.write_text(before + head + "".join(others) + after[sum(map(len, rows)) :])


def replace_section(document: Path, title: str, text: str) -> None:
    """Replace the text below a heading, or add heading and text at the document's end."""
    before = document.read_text()
    section = f"## {title}\n\n{text.strip()}\n"
    found = re.search(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", before, re.DOTALL | re.MULTILINE)
    if found is None:
        document.write_text(f"{before.rstrip()}\n\n{section}")
        return
    after = before[found.end() :]
    gap = "\n" if after else ""
    document.write_text(f"{before[: found.start()]}{section}{gap}{after}")
