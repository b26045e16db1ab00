import re
from datetime import timedelta

import pytest
from django.utils import timezone

from banking.admin import home, transactions
from foundation.backoffice import lists
from tests import factories
from tests.banking.admin.conftest import make_statement


def figures(client):
    page = client.get("/admin/").content.decode()
    found = r'class="card figure" href="([^"]*)"><strong[^>]*>([^<]+)</strong> <span>([^<]*)<'
    return {label: (value, url) for url, value, label in re.findall(found, page)}


@pytest.fixture
def account(make_account, make_transaction):
    account = make_account()
    make_transaction(account, 1_234_567_00)
    make_transaction(account, -100, pending=True)
    return account


def test_the_home_page_has_the_figures_of_the_bank(account, make_account, make_transaction, chief):
    make_account(status="CLOSED", closed_at=factories.NOON)
    make_transaction(factories.make_secured_card(account.business).card_account, -5_000)
    last = timezone.now().replace(day=1) - timedelta(days=1)
    make_statement(account, year=last.year, month=last.month)
    make_statement(account, year=last.year - 1, month=last.month)
    made = f"Statements of {last:%B %Y}"

    shown = figures(chief)

    assert shown["Open accounts"][0] == "3"
    assert shown["Total deposits"][0] == "$1,234,567.00"
    assert shown["Pending transactions"][0] == "1"
    assert shown[made][0] == "1"
    for _, url in shown.values():
        assert chief.get(url.replace("&amp;", "&")).status_code == 200


@pytest.mark.parametrize(
    ("right", "labels"),
    [
        ("view_account", ["Open accounts", "Total deposits"]),
        ("view_transaction", ["Pending transactions"]),
        ("view_statement", ["Statements of"]),
        ("view_business", []),
    ],
)
def test_a_figure_is_for_those_who_may_view_its_rows(right, labels, account, make_staff):
    shown = list(figures(make_staff(right)))

    assert len(shown) == len(labels)
    assert all(label.startswith(start) for label, start in zip(shown, labels, strict=True))


def test_the_figure_of_holds_is_the_number_of_rows_it_links_to(
    account, make_transaction, chief, monkeypatch
):
    for module in (home, lists, transactions):
        monkeypatch.setattr(module, "MAX_ROWS", 2)
    for _ in range(3):  # newer than the hold, and more than a list of everything reads
        make_transaction(account, 100)

    count, url = figures(chief)["Pending transactions"]

    assert count == "1"
    assert "1 transaction\n" in chief.get(url).content.decode()


def test_more_holds_than_a_list_shows_are_not_counted(
    account, make_transaction, chief, monkeypatch
):
    for module in (home, lists, transactions):
        monkeypatch.setattr(module, "MAX_ROWS", 2)
    for _ in range(2):
        make_transaction(account, -100, pending=True)

    count, url = figures(chief)["Pending transactions"]

    assert count == "2+"
    assert "The first 2 transactions" in chief.get(url).content.decode()
