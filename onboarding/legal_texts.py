"""Legal texts for applicants: files in `legal`, by version, text and language."""

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from onboarding.choices import LegalText

FOLDER = Path(__file__).parent / "legal"
LANGUAGE = "en"  # fallback for missing translations


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of a legal text, or a heading between paragraphs."""

    text: str
    is_heading: bool = False


@dataclass(frozen=True)
class LegalDocument:
    """One version of a legal text in one language.

    `notice` is the sentence that marks a placeholder text, and is empty for a real text. `sha256`
    is the digest of the text's file, in hexadecimal.
    """

    text: LegalText
    version: str
    language: str
    title: str
    paragraphs: tuple[Paragraph, ...]
    notice: str = ""
    sha256: str = ""


class NoSuchText(LookupError):
    """The text does not exist in this version."""


@cache
def current(text: LegalText, language: str) -> LegalDocument:
    """Return the newest version of a text in a language, else in English."""
    newest = max(path.parent.name for path in FOLDER.glob(f"*/{text.value}.{LANGUAGE}.md"))
    return read(text, newest, language)


@cache
def read(text: LegalText, version: str, language: str) -> LegalDocument:
    """Return a version of a text in a language, else in English. Raises: NoSuchText."""
    for offered in (language, LANGUAGE):
        path = FOLDER / version / f"{text.value}.{offered}.md"
        if path.is_file():
            return _parse(text, version, offered, path.read_text(encoding="utf-8"))
    raise NoSuchText(f"{text.value} {version}")


def _parse(text: LegalText, version: str, language: str, source: str) -> LegalDocument:
    """Parse paragraphs between blank lines: `# ` is the title, `## ` a heading, `> ` the notice."""
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
    sha256 = hashlib.sha256(source.encode()).hexdigest()
    return LegalDocument(text, version, language, title, tuple(paragraphs), notice, sha256)
