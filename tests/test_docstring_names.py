"""Names in docstrings exist: a renamed constant, function or setting leaves no mention behind."""

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ["foundation", "banking", "onboarding", "mcp_server", "config"]
QUOTED = re.compile(r"(?<!`)(`{1,2})([A-Za-z_][\w.]*)(?:\([^`]*\))?\1(?!`)")
CONSTANT = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")
CODE = re.compile(r"\w*_\w*|[A-Z]\w*")  # not wire names in camel case, not plain words
FOREIGN = {"ACCESS_KEY", "invalid_grant", "process_view"}  # of a header, OAuth and Django


def docstrings(text: str) -> Iterator[ast.Constant]:
    for node in ast.walk(ast.parse(text)):
        is_documented = isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        if is_documented and ast.get_docstring(node, clean=False) is not None:
            yield node.body[0].value


def code_words(text: str) -> set[str]:
    """Return the words in names and strings of the code, docstrings excluded."""
    prose = {(each.lineno, each.col_offset) for each in docstrings(text)}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    code = (token for token in tokens if token.type in {tokenize.NAME, tokenize.STRING})
    found = (re.findall(r"\w+", token.string) for token in code if token.start not in prose)
    return {word for words in found for word in words}


def test_names_in_docstrings_exist():
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    texts = {path.relative_to(ROOT): path.read_text() for path in paths}
    modules = defaultdict(set)
    for path, text in texts.items():
        found = code_words(text) | set(path.with_suffix("").parts)
        for name in path.with_suffix("").parts:
            modules[name] |= found
    templates = "".join(path.read_text() for path in (ROOT / "templates").rglob("*.html"))
    words = set(modules).union(*modules.values(), re.findall(r"\w+", templates)) | FOREIGN

    faults = []
    for path, text in texts.items():
        for each in docstrings(text):
            quoted = [match[1].split(".") for match in QUOTED.findall(each.value)]
            for parts in [*quoted, *([name] for name in CONSTANT.findall(each.value))]:
                pairs = [(a, b) for a, b in pairwise(parts) if a in modules]
                is_code = bool(pairs) or CODE.fullmatch(parts[-1])
                is_there = words.issuperset(parts) and all(b in modules[a] for a, b in pairs)
                if is_code and not is_there:
                    faults.append(f"{path}:{each.lineno}: {'.'.join(parts)}")

    assert not faults, "These names are nowhere in the code: mend the docstrings."
