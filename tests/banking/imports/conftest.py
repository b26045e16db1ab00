from pathlib import Path

import pytest

from banking.imports.transactions import Fault, ImportedTransaction


@pytest.fixture
def files():
    """The sample files; every bank, merchant and number in them is invented."""
    return Path(__file__).parent / "files"


@pytest.fixture
def make_file(tmp_path):
    """Write a file for one test and return its path."""

    def make(content: str | bytes, name: str = "file"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def reasons(lines):
    return {line.line: line.reason for line in lines if isinstance(line, Fault)}


def ids(lines):
    return [line.external_id for line in lines if isinstance(line, ImportedTransaction)]
