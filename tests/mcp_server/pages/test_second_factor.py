"""The pages of the second factor, and what they guard."""

import re
from urllib.parse import urlencode

import pytest
from django.test import Client
from django_otp.plugins.otp_totp.models import TOTPDevice

from mcp_server.services import second_factor
from tests.mcp_server.pages.conftest import KEY, PASSWORD, code_now, confirm, enroll

GUARDED = ["/connected-assistants", "/second-factor", "/password", "/authorize?client_id=x", "/"]


def test_whoever_has_one_is_asked_for_the_code(careful_person, sign_in):
    client = sign_in(next="/connect")

    page = client.get("/sign-in/code?next=/password")
    done = client.post("/sign-in/code", {"code": code_now(), "next": "/password"})

    assert "Confirm your sign-in" in page.content.decode()
    assert done["Location"] == "/password"
    assert client.get("/password").status_code == 200


@pytest.mark.parametrize("path", GUARDED)
def test_nothing_opens_without_the_code(careful_person, sign_in, path):
    answer = sign_in().get(path)

    assert answer.status_code == 302
    assert answer["Location"].startswith("/sign-in/code?next=")


@pytest.mark.parametrize("path", ["/admin/", "/admin/banking/user/", "/admin/jsi18n/"])
def test_nor_does_the_back_office(careful_person, path):
    careful_person.user_type, careful_person.is_superuser = "STAFF", True
    careful_person.save()
    client = Client()
    client.post("/admin/login/", {"username": careful_person.email, "password": PASSWORD})

    before = client.get(path)
    client.post("/sign-in/code", {"code": code_now()})

    assert before["Location"].startswith("/sign-in/code?next=%2Fadmin%2F")
    assert client.get(path).status_code == 200


@pytest.mark.parametrize("path", ["/connect", "/sign-in", "/healthz", "/service/api/v1/docs"])
def test_what_needs_no_session_opens_still(careful_person, sign_in, path):
    assert sign_in().get(path).status_code == 200


def test_a_post_does_nothing_without_the_code(careful_person, sign_in):
    client = sign_in()

    client.post("/second-factor", {"password": PASSWORD, "code": code_now(), "off": ""})

    assert second_factor.is_on(careful_person)


def test_a_wrong_code_opens_nothing_and_the_next_must_wait(careful_person, sign_in):
    client = sign_in()

    wrong = client.post("/sign-in/code", {"code": "000000"})
    hasty = client.post("/sign-in/code", {"code": code_now()})

    assert "The code is incorrect." in wrong.content.decode()
    assert "Too many incorrect codes. Try again in 1 second." in hasty.content.decode()
    assert client.get("/password").status_code == 302


def test_a_recovery_code_opens_too(careful_person, sign_in):
    codes = second_factor.replace_recovery_codes(careful_person)
    client = sign_in()

    client.post("/sign-in/code", {"code": codes[0]})

    assert client.get("/password").status_code == 200


def test_the_last_recovery_codes_are_announced(careful_person, sign_in):
    codes = second_factor.replace_recovery_codes(careful_person)
    for code in codes[:7]:
        second_factor.check(careful_person, code)
    client = sign_in()

    client.post("/sign-in/code", {"code": codes[7]})

    assert "few recovery codes left" in client.get("/password").content.decode()


def test_the_code_page_is_for_those_who_owe_one(person, sign_in):
    assert Client().get("/sign-in/code")["Location"].startswith("/sign-in?next=")
    assert sign_in().get("/sign-in/code?next=/password")["Location"] == "/password"


def test_the_code_page_leads_nobody_elsewhere(careful_person, sign_in):
    client = sign_in()

    answer = client.post("/sign-in/code", {"code": code_now(), "next": "//evil.example.com"})

    assert answer["Location"] == "/account"


def test_the_session_gets_a_new_key_with_the_code(careful_person, sign_in):
    client = sign_in()
    before = client.session.session_key

    client.post("/sign-in/code", {"code": code_now()})

    assert client.session.session_key != before


@pytest.fixture
def offered(person, sign_in):
    """Return a client that looks at the offer, whose key is KEY."""
    client = sign_in()
    confirm(client)
    session = client.session
    session["second_factor_key"] = KEY
    session.save()
    return client


def switch_on(client, **values):
    return client.post("/second-factor/app", {"code": code_now(), **values})


