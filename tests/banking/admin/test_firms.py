"""The screens of firms: their people, clients and departures."""

import pytest

from banking.services import firms
from tests import factories
from tests.staff import sign_in

LIST = "/admin/banking/firm/"


@pytest.fixture
def manager(db):
    return factories.make_accountant(firm_name="Oak & Ledger")


def test_people_clients_and_departures_of_a_firm_are_shown(chief, manager):
    colleague, gone = (factories.make_accountant(firm=manager.firm) for _ in range(2))
    access = factories.make_access(manager)
    firms.remove(gone, by=manager, at=factories.NOON)

    rows = chief.get(LIST).content.decode()
    page = chief.get(f"{LIST}{manager.firm.pk}/change/").content.decode()

    assert "Oak &amp; Ledger" in rows
    assert manager.user.email in page
    assert colleague.user.email in page
    assert access.business.legal_name in page
    assert "people who were removed" in page.lower()
    assert gone.user.email in page


def test_a_search_finds_a_firm_by_a_person(chief, manager):
    factories.make_accountant(firm_name="Marsh & Fell")

    text = chief.get(f"{LIST}?q={manager.user.email}").content.decode()

    assert "Oak &amp; Ledger" in text
    assert "Marsh" not in text


def test_firms_need_their_permission_and_are_never_changed(manager, make_user):
    page = f"{LIST}{manager.firm.pk}/change/"
    assert sign_in(make_user(user_type="STAFF")).get(page).status_code == 403


def test_nothing_is_added_or_deleted(chief, manager):
    assert chief.get(f"{LIST}add/").status_code == 403
    assert chief.post(f"{LIST}{manager.firm.pk}/delete/").status_code == 403
