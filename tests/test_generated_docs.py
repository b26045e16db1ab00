"""The command that writes files under docs/ from the code."""

import sys

import pytest

from mcp_server.registry import TOOLS
from tests import generated_docs


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A page that the code would write otherwise."""
    page = tmp_path / "page.md"
    page.write_text("old\n")
    monkeypatch.setattr(generated_docs, "ROOT", tmp_path)
    monkeypatch.setattr(generated_docs, "generate", lambda: {page: "new\n"})
    monkeypatch.setattr(sys, "argv", ["generated_docs"])
    return page


def test_the_reference_of_tools_names_every_tool():
    written = generated_docs.generate()[generated_docs.ROOT / "docs" / "tools.md"]

    assert all(f"### {name}\n" in written for name in TOOLS)


def test_a_stale_page_is_named_with_its_lines(page, capsys):
    assert generated_docs.main() == 1

    said = capsys.readouterr()
    assert said.out.splitlines()[-2:] == ["-old", "+new"]
    assert said.err == "page.md is stale. Run: make docs\n"
    assert page.read_text() == "old\n"


def test_a_stale_page_is_written_and_then_is_none(page, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["generated_docs", "--write"])
    assert generated_docs.main() == 0

    monkeypatch.setattr(sys, "argv", ["generated_docs"])
    assert generated_docs.main() == 0
    assert page.read_text() == "new\n"
