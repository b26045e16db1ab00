"""The sanctions list in the back office."""

import pytest

from onboarding.models import SanctionsEntry, SanctionsList
from tests.factories import later
from tests.onboarding.sanctions_files import SDN, load

ENTRIES = "/admin/onboarding/sanctionsentry/"
LISTS = "/admin/onboarding/sanctionslist/"


@pytest.fixture
def loaded(db, tmp_path):
    return load(tmp_path)


@pytest.mark.parametrize("text", ["zarquonian", "Ebrahim", "BUTCHER", "2674", "ibrahim tolvek z"])
def test_an_entry_is_found_by_any_of_its_names_and_its_number(loaded, chief, text):
    page = chief.get(ENTRIES, {"q": text}).content.decode()

    assert "ZARQUONIAN, Ibrahim Tolvek" in page
    assert "VORTEXA" not in page


def test_the_page_of_an_entry_shows_its_names_and_where_it_is(loaded, chief):
    entry = SanctionsEntry.objects.get(number=2674)

    page = chief.get(f"{ENTRIES}{entry.pk}/change/").content.decode()

    for text in ("Weak alias", "ABU TOLVEK", "ZARQUON, Ebrahim", "2 Example Road, Nowhere", "SDGT"):
        assert text in page


def test_the_lists_that_were_loaded_are_shown(loaded, tmp_path, chief):
    load(tmp_path, at=later(days=1), sdn=SDN[:1], addresses=None, aliases=())

    page = chief.get(LISTS).content.decode()

    assert "Current" in page
    assert "Replaced" in page
    newest = SanctionsList.objects.first()
    assert newest.sha256 in chief.get(f"{LISTS}{newest.pk}/change/").content.decode()


@pytest.mark.parametrize("path", [ENTRIES, LISTS])
def test_nothing_is_edited_here(loaded, chief, path):
    assert chief.post(f"{path}add/", {}).status_code == 403
    pk = (SanctionsEntry if path == ENTRIES else SanctionsList).objects.first().pk
    assert chief.post(f"{path}{pk}/delete/", {"post": "yes"}).status_code == 403


def test_staff_without_the_permission_see_nothing(loaded, make_staff):
    assert make_staff().get(ENTRIES).status_code == 403
    assert make_staff("view_sanctionsentry").get(ENTRIES).status_code == 200


def test_a_long_list_takes_no_more_statements(loaded, tmp_path, count_queries):
    few = count_queries(ENTRIES)
    rows = [SDN[3].replace("4001", f"{number}") for number in range(40)]

    load(tmp_path, sdn=rows, addresses=None, aliases=None)

    assert count_queries(ENTRIES) == few
