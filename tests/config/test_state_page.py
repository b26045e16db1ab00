"""The page of the state of the deployment in the back office."""

import re
from pathlib import Path

import pytest

from config import status
from config.state_page import WATCHED
from tests import staff

make_staff = staff.make_staff
ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture(autouse=True)
def forget(monkeypatch):
    monkeypatch.setattr(status, "queued_messages", lambda: {"sweeps": 501})
    status.forget()
    yield
    status.forget()


@pytest.fixture
def clerk(make_staff):
    """Return the browser of a member of staff who may see jobs."""
    return make_staff("view_job")


def row(page, label):
    """Return the texts of the row of a figure."""
    [found] = re.findall(rf"<tr><td>{label}</td>.*?</tr>", page)
    return [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<td>(.*?)</td>", found)]


def test_staff_who_may_see_jobs_see_what_is_above_its_threshold(clerk):
    page = clerk.get("/admin/state/").content.decode()

    assert row(page, "Messages in the broker") == [
        "Messages in the broker", "Look", "501", "500", "docs/production.md, Watching"
    ]  # fmt: skip
    assert row(page, "Failed jobs today")[1:4] == ["OK", "0", "0"]
    assert row(page, "Database") == ["Database", "Answers"]
    assert row(page, "Last heartbeat of beat, broker and worker")[1:3] == ["Look", "unknown"]


def test_other_staff_see_neither_the_page_nor_its_link(make_staff):
    other = make_staff("view_business")

    assert other.get("/admin/state/").status_code == 403
    assert "/admin/state/" not in other.get("/admin/").content.decode()


def test_the_home_page_leads_there(clerk):
    assert "/admin/state/" in clerk.get("/admin/").content.decode()


def test_a_database_without_an_answer_leaves_the_figures_unknown():
    silent = status.combine({name: part.silent for name, part in status.PARTS.items()})

    assert all(figure.is_above(silent) for figure in WATCHED)
    assert {figure.value(silent) for figure in WATCHED} == {None}


@pytest.mark.parametrize("figure", WATCHED, ids=lambda figure: figure.label)
def test_each_figure_names_a_section_that_there_is(figure):
    page, section = figure.page

    assert re.search(rf"^#+ {section}$", (ROOT / page).read_text(), re.MULTILINE)
