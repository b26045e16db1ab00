"""The steps of docs/production.md: fenced blocks whose first line names machines."""

import re
from dataclasses import dataclass
from pathlib import Path

from bench.servers import ROOT

PAGE = ROOT / "docs" / "production.md"
SECTION = re.compile(r"^## From nothing to the first lead.*?(?=^## )", re.MULTILINE | re.DOTALL)
POOLER = re.compile(r"^### pgbouncer\n.*?(?=^## )", re.MULTILINE | re.DOTALL)
PART = re.compile(
    r"^\*\*Step (?P<number>\d+): (?P<title>[^*]+?)[.?]\*\*"
    r"|^```sh(?P<machines>(?: \w+)+)\n(?P<commands>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """Commands of a step for some machines."""

    number: int
    title: str
    machines: list[str]
    commands: str


def read(page: Path = PAGE, pattern: re.Pattern[str] = SECTION) -> list[Block]:
    """Return the blocks of a section in their order, except blocks that name no machine."""
    section = pattern.search(page.read_text())
    if section is None:
        raise ValueError(f"{page} has no section of steps.")
    blocks, number, title = [], 0, ""
    for part in PART.finditer(section[0]):
        if part["number"]:
            number, title = int(part["number"]), part["title"]
        else:
            blocks.append(Block(number, title, part["machines"].split(), part["commands"]))
    return blocks
