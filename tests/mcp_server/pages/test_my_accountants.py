"""The accountants of a business: who is listed, and how their access ends."""

import pytest
from django.test import Client

from banking.choices import AccessStatus
from banking.services import clients
from tests import factories
from tests.mcp_server.pages.test_account import browse

PAGE = "/account/accountants"


@pytest.fixture
def access(accountant, business):
    return factories.make_access(accountant, business)


@pytest.fixture
def end(access):
    """The address that ends the access."""
    return f"{PAGE}/{access.pk}/end"


def test_it_needs_a_sign_in(end):
    assert Client().get(PAGE)["Location"] == f"/sign-in?next={PAGE}"
    assert Client().post(end)["Location"].startswith("/sign-in")


def test_an_accountant_is_listed_with_level_and_last_look(owner, accountant, access, business):
    browse(accountant.user).get("/clients")
    text = browse(owner).get(PAGE).content.decode()

    assert accountant.user.get_full_name() in text
    assert accountant.firm_name in text
    assert "Sees everything, has not looked yet" in text


def test_an_access_ends_after_a_question(owner, access, end):
    client = browse(owner)

    question = client.get(end).content.decode()
    access.refresh_from_db()
    assert access.status == AccessStatus.CONNECTED
    done = client.post(end, follow=True).content.decode()

    assert "End the access of" in question
    assert "no longer has access." in done
    assert "1 accountant who no longer has access" in done
    access.refresh_from_db()
    assert access.status == AccessStatus.REVOKED


def test_an_assistant_of_the_accountant_reads_nothing_more(owner, business, accountants_assistant):
    access = business.accesses.get()
    client_id = str(business.external_id)
    assert "error" not in accountants_assistant.call("svc_list_cards", businessUserId=client_id)

    browse(owner).post(f"{PAGE}/{access.pk}/end")

    answer = accountants_assistant.post({"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert answer.status_code == 401


def test_an_access_that_ended_just_now_is_told(owner, access, end):
    client = browse(owner)
    clients.revoke_access(access, at=factories.later(days=1))

    assert "This access has already ended." in client.post(end, follow=True).content.decode()


def test_accesses_of_others_are_not_found(make_user, accountant, access, end):
    other = make_user()
    factories.make_business_owner(factories.make_business(), user=other)

    for user in (other, accountant.user, make_user()):
        assert browse(user).get(end).status_code == 404
        assert browse(user).post(end).status_code == 404

    access.refresh_from_db()
    assert access.status == AccessStatus.CONNECTED


def test_it_is_spanish_for_who_reads_spanish(owner, access, end):
    assert "¿Terminar el acceso de" in browse(owner, "es").get(end).content.decode()