def test_the_offer_shows_the_key_as_a_picture_and_as_text(offered):
    text = offered.get("/second-factor/app").content.decode()

    assert second_factor.key_as_text(KEY) in text
    assert re.search(r"<svg[^>]* viewBox=", text)
    assert "style=" not in text


def test_the_key_stays_the_same_until_it_is_confirmed(person, sign_in):
    client = sign_in()
    confirm(client)

    pages = [client.get("/second-factor/app").content for _ in range(2)]

    assert len({re.search(rb'role="text">([A-Z2-7 ]+)<', page)[1] for page in pages}) == 1


def test_a_code_switches_it_on_and_show_ten_codes_once(offered, person):
    text = switch_on(offered).content.decode()

    codes = re.findall(r"<li>([a-z2-9]{5}-[a-z2-9]{5})</li>", text)
    assert len(set(codes)) == 10
    assert second_factor.is_on(person)
    after = offered.get("/second-factor").content.decode()
    assert "10" in after
    assert not any(code in after for code in codes)


def test_switching_it_on_ends_other_sessions_but_this(person, sign_in):
    other, client = sign_in(), sign_in()

    enroll(client)

    assert client.get("/password").status_code == 200
    assert other.get("/password")["Location"].startswith("/sign-in?")


@pytest.mark.parametrize(
    ("values", "fault"),
    [
        ({"code": "000000"}, "Check that the time on your phone is correct."),
        ({"code": ""}, "This field is required."),
    ],
)
def test_without_the_code_nothing_is_switched_on(offered, person, values, fault):
    answer = switch_on(offered, **values)

    assert fault in answer.content.decode()
    assert not TOTPDevice.objects.exists()


@pytest.mark.parametrize("page", ["/second-factor/app", "/second-factor/passkey"])
def test_nothing_is_added_before_the_password(person, sign_in, page):
    client = sign_in()

    wrong = confirm(client, page, password="wrong")
    answers = [client.get(page), client.post(page, {"code": code_now()})]

    assert "The password is incorrect." in wrong.content.decode()
    for answer in answers:
        assert answer["Location"] == f"/second-factor/confirm?{urlencode({'next': page})}"


def test_one_confirmation_adds_one_factor(offered):
    switch_on(offered)

    assert offered.get("/second-factor/passkey")["Location"].startswith("/second-factor/confirm")


@pytest.fixture
def inside(careful_person, sign_in):
    """Return the client of somebody who signed in with a code."""
    client = sign_in()
    client.post("/sign-in/code", {"code": code_now()})
    return client


def test_password_and_code_switch_it_off(inside, careful_person):
    sent = {"password": PASSWORD, "code": code_now(steps=1), "off": ""}

    answer = inside.post("/second-factor", sent, follow=True)

    assert "with your password only" in answer.content.decode()
    assert not second_factor.is_on(careful_person)


@pytest.mark.parametrize("values", [{"password": "wrong"}, {"code": "000000"}])
def test_without_both_it_stays_on(inside, careful_person, values):
    sent = {"password": PASSWORD, "code": code_now(steps=1), "off": "", **values}

    answer = inside.post("/second-factor", sent)

    assert "is incorrect" in answer.content.decode()
    assert second_factor.is_on(careful_person)


def test_a_wrong_password_uses_up_no_code(inside, careful_person):
    code = code_now(steps=1)
    inside.post("/second-factor", {"password": "wrong", "code": code, "off": ""})

    inside.post("/second-factor", {"password": PASSWORD, "code": code, "off": ""})

    assert not second_factor.is_on(careful_person)


def test_new_recovery_codes_are_shown_once(inside, careful_person):
    sent = {"password": PASSWORD, "code": code_now(steps=1), "codes": ""}

    text = inside.post("/second-factor", sent).content.decode()

    codes = re.findall(r"<li>([a-z2-9]{5}-[a-z2-9]{5})</li>", text)
    assert second_factor.check(careful_person, codes[0])


def test_guessing_ones_password_has_an_end(inside, settings):
    settings.RATE_LIMIT_FACTOR = 1
    sent = {"password": "wrong", "code": "1", "off": ""}

    answers = [inside.post("/second-factor", sent).content.decode() for _ in range(11)]

    assert "The password is incorrect." in answers[9]
    assert "Too many attempts. Try again in 15 minutes." in answers[10]
