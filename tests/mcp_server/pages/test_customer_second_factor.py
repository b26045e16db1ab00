"""Customers and the second factor: accountants need it at once, owners before an assistant."""

import re
from urllib.parse import urlencode

import pytest
from django_otp.plugins.otp_totp.models import TOTPDevice
from oauth2_provider.models import Application, Grant

from mcp_server.services import second_factor
from tests.mailing import mailed
from tests.mcp_server.pages.conftest import KEY, PASSWORD, code_now, enroll, mailed_code

CALLBACK = "https://claude.ai/callback"
NOTE = "This sandbox does not require two-step verification."


@pytest.fixture(autouse=True)
def _required(settings):
    settings.CUSTOMER_SECOND_FACTOR = True


@pytest.fixture
def accountant(person):
    person.user_type = "ACCOUNTANT"
    person.save()
    return person


@pytest.fixture
def request_path(db):
    """The address of an assistant's request for access."""
    client = Application.objects.create(
        name="Helpful",
        redirect_uris=CALLBACK,
        client_type=Application.CLIENT_PUBLIC,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
    )
    query = {
        "response_type": "code",
        "client_id": client.client_id,
        "redirect_uri": CALLBACK,
        "state": "a state",
        "scope": "accounts:read",
        "code_challenge": "a" * 43,
        "code_challenge_method": "S256",
    }
    return f"/authorize?{urlencode(query)}"


def enrolment(path):
    return f"/second-factor?{urlencode({'next': path})}"


def app_page(path):
    return f"/second-factor/app?{urlencode({'next': path})}"


@pytest.mark.parametrize("path", ["/connected-assistants", "/password", "/second-factor/x"])
def test_no_page_opens_for_an_accountant_before_it_is_set_up(accountant, sign_in, path):
    assert sign_in().get(path)["Location"] == enrolment(path)


def test_an_accountant_sets_it_up_and_goes_on(accountant, sign_in, request_path):
    client = sign_in()
    page = client.get(request_path)["Location"]

    said = client.get(page).content.decode()
    codes = enroll(client, app_page(request_path))

    assert "Accountants must use two-step verification" in said
    assert f'href="{request_path}"' in codes
    assert "wants to read your banking data" in client.get(request_path).content.decode()


def test_the_page_leads_to_both_factors_and_on_to_the_request(accountant, sign_in, request_path):
    client = sign_in()

    page = client.get(client.get(request_path)["Location"]).content.decode()

    after = urlencode({"next": request_path})
    for path in ("/second-factor/app", "/second-factor/passkey"):
        assert f'href="{path}?{after}"' in page


def test_a_thief_of_the_password_adds_no_first_factor_without_the_mail(accountant, sign_in):
    thief = sign_in()
    confirm_page = f"/second-factor/confirm?{urlencode({'next': '/second-factor/app'})}"

    asked = thief.post(confirm_page, {"password": PASSWORD}, follow=True).content.decode()
    answer = thief.post(confirm_page, {"mailed_code": "00000000"}).content.decode()

    assert "We have sent a code to <strong>grace@example.com</strong>" in asked
    assert "The code is incorrect or has expired." in answer
    for page in ("/second-factor/app", "/second-factor/passkey"):
        assert thief.post(page, {"code": code_now()})["Location"].startswith(confirm_page[:22])
    assert not second_factor.is_on(accountant)
    assert [message.to for message in mailed()] == [["grace@example.com"]]


def test_the_mailed_code_is_of_the_session_that_asked(accountant, sign_in):
    thief, owner = sign_in(), sign_in()
    page = f"/second-factor/confirm?{urlencode({'next': '/second-factor/app'})}"
    owner.post(page, {"password": PASSWORD})
    code = mailed_code()

    thief.post(page, {"mailed_code": code})

    assert thief.get("/second-factor/app").status_code == 302


