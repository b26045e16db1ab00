"""Signing in and out."""

from datetime import timedelta
from unittest.mock import patch
from urllib.parse import urlencode

import pytest
from axes.models import AccessAttempt
from django.test import Client
from django.utils import timezone

from tests.mcp_server.oauth.conftest import CALLBACK, make_client


def is_in(client):
    return client.get("/password").status_code == 200


def fail(sign_in, times, **values):
    for _ in range(times):
        client = sign_in(password="wrong", **values)
    return client.answer


@pytest.mark.parametrize("email", ["grace@example.com", " Grace@Example.COM "])
def test_the_right_password_signs_in(person, sign_in, email):
    client = sign_in(email)

    assert client.answer["Location"] == "/account"
    assert is_in(client)


def test_staff_go_to_the_back_office(person, sign_in):
    person.user_type = "STAFF"
    person.save()

    assert sign_in().answer["Location"] == "/admin/"


@pytest.mark.parametrize(
    ("email", "password"), [("grace@example.com", "wrong"), ("nobody@example.com", "wrong")]
)
def test_a_wrong_password_and_a_stranger_read_the_same(person, sign_in, email, password):
    client = sign_in(email, password)

    assert "The email address or password is incorrect." in client.answer.content.decode()
    assert client.answer.status_code == 200
    assert not is_in(client)


def test_whoever_was_deactivated_reads_it_too(person, sign_in):
    person.is_active = False
    person.save()

    assert "is incorrect" in sign_in().answer.content.decode()


@pytest.mark.parametrize("after", ["/authorize?client_id=a&state=b", "/connect"])
def test_one_goes_on_where_one_wanted_to(person, sign_in, after):
    assert sign_in(next=after).answer["Location"] == after


def sign_in_page(**asked):
    """Return the sign-in page on the way to a request for access."""
    after = f"/authorize?{urlencode(asked)}"
    return Client().get("/sign-in", {"next": after}).content.decode()


def test_the_page_says_which_assistant_asks(db):
    client = make_client(name="Helpful", redirect_uris=CALLBACK)

    page = sign_in_page(client_id=client.client_id, redirect_uri=CALLBACK)

    assert "“<bdi>Helpful</bdi>” at" in page
    assert 'class="host">assistant.example.com</span> asks to read your banking data' in page
    assert "Nothing is shared before you choose “Allow”." in page


def test_a_program_on_the_computer_is_named_as_one(db):
    client = make_client(name="Tool", redirect_uris="http://127.0.0.1/cb")

    page = sign_in_page(client_id=client.client_id, redirect_uri="http://127.0.0.1:4711/cb")

    assert "“<bdi>Tool</bdi>”, a program on this computer, asks to read" in page


def test_an_assistant_with_a_document_is_named_by_its_host(db):
    page = sign_in_page(client_id="https://claude.ai/oauth/client.json", redirect_uri="http://x")

    assert "“<bdi>claude.ai</bdi>” at" in page


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"client_id": "nobody"},
        {"client_id": "a\0b"},
        {"client_id": "https://["},
        {"client_id": "helpful", "redirect_uri": "https://evil.example.com/"},
    ],
)
def test_no_client_is_named_that_would_be_refused(db, asked):
    make_client(client_id="helpful", name="Helpful", redirect_uris=CALLBACK)

    assert "asks to read your banking data" not in sign_in_page(**asked)


@pytest.mark.parametrize(
    "after",
    [
        "https://evil.example.com/",
        "//evil.example.com/",
        "/\\evil.example.com",
        "javascript:alert(1)",
        "http:///evil.example.com",
    ],
)
def test_nobody_is_led_elsewhere(person, sign_in, after):
    assert sign_in(next=after).answer["Location"] == "/account"


def test_the_tenth_failure_locks_out_even_the_right_password(person, sign_in):
    assert fail(sign_in, 9).status_code == 200

    tenth, right = fail(sign_in, 1), sign_in()

    assert tenth.status_code == right.answer.status_code == 429
    assert not is_in(right)


@pytest.mark.parametrize("email", ["Grace@example.com", " GRACE@EXAMPLE.COM"])
def test_other_spellings_of_an_address_count_together(person, sign_in, email):
    fail(sign_in, 9)

    assert fail(sign_in, 1, email=email).status_code == 429
    admin = Client().post("/admin/login/", {"username": email, "password": "wrong"})
    assert admin.status_code == 429


