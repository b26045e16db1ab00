import re

import pytest

from tests import factories
from tests.factories import later

LIST = "/admin/banking/account/"


def ledger_of(client, account, **query):
    """Return the amounts and balances that a page of the ledger shows."""
    page = client.get(f"{LIST}{account.pk}/entries/", query).content.decode()
    amounts = re.findall(r'class="money(?: negative)?">([^<]+)<', page)
    return list(zip(amounts[::2], amounts[1::2], strict=True))


@pytest.fixture
def busy(make_account, make_transaction):
    """An account with 120 entries of a dollar each, one an hour."""
    account = make_account()
    for hour in range(120):
        make_transaction(account, 100, at=later(hours=hour), description=f"Dollar {hour + 1}")
    return account


def test_the_page_has_the_balances(make_account, make_transaction, chief):
    account = make_account()
    make_transaction(account, 1_234_567_89)
    make_transaction(account, -45_00, pending=True)

    page = chief.get(f"{LIST}{account.pk}/change/").content.decode()

    figures = dict(re.findall(r'<dt>([^<]+)</dt><dd><span class="money">([^<]+)<', page))
    assert figures == {
        "Available": "$1,234,522.89",
        "Current": "$1,234,567.89",
        "Held for pending": "$45.00",
    }


def test_the_ledger_has_the_newest_first_with_the_balance_after_each(busy, chief):
    rows = ledger_of(chief, busy)

    assert rows[0] == ("$1.00", "$120.00")
    assert rows[-1] == ("$1.00", "$71.00")
    assert len(rows) == 50


def test_the_ledger_is_paged(busy, chief):
    assert ledger_of(chief, busy, page=2)[0] == ("$1.00", "$70.00")
    assert ledger_of(chief, busy, page=3)[-1] == ("$1.00", "$1.00")
    assert ledger_of(chief, busy, page=4) == []

    page = chief.get(f"{LIST}{busy.pk}/entries/", {"page": 2}).content.decode()
    assert 'href="?page=1">Newer</a>' in page
    assert 'href="?page=3">Older</a>' in page


def test_the_ledger_ends_on_a_day(busy, chief):
    until = later(days=1).date().isoformat()

    rows = ledger_of(chief, busy, until=until)

    assert rows[0] == ("$1.00", "$36.00")
    assert len(rows) == 36


@pytest.mark.parametrize(
    "query", [{"page": "0"}, {"page": "-1"}, {"page": "9" * 30}, {"page": "x"}, {"page": "²"}]
)
def test_a_page_that_is_not_there_does_no_harm(query, account, chief):
    assert chief.get(f"{LIST}{account.pk}/entries/", query).status_code == 200


@pytest.mark.parametrize("day", ["", "yesterday", "2026-02-30", "0001-01-01", "9999-12-31"])
def test_a_day_that_is_none_does_no_harm(day, account, chief):
    assert chief.get(f"{LIST}{account.pk}/entries/", {"until": day}).status_code == 200


def test_the_ledger_takes_as_many_statements_for_many_entries(
    make_account, make_transaction, count_queries
):
    account = make_account()
    page = f"{LIST}{account.pk}/entries/"
    for _ in range(3):
        make_transaction(account)
    few = count_queries(page)

    for _ in range(27):
        make_transaction(account)

    assert count_queries(page) == few


def test_an_account_of_the_bank_shows_no_balance(account, chief):
    clearing = factories.Account.objects.get(account_type="CLEARING")

    page = chief.get(f"{LIST}{clearing.pk}/change/").content.decode()

    assert "Available" not in page
    assert "Balance</th>" not in page
    assert "Newest entries" in page


def test_the_ledger_is_for_those_who_may_view_entries(account, make_staff):
    page = f"{LIST}{account.pk}/entries/"

    assert make_staff("view_account").get(page).status_code == 403
    assert make_staff("view_entry", "view_posting").get(page).status_code == 403
    assert make_staff("view_account", "view_entry").get(page).status_code == 200


def test_the_ledger_is_not_sent_to_a_post(account, chief):
    assert chief.post(f"{LIST}{account.pk}/entries/").status_code == 405


def test_the_name_of_the_merchant_stands_in_the_ledger(make_account, make_transaction, chief):
    account = make_account()
    make_transaction(account, -100, merchant_raw_name="CORNER SHOP 12", description="")

    page = chief.get(f"{LIST}{account.pk}/entries/").content.decode()

    assert "CORNER SHOP 12" in page