def test_guessing_the_mailed_code_has_an_end(accountant, sign_in, settings):
    settings.RATE_LIMIT_FACTOR = 1
    client = sign_in()
    page = f"/second-factor/confirm?{urlencode({'next': '/second-factor/app'})}"
    client.post(page, {"password": PASSWORD})
    right = mailed_code()

    answers = [client.post(page, {"mailed_code": "00000000"}) for _ in range(5)]
    last = client.post(page, {"mailed_code": right})

    assert all("is incorrect or has expired" in answer.content.decode() for answer in answers)
    assert "Too many attempts." in last.content.decode()


def test_a_new_code_is_mailed_on_request(accountant, sign_in):
    client = sign_in()
    page = f"/second-factor/confirm?{urlencode({'next': '/second-factor/app'})}"
    client.post(page, {"password": PASSWORD})
    first = mailed_code()

    client.post(page, {"again": ""})
    client.post(page, {"password": PASSWORD})

    assert mailed_code() != first
    assert client.post(page, {"mailed_code": mailed_code()})["Location"] == "/second-factor/app"


def test_an_accountant_cannot_turn_it_off(accountant, sign_in):
    client = sign_in()
    code = re.search(r"<li>(\w{5}-\w{5})", enroll(client))[1]

    page = client.get("/second-factor").content.decode()
    sent = {"password": PASSWORD, "code": code, "off": ""}
    answer = client.post("/second-factor", sent, follow=True)

    assert "Turn off" not in page
    assert "Accountants cannot turn off two-step verification" in answer.content.decode()
    assert second_factor.is_on(accountant)


def test_an_owner_uses_the_pages_without_one(person, sign_in):
    client = sign_in()

    assert client.get("/connected-assistants").status_code == 200
    assert "before a connected assistant" in client.get("/second-factor").content.decode()


def test_an_owner_sets_it_up_before_the_consent_and_returns_to_the_request(
    person, sign_in, request_path
):
    client = sign_in()

    page = client.get(request_path)["Location"]
    said = client.get(page).content.decode()
    codes = enroll(client, app_page(request_path))
    answer = client.post(request_path, {"scopes": "accounts:read", "allow": "Allow"})

    assert page == enrolment(request_path)
    assert "first set up two-step verification" in said
    assert f'href="{request_path}"' in codes
    assert answer["Location"].startswith(f"{CALLBACK}?code=")


def test_an_answer_without_the_page_grants_nothing(person, sign_in, request_path):
    answer = sign_in().post(request_path, {"scopes": "accounts:read", "allow": "Allow"})

    assert answer["Location"] == enrolment(request_path)
    assert not Grant.objects.exists()


def test_to_deny_needs_none(person, sign_in, request_path):
    answer = sign_in().post(request_path, {"allow": "Deny"})

    assert answer["Location"].startswith(f"{CALLBACK}?error=access_denied")


def test_a_faulty_request_is_told_before_anything_is_set_up(person, sign_in, request_path):
    answer = sign_in().get(request_path.replace("S256", "plain"))

    assert "error=invalid_request" in answer["Location"]


def test_the_page_leads_to_no_other_site(person, sign_in):
    codes = enroll(sign_in(), app_page("https://evil.example.com/"))

    assert "evil.example.com" not in codes
    assert 'href="/second-factor"' in codes


def test_an_owner_who_turns_it_off_is_told_the_price(person, sign_in):
    TOTPDevice.objects.create(user=person, key=KEY, confirmed=True)
    client = sign_in()
    client.post("/sign-in/code", {"code": code_now()})

    page = client.get("/second-factor").content.decode()

    assert "can no longer read full account numbers" in page


def test_the_sandbox_asks_for_none_and_says_so(accountant, sign_in, request_path, settings):
    settings.CUSTOMER_SECOND_FACTOR = False
    client = sign_in()

    pages = [client.get(path).content.decode() for path in (request_path, "/second-factor")]

    assert all(NOTE in page for page in pages)


@pytest.mark.parametrize("path", ["/second-factor", "/second-factor?next=/password"])
def test_where_it_is_required_nobody_reads_of_a_sandbox(person, sign_in, path):
    assert NOTE not in sign_in().get(path).content.decode()
