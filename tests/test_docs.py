"""Tests of the documents: links, paths and names of tests in them exist."""

import re
from collections import Counter
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import get_commands

ROOT = settings.BASE_DIR
GAPS = ROOT / "docs" / "spec-gaps.md"
PIN = re.compile(r"`([\w/]*test_\w+\.py)(?:::(\w+))?`")
STEP = re.compile(r"`([\w/]+\.py)`: `([\w.]+)`")
STEPS = sorted(set(STEP.findall((ROOT / "docs" / "architecture.md").read_text())))
PINS = sorted(set(PIN.findall(GAPS.read_text())))
PAGES = sorted(
    page.relative_to(ROOT)
    for pattern in ["*.md", "docs/**/*.md", "foundation/**/*.md"]
    for page in ROOT.glob(pattern)
)
DECISIONS = [page for page in PAGES if page.parent.name == "decisions"]
HISTORY = {Path("CHANGELOG.md"), *DECISIONS}  # these name files as they were at the time
CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FOLDERS = "foundation|banking|onboarding|mcp_server|config|templates|locale|tests|bench|docs"
SPAN = re.compile(r"`([^`\n]+)`")
PATH = re.compile(rf"(?:{FOLDERS})/[\w./-]*")  # `<noun>` and `*` stand for a part of a path
COMMAND = re.compile(r"\bmanage\.py (\w+)")
MODULE = re.compile(r"python -m ((?:bench|config)\.\w+)")
PLACEHOLDER = re.compile(r"[<*{…]")
ASVS = ROOT / "docs" / "asvs.md"
LEVELS = ROOT / "tests" / "asvs-5.0.0-levels.txt"
ANSWERS = ["met", "partly", "not met", "not applicable"]
ANSWER = "|".join(ANSWERS)
REQUIREMENT = re.compile(
    rf"^\| (\d+\.\d+\.\d+) \| [^|]+ \| ([12]) \| ({ANSWER}) \| [^|]+ \|$", re.MULTILINE
)
SUM = re.compile(rf"^\| ({ANSWER}|all) \|[^|]*\| (\d+) \|$", re.MULTILINE)
CHAPTER = re.compile(r"^\| V(\d+) [^|]+((?:\| \d+ ){4})\|$", re.MULTILINE)


