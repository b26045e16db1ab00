"""The page on which users change what an assistant may read, and the same at the consent."""

from datetime import date, timedelta

import pytest
from django.test import Client
from django.utils import timezone
from oauth2_provider.models import AccessToken

from mcp_server.models import Connection
from tests import factories
from tests.mcp_server.conftest import connect
from tests.mcp_server.oauth.conftest import Flow, make_client


@pytest.fixture
def account(business):
    return factories.make_account(business, is_primary=True)


def browser_of(user):
    client = Client()
    client.force_login(user, "django.contrib.auth.backends.ModelBackend")
    return client


def path(assistant):
    return f"/connected-assistants/{assistant.connection.pk}/limits"


def test_limits_apply_from_the_next_request(assistant, owner, account):
    sent = {"which": "SOME", "chosen": [account.pk], "first_day": "2026-01-01", "hides_names": "on"}

    response = browser_of(owner).post(path(assistant), sent)

    assert response["Location"] == "/connected-assistants"
    connection = Connection.objects.get(pk=assistant.connection.pk)
    assert connection.accounts == [account.pk]
    assert (connection.first_day, connection.last_day) == (date(2026, 1, 1), None)
    assert connection.hides_names
    assert "account-numbers:read" not in AccessToken.objects.get().scope
    assert assistant.refusal("svc_estimate_taxes")[0] == "ACCESS_DENIED"
    page = browser_of(owner).get("/connected-assistants").content.decode()
    assert "Some accounts only" in page
    assert "Account numbers masked" in page


def test_an_access_has_a_last_day_which_its_user_moves_and_removes(assistant, owner):
    today, browser, told = timezone.now().date(), browser_of(owner), []

    for day in (today, today + timedelta(days=30), ""):
        browser.post(path(assistant), {"which": "ALL", "access_until": day})
        told.append(Connection.objects.get().access_until)
        assert "error" not in assistant.call("svc_get_current_user")
    Connection.objects.update(access_until=today - timedelta(days=1))

    assert told == [today, today + timedelta(days=30), None]
    assert assistant.post({}).status_code == 401
    assert browser.get(path(assistant)).status_code == 404


def test_the_last_day_is_on_the_page_of_assistants_and_in_its_form(assistant, owner):
    Connection.objects.update(access_until=date(2099, 12, 31))
    browser = browser_of(owner)

    assert "December 31, 2099" in browser.get("/connected-assistants").content.decode()
    assert 'value="2099-12-31"' in browser.get(path(assistant)).content.decode()


def test_full_numbers_are_given_and_taken_without_a_new_token(owner, account):
    assistant = connect(owner, scopes=["transactions:read"])
    factories.make_transaction(account, -100)
    browser, told = browser_of(owner), []

    for sent in ({}, {"shows_numbers": "on"}, {}):
        browser.post(path(assistant), {"which": "ALL", **sent})
        [row] = assistant.call("svc_search_transactions")["transactions"]
        told.append(row["accountNo"])

    masked = account.masked_number
    assert told == [masked, account.account_number, masked]


def test_a_ticked_box_is_never_ignored(assistant, owner, account):
    sent = {"which": "ALL", "chosen": [account.pk]}

    response = browser_of(owner).post(path(assistant), sent)

    assert response.status_code == 400
    assert "or clear the boxes" in response.content.decode()


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        ({"which": "SOME"}, "Choose at least one."),
        ({"which": "SOME", "chosen": ["999999"]}, "Select a valid choice"),
        ({"first_day": "2026-02-01", "last_day": "2026-01-01"}, "not before the first day"),
        ({"access_until": "2026-01-01"}, "Choose today or a later day."),
        ({"first_day": "soon"}, "Enter a valid date"),
    ],
)
def test_what_is_no_limit_is_refused(assistant, owner, account, sent, reason):
    response = browser_of(owner).post(path(assistant), sent)

    assert response.status_code == 400
    assert reason in response.content.decode()
    assert Connection.objects.get(pk=assistant.connection.pk).limits_changed_at is None


def test_nobody_changes_the_limits_of_others(assistant, make_user, owner):
    assert browser_of(make_user()).post(path(assistant), {"which": "ALL"}).status_code == 404
    assert Client().get(path(assistant)).status_code == 302


def test_accountants_choose_clients(accountant, accountants_assistant, business):
    browser = browser_of(accountant.user)

    page = browser.get(path(accountants_assistant)).content.decode()
    browser.post(path(accountants_assistant), {"which": "SOME", "chosen": [business.pk]})

    assert business.legal_name in page
    connection = Connection.objects.get(pk=accountants_assistant.connection.pk)
    assert connection.businesses == [business.pk]


def test_limits_are_set_at_the_consent(owner, account):
    flow = Flow(owner, make_client())
    days = {"last_day": "2026-12-31", "access_until": "2099-12-31"}
    posted = {"which": "SOME", "chosen": [account.pk], **days}

    answer = flow.decide("accounts:read", posted=posted)

    connection = Connection.objects.get()
    assert answer.status_code == 302
    assert connection.accounts == [account.pk]
    assert connection.last_day == date(2026, 12, 31)
    assert connection.access_until == date(2099, 12, 31)
    assert connection.ended_at is not None  # until the client has its tokens
