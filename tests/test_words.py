"""The words of the code: standard terms of the field instead of words that were coined here."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ["foundation", "banking", "onboarding", "mcp_server", "config"]
NAMES = {  # part of a name: standard term
    "desk": "payer",
    "fate": "plan",
    "house": "bank, or business",
    "mall": "directory",
    "moment": "timestamp",
    "moments": "timestamps",
    "movers": "roles",
    "openings": "account opening",
    "rehearsal": "dry run",
    "roll": "merge",
    "sealed": "encrypted",
    "sparing": "deferred",
    "specimen": "sample document",
    "tally": "counts",
    "telling": "serialization",
    "tells": "published",
    "told": "sent, shown or published",
    "unsealable": "decryption error",
    "wake": "mark as due",
}
PROSE = {  # word in a docstring or comment: what to write
    "whoever": "the person, program or function",
    "whatever": "the values",
    "house": "the project, or the bank",
}


@cache
def sources() -> dict[str, str]:
    found = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return {
        str(path.relative_to(ROOT)): path.read_text()
        for path in sorted(found)
        if "migrations" not in path.parts
    }


def names(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME:
            for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", token.string):
                yield token.start[0], part.lower()


def prose(text: str) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            yield getattr(node, "lineno", 1), ast.get_docstring(node) or ""


@pytest.mark.parametrize("word", NAMES)
def test_names_are_standard_terms(word):
    faults = [
        f"{path}:{line}"
        for path, text in sources().items()
        if word in text.lower()
        for line, part in names(text)
        if part == word
    ]

    assert not faults, f"Write {NAMES[word]!r} instead of {word!r}."


@pytest.mark.parametrize("word", PROSE)
def test_docstrings_and_comments_name_their_nouns(word):
    pattern = re.compile(rf"\b{word}\b", re.IGNORECASE)
    faults = [
        f"{path}:{line}"
        for path, text in sources().items()
        if word in text.lower()
        for line, said in prose(text)
        if pattern.search(said)
    ]

    assert not faults, f"Write {PROSE[word]!r} instead of {word!r}."
