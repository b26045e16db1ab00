"""Tests of the documents that benchmarks write."""

from pathlib import Path

import pytest
from django.conf import settings

from bench.__main__ import PARTS
from bench.reports import HEAD, Headline, Report, replace_headlines, replace_section

FAST, SLOW = Headline("Get", "9 ms", "< 10 ms", True), Headline("Put", "9 ms", "< 1 ms", False)
BARE = Headline("Rows", "7 a second", ratio="2.00 (1.00 to 3.00)", to="plain DRF")


@pytest.fixture
def page(tmp_path) -> Path:
    document = tmp_path / "performance.md"
    rows = "| A | old | 1 |  |  |  |  |\n| B | kept | 2 |  |  |  |  |\n"
    document.write_text(f"# Performance\n\n{HEAD}{rows}\nText.\n")
    return document


def test_the_rows_of_a_part_take_the_place_of_its_old_ones(page):
    replace_headlines(page, "A", [FAST, SLOW])

    assert page.read_text() == (
        f"# Performance\n\n{HEAD}"
        "| A | Get | 9 ms |  |  | < 10 ms | met |\n"
        "| A | Put | 9 ms |  |  | < 1 ms | missed |\n"
        "| B | kept | 2 |  |  |  |  |\n"
        "\nText.\n"
    )


def test_the_rows_of_a_new_part_come_last(page):
    replace_headlines(page, "C", [BARE])

    row = "| C | Rows | 7 a second | 2.00 (1.00 to 3.00) | plain DRF |  |  |\n"
    assert page.read_text().endswith(f"| B | kept | 2 |  |  |  |  |\n{row}\nText.\n")


def test_a_document_without_the_table_is_refused(tmp_path):
    document = tmp_path / "performance.md"
    document.write_text("# Performance\n")

    with pytest.raises(ValueError, match="no table of headlines"):
        replace_headlines(document, "A", [FAST])


def test_a_section_takes_the_place_of_its_old_text_alone(page):
    page.write_text("# All\n\n## A\n\nold\n\n## B\n\nkept\n")

    replace_section(page, "A", "new\n")

    assert page.read_text() == "# All\n\n## A\n\nnew\n\n## B\n\nkept\n"


def test_a_report_alone_has_headlines_and_details():
    text = Report([FAST], "Details.\n").text("A")

    assert text == f"{HEAD}{FAST.row('A')}\nDetails.\n"


@pytest.mark.parametrize("name", ["performance.md", "performance-details.md"])
def test_the_documents_have_a_place_for_each_part(name):
    text = (settings.BASE_DIR / "docs" / name).read_text()

    titles = [_title(part) for part in PARTS]

    assert [
        title for title in titles if f"| {title} |" in text or f"## {title}\n" in text
    ] == titles
    assert name != "performance.md" or HEAD in text


def _title(part: str) -> str:
    source = (settings.BASE_DIR / "bench" / f"{part}.py").read_text()
    return next(line for line in source.splitlines() if line.startswith("TITLE = ")).split('"')[1]