@pytest.mark.parametrize(("path", "name"), PINS)
def test_each_pin_of_the_gaps_is_a_test(path, name):
    root = ROOT if path.startswith("tests/") else ROOT / "tests/onboarding"

    text = (root / path).read_text()

    assert not name or f"def {name}(" in text


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub derives them."""
    titles = HEADING.findall(CODE.sub("", page.read_text()))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_each_relative_link_leads_to_a_file_and_a_heading(page):
    links = LINK.findall(CODE.sub("", (ROOT / page).read_text()))

    for link in links:
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = ROOT / page.parent / path if path else ROOT / page
        assert target.exists(), f"{page} links to {link}, which is not there."
        assert not anchor or anchor in anchors(target), f"{link} in {page}: no such heading."


@pytest.mark.parametrize("page", [page for page in PAGES if page not in HISTORY], ids=str)
def test_each_path_that_a_page_names_exists(page):
    text = CODE.sub("", (ROOT / page).read_text())
    spans = [span for span in SPAN.findall(text) if not PLACEHOLDER.search(span)]
    named = {path for span in spans if (path := span.partition("::")[0]) and PATH.fullmatch(path)}

    missing = [path for path in sorted(named) if not (ROOT / path).exists()]

    assert not missing, f"{page} names files that are not there."


@pytest.mark.parametrize("page", [page for page in PAGES if page not in HISTORY], ids=str)
def test_each_name_that_a_page_places_in_a_file_is_defined_there(page):
    spans = SPAN.findall(CODE.sub("", (ROOT / page).read_text()))
    places = {tuple(span.split("::")) for span in spans if "::" in span}
    known = [(path, name) for path, name in sorted(places) if PATH.fullmatch(path)]

    missing = [place for place in known if not _defines(*place)]

    assert not missing, f"{page} names what is not in these files."


def _defines(path: str, name: str) -> bool:
    """Return whether a file of Python has a function, a class or a value of this name."""
    defined = rf"^\s*(?:(?:async )?def {name}\(|class {name}\b|{name}(?:: [^=]+)? = )"
    return bool(re.search(defined, (ROOT / path).read_text(), re.MULTILINE))


def test_the_conversation_masks_account_numbers_and_shows_the_fields_of_today():
    shown = (ROOT / "docs" / "assistants.md").read_text().split("## Without an assistant")[0]

    assert re.findall(r'"account(?:No|NumberMasked)": "(?!••••\d{4}")', shown) == []
    for field in ["businessUserId", "remainingCents", "hasReceipt", "taxTablesYear", "asOf"]:
        assert f'"{field}":' in " ".join(shown.split())


def test_each_requirement_of_asvs_is_answered_once():
    text = ASVS.read_text()
    lines = [line.split(": ") for line in LEVELS.read_text().splitlines() if line[0] != "#"]
    levels = {
        f"{section}.{number}": level
        for section, listed in lines
        for number, level in enumerate(listed, 1)
        if level in "12"
    }

    answered = [(number, level) for number, level, _answer in REQUIREMENT.findall(text)]

    assert answered == list(levels.items())
    assert len(re.findall(r"^\| \d", text, re.MULTILINE)) == len(levels)


def test_the_sums_of_asvs_are_right():
    text = ASVS.read_text()
    answers = [(number, answer) for number, _level, answer in REQUIREMENT.findall(text)]
    counts = Counter(answer for _number, answer in answers)
    chapters = Counter((number.partition(".")[0], answer) for number, answer in answers)

    sums = dict(SUM.findall(text))

    assert sums == {name: str(counts[name]) for name in ANSWERS} | {"all": str(len(answers))}
    for chapter, listed in CHAPTER.findall(text):
        expected = [str(chapters[chapter, name]) for name in ANSWERS]
        assert listed.replace("|", "").split() == expected, f"V{chapter}"
    assert len(CHAPTER.findall(text)) == len({chapter for chapter, _answer in chapters})


def test_the_runbook_lists_each_check_of_a_deployment():
    config = "".join(module.read_text() for module in (ROOT / "config").glob("*.py"))
    runbook = (ROOT / "docs" / "runbook.md").read_text()

    listed = re.findall(r"^\| ([EW]\d{3}) \|", runbook, re.MULTILINE)

    assert listed == sorted(set(re.findall(r'"vestibule\.([EW]\d{3})"', config)))


@pytest.mark.parametrize(("path", "name"), STEPS)
def test_each_step_of_a_walk_names_a_function_of_its_module(path, name):
    text = (ROOT / path).read_text()

    for part in name.split("."):
        assert re.search(rf"^\s*(def |class )?{part}\b", text, re.MULTILINE)


@pytest.mark.parametrize("page", [page for page in PAGES if page not in HISTORY], ids=str)
def test_each_command_that_a_page_names_exists(page):
    text = (ROOT / page).read_text()

    commands = set(COMMAND.findall(text)).difference(get_commands())
    modules = [name for name in MODULE.findall(text) if find_spec(name) is None]

    assert not commands, f"{page} names commands that are not there."
    assert not modules, f"{page} names modules that are not there."


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_each_decision_has_its_number_a_subject_and_a_status(page):
    number = page.name[:4]

    title = (ROOT / page).read_text().split("\n")[0]

    assert re.fullmatch(rf"# {number}\. [A-Z][^:]+: \S.*", title)
    assert _status(page).startswith(("Status: accepted", "Status: superseded"))


def test_no_two_decisions_have_the_same_number():
    numbers = [page.name[:4] for page in DECISIONS]

    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_the_statuses_of_decisions_name_each_other(page):
    for other in LINK.findall(_status(page)):
        assert page.name in LINK.findall(_status(page.parent / other)), (
            f"See the status of {other}."
        )


def _status(page: Path) -> str:
    return (ROOT / page).read_text().split("\n")[2]
