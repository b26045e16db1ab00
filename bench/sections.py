"""Sections of the documents that benchmarks write."""

import re
from pathlib import Path


def replace_section(document: Path, title: str, text: str) -> None:
    """Put a text under its heading, in place of what is there, or at the document's end."""
    before = document.read_text()
    section = f"## {title}\n\n{text.strip()}\n"
    found = re.search(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", before, re.DOTALL | re.MULTILINE)
    if found is None:
        document.write_text(f"{before.rstrip()}\n\n{section}")
        return
    after = before[found.end() :]
    gap = "\n" if after else ""
    document.write_text(f"{before[: found.start()]}{section}{gap}{after}")