def test_the_page_says_until_when_and_how_to_go_on(person, sign_in):
    answer = fail(sign_in, 10)
    text = answer.content.decode()

    until = AccessAttempt.objects.get().attempt_time + timedelta(minutes=15)
    assert f"{until:%H:%M} UTC" in text
    assert "15 minutes" in text
    assert 'href="/password-reset"' in text
    assert 890 <= int(answer["Retry-After"]) <= 900


def test_knocking_on_does_not_make_it_longer(person, sign_in):
    fail(sign_in, 10)
    before = AccessAttempt.objects.get().attempt_time

    fail(sign_in, 3)

    assert AccessAttempt.objects.get().attempt_time == before


def test_it_ends_after_fifteen_minutes(person, sign_in):
    fail(sign_in, 10)
    past = timezone.now() - timedelta(minutes=15, seconds=1)
    AccessAttempt.objects.update(attempt_time=past)

    assert is_in(sign_in())


def test_others_and_other_places_are_not_locked_out(person, sign_in, make_user):
    other = make_user(email="ada@example.com")
    other.set_password("copper-otter-9-lamp")
    other.save()
    fail(sign_in, 10)

    assert is_in(sign_in("ada@example.com"))
    assert is_in(sign_in(client=Client(REMOTE_ADDR="192.0.2.9")))


@pytest.mark.parametrize(
    ("path", "addresses"),
    [
        ("/sign-in", ["192.0.2.9"] * 3),
        ("/admin/login/", ["192.0.2.9"] * 3),
        ("/sign-in", ["2001:db8::1", "2001:db8::2", "2001:db8::3"]),
    ],
)
def test_an_address_tries_passwords_so_often_a_minute(person, settings, path, addresses):
    settings.RATE_LIMIT_FACTOR, settings.SIGN_INS_PER_MINUTE = 1, 2

    def attempt(address, password):
        sent = {"username": person.email, "password": password}
        return Client(REMOTE_ADDR=address).post(path, sent)

    for number, address in enumerate(addresses[:2]):
        other = {"username": f"nobody{number}@example.com", "password": "wrong"}
        assert Client(REMOTE_ADDR=address).post(path, other).status_code == 200
    with patch.object(type(person), "check_password") as check_password:
        refused = attempt(addresses[2], "copper-otter-9-lamp")

    assert refused.status_code == 429
    assert "too many sign-in attempts from your network" in refused.content.decode()
    assert 0 < int(refused["Retry-After"]) <= 60
    check_password.assert_not_called()
    assert not AccessAttempt.objects.filter(username=person.email).exists()
    assert attempt("198.51.100.7", "wrong").status_code == 200


def test_a_network_is_locked_out_from_an_account(person, sign_in, settings):
    settings.AXES_FAILURE_LIMIT = 2
    clients = [Client(REMOTE_ADDR=f"2001:db8::{number}") for number in (1, 2, 3)]

    answers = [sign_in(password="wrong", client=client).answer for client in clients]

    assert [answer.status_code for answer in answers] == [200, 429, 429]
    assert is_in(sign_in(client=Client(REMOTE_ADDR="2001:db8:0:1::1")))


def test_signing_in_forgets_the_failures_before(person, sign_in):
    fail(sign_in, 9)
    sign_in()

    assert fail(sign_in, 9).status_code == 200


def test_signing_in_needs_the_form_token(person):
    client = Client(enforce_csrf_checks=True)

    answer = client.post("/sign-in", {"username": person.email, "password": "copper-otter-9-lamp"})

    assert answer.status_code == 403
    assert "This form has expired" in answer.content.decode()


def test_no_other_site_can_frame_the_page(client, db):
    page = client.get("/sign-in")

    assert page["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in page["Content-Security-Policy"]


def test_signing_out_ends_the_session(person, sign_in):
    client = sign_in()

    answer = client.post("/sign-out")

    assert answer["Location"] == "/sign-in"
    assert not is_in(client)


def test_somebody_else_signs_in_for_the_same_request(person, sign_in):
    after = "/authorize?client_id=a"

    answer = sign_in().post("/sign-out", {"next": after})

    assert answer["Location"] == after


def test_a_link_signs_nobody_out(person, sign_in):
    client = sign_in()

    assert client.get("/sign-out").status_code == 405
    assert is_in(client)


def test_the_page_is_not_kept_by_caches(client, db):
    assert "no-store" in client.get("/sign-in")["Cache-Control"]
