"""The legal texts that applicants agree to: files of `legal`, by version, text and language."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from onboarding.choices import LegalText

FOLDER = Path(__file__).parent / "legal"
LANGUAGE = "en"  # of a text that is not there in the reader's


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of a legal text, or a heading between paragraphs."""

    text: str
    is_heading: bool = False


@dataclass(frozen=True)
class LegalDocument:
    """One version of a legal text in one language; `notice` says that it is not the real one."""

    text: LegalText
    version: str
    language: str
    title: str
    paragraphs: tuple[Paragraph, ...]
    notice: str = ""


class NoSuchText(LookupError):
    """There is no such version of a text."""


@cache
def current(text: LegalText, language: str) -> LegalDocument:
    """Return the newest version of a text in a language, or in English where it has no other."""
    newest = max(path.parent.name for path in FOLDER.glob(f"*/{text.value}.{LANGUAGE}.md"))
    return read(text, newest, language)


@cache
def read(text: LegalText, version: str, language: str) -> LegalDocument:
    """Return a version of a text as it was or is shown. Raises: NoSuchText."""
    for offered in (language, LANGUAGE):
        path = FOLDER / version / f"{text.value}.{offered}.md"
        if path.is_file():
            return _parse(text, version, offered, path.read_text(encoding="utf-8"))
    raise NoSuchText(f"{text.value} {version}")


def _parse(text: LegalText, version: str, language: str, source: str) -> LegalDocument:
    """Read paragraphs between blank lines: `# ` is the title, `## ` a heading, `> ` the notice."""
    title, notice, paragraphs = "", "", []
    for block in re.split(r"\n\s*\n", source.strip()):
        mark, _space, words = " ".join(block.split()).partition(" ")
        if mark == "#":
            title = words
        elif mark == ">":
            notice = words
        elif mark == "##":
            paragraphs.append(Paragraph(words, is_heading=True))
        else:
            paragraphs.append(Paragraph(f"{mark} {words}".strip()))
    return LegalDocument(text, version, language, title, tuple(paragraphs), notice)
