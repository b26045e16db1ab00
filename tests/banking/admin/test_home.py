import re
from datetime import timedelta

import pytest
from django.utils import timezone

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
    make_statement(account, created_at=timezone.now())
    make_statement(account, month=1, created_at=timezone.now() - timedelta(days=40))

    shown = figures(chief)

    assert shown["Open accounts"][0] == "3"
    assert shown["Deposits in all"][0] == "$1,234,567.00"
    assert shown["Pending transactions"][0] == "1"
    assert shown["Statements made this month"][0] == "1"
    for _, url in shown.values():
        assert chief.get(url.replace("&amp;", "&")).status_code == 200


@pytest.mark.parametrize(
    ("right", "labels"),
    [
        ("view_account", {"Open accounts", "Deposits in all"}),
        ("view_transaction", {"Pending transactions"}),
        ("view_statement", {"Statements made this month"}),
        ("view_business", set()),
    ],
)
def test_a_figure_is_for_those_who_may_view_its_rows(right, labels, account, make_staff):
    assert set(figures(make_staff(right))) == labels
