"""Staff and the second factor that they must have."""

from urllib.parse import urlencode

import pytest
from django.test import Client
from django_otp.plugins.otp_totp.models import TOTPDevice

from mcp_server.services import second_factor
from tests.mcp_server.pages.conftest import KEY, PASSWORD, code_now, enroll

PAGES = ["/admin/", "/admin/banking/user/", "/admin/jsi18n/", "/password", "/connected-assistants"]


@pytest.fixture(autouse=True)
def _required(settings):
    settings.STAFF_SECOND_FACTOR = True


@pytest.mark.parametrize("path", PAGES)
def test_nothing_opens_before_it_is_set_up(member, sign_in, path):
    assert sign_in().get(path)["Location"] == f"/second-factor?{urlencode({'next': path})}"


def test_nor_after_the_back_offices_own_sign_in(member):
    client = Client()
    client.post("/admin/login/", {"username": member.email, "password": PASSWORD})

    assert client.get("/admin/")["Location"] == "/second-factor?next=%2Fadmin%2F"


def test_nothing_is_changed_before_either(member, sign_in):
    answer = sign_in().post(f"/admin/banking/user/{member.pk}/change/", {"email": "a@example.com"})

    member.refresh_from_db()
    assert answer["Location"] == "/second-factor"
    assert member.email == "grace@example.com"


def test_the_page_says_why_and_the_first_code_opens_everything(member, sign_in):
    client = sign_in()
    page = client.get("/second-factor").content.decode()

    codes = enroll(client)

    assert "Set it up to continue." in page
    assert 'href="/admin/"' in codes
    assert client.get("/admin/").status_code == 200


def test_staff_cannot_switch_it_off(member, sign_in):
    client = sign_in()
    enroll(client)

    page = client.get("/second-factor").content.decode()
    sent = {"password": PASSWORD, "code": code_now(steps=1), "off": ""}
    answer = client.post("/second-factor", sent, follow=True)

    assert "Turn off" not in page
    assert "Staff cannot turn off two-step verification" in answer.content.decode()
    assert second_factor.is_on(member)


def test_whoever_has_one_gives_its_code(member, sign_in):
    TOTPDevice.objects.create(user=member, key=KEY, confirmed=True)
    client = sign_in()

    before = client.get("/admin/")
    client.post("/sign-in/code", {"code": code_now()})

    assert before["Location"] == "/sign-in/code?next=%2Fadmin%2F"
    assert client.get("/admin/").status_code == 200


def test_a_session_whose_second_factor_was_reset_leads_to_a_new_one(member, sign_in):
    TOTPDevice.objects.create(user=member, key=KEY, confirmed=True)
    client = sign_in()
    client.post("/sign-in/code", {"code": code_now()})

    second_factor.switch_off(member)

    assert client.get("/admin/")["Location"] == "/second-factor?next=%2Fadmin%2F"


def test_customers_choose(person, sign_in):
    assert sign_in().get("/password").status_code == 200


@pytest.mark.parametrize("path", ["/sign-out", "/password-reset", "/healthz"])
def test_the_way_out_stays_open(member, sign_in, path):
    answer = sign_in().post(path) if path == "/sign-out" else sign_in().get(path)

    assert answer.headers.get("Location", "") in {"", "/sign-in"}


def test_ten_wrong_passwords_at_the_back_offices_sign_in_lock_out_too(member):
    client = Client()
    for _ in range(10):
        wrong = client.post("/admin/login/", {"username": member.email, "password": "wrong"})

    right = client.post("/admin/login/", {"username": member.email, "password": PASSWORD})

    assert wrong.status_code == right.status_code == 429
    assert "_auth_user_id" not in client.session
