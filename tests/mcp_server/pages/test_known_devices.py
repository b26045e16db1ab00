"""Known devices: who guesses is delayed whatever the address, and the owner is not."""

import re
from unittest.mock import patch

import pytest
from django.core import mail
from django.test import Client
from django_otp.plugins.otp_totp.models import TOTPDevice

from banking.models import RateWindow
from mcp_server.pages import known_devices
from mcp_server.services import sign_in_attempts
from tests.mailing import send_queued
from tests.mcp_server.pages.conftest import PASSWORD, code_now

pytestmark = pytest.mark.usefixtures("limits_on")

PATHS = ["/sign-in", "/admin/login/?next=/admin/"]


@pytest.fixture
def member(person):
    person.user_type = "STAFF"
    person.save()
    return person


def attempt(path="/sign-in", password="wrong", *, number=0, client=None, email="grace@example.com"):
    client = client or Client()
    address = f"198.51.{number // 250}.{number % 250 + 1}"
    return client.post(path, {"username": email, "password": password}, REMOTE_ADDR=address)


def guess(path="/sign-in", **values):
    """Guess a password from 21 addresses, and return the last answer."""
    return [attempt(path, number=n, **values) for n in range(sign_in_attempts.FREE_FAILURES + 2)][
        -1
    ]


def said(answer):
    """Return the content of a page without its form tokens and times."""
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"|\d+', "", answer.content.decode())


@pytest.mark.parametrize("path", PATHS)
def test_guesses_from_many_addresses_are_refused(member, path):
    answers = [attempt(path, number=n) for n in range(sign_in_attempts.FREE_FAILURES + 2)]

    assert [answer.status_code for answer in answers[-2:]] == [200, 429]
    assert 0 < int(answers[-1]["Retry-After"]) <= 60
    with patch.object(type(member), "check_password") as check_password:
        assert attempt(path, PASSWORD, number=100).status_code == 429
    check_password.assert_not_called()


def test_an_account_that_does_not_exist_is_refused_with_the_same_page(person):
    known, unknown = guess(), guess(email="nobody@example.com")

    assert known.status_code == unknown.status_code == 429
    assert "too many incorrect passwords for this email address" in known.content.decode()
    assert said(known) == said(unknown)


@pytest.mark.parametrize("path", PATHS)
def test_the_owner_signs_in_on_a_known_device_meanwhile(member, path):
    device = Client()
    attempt(path, PASSWORD, client=device)
    device.post("/sign-out")
    guess(path)

    assert attempt(path, PASSWORD, number=100).status_code == 429
    assert attempt(path, PASSWORD, client=device, number=101).status_code == 302
    assert attempt(path, PASSWORD, number=102).status_code == 429


@pytest.mark.parametrize("path", PATHS)
def test_guesses_from_the_same_network_do_not_lock_the_owner_out_on_a_known_device(member, path):
    device = Client()
    attempt(path, PASSWORD, client=device)
    device.post("/sign-out")
    guesses = [attempt(path).status_code for _ in range(12)]

    assert guesses[-1] == attempt(path, PASSWORD).status_code == 429
    assert attempt(path, PASSWORD, client=device).status_code == 302


def test_guesses_on_a_known_device_are_counted_all_the_same(person):
    device = Client()
    attempt(password=PASSWORD, client=device)
    device.post("/sign-out")
    for number in range(sign_in_attempts.FREE_FAILURES + 1):
        attempt(number=number, client=device)

    assert attempt(password=PASSWORD, client=device, number=100).status_code == 429


def test_the_cookie_is_of_one_account_and_cannot_be_made_up(person, make_user):
    ada = make_user(email="ada@example.com")
    ada.set_password(PASSWORD)
    ada.save()
    device = Client()
    attempt(password=PASSWORD, client=device, email="ada@example.com")
    name, cookie = next((n, c) for n, c in device.cookies.items() if n.startswith("device_"))
    forged = Client()
    forged.cookies[known_devices._name("grace@example.com")] = cookie.value  # noqa: SLF001 - forged
    guess()

    assert attempt(password=PASSWORD, client=device, number=100).status_code == 429
    assert attempt(password=PASSWORD, client=forged, number=101).status_code == 429
    assert "ada@" not in name + cookie.value


def test_the_cookie_is_not_for_scripts_and_lasts_a_year(person):
    answer = attempt(password=PASSWORD)

    cookie = next(c for n, c in answer.cookies.items() if n.startswith("device_"))
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Lax", "/")
    assert cookie["max-age"] == 365 * 24 * 3600


def test_a_failed_sign_in_makes_no_device_known(person):
    assert not [name for name in attempt().cookies if name.startswith("device_")]


def test_a_success_forgets_the_failures_of_its_own_browsers(person):
    for number in range(sign_in_attempts.FREE_FAILURES - 1):
        attempt(number=number)

    assert attempt(password=PASSWORD, number=100).status_code == 302
    assert attempt(number=101).status_code == 200
    assert attempt(password=PASSWORD, number=102).status_code == 302


def test_a_right_password_without_the_code_is_no_sign_in(careful_person, sign_in):
    thief = sign_in()

    assert not [name for name in thief.cookies if name.startswith("device_")]
    thief.post("/sign-in/code", {"code": code_now()})
    assert [name for name in thief.cookies if name.startswith("device_")]


def test_a_right_password_without_the_code_keeps_the_count_of_failures(careful_person, sign_in):
    sign_in(password="wrong")

    client = sign_in()
    before = RateWindow.objects.filter(subject__startswith="sign-in-failures").count()
    client.post("/sign-in/code", {"code": code_now()})

    assert before == 2
    assert not RateWindow.objects.filter(subject__startswith="sign-in-failures").exists()


def test_wrong_codes_count_towards_the_mails_about_failures(careful_person, sign_in):
    client = sign_in()

    for _ in range(5):
        TOTPDevice.objects.update(throttling_failure_timestamp=None, throttling_failure_count=0)
        client.post("/sign-in/code", {"code": "000000"})

    send_queued()
    message = mail.outbox[-1]
    assert "a wrong password or a wrong code was entered 5 times" in message.body
