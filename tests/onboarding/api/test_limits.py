"""Limits: every answer tells what is left, and who did too much is told when to come again."""

from datetime import timedelta
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils import timezone

from banking.models import RateWindow
from onboarding.services.partners import api_keys
from tests.onboarding.conftest import PartnerApi, codes

pytestmark = pytest.mark.usefixtures("limits_on")

HEADERS = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")


@pytest.fixture
def spend(api):
    """Have the key's windows hold so many events already."""

    def spend(*, calls=0, creates=0, of=api):
        end = timezone.now() + timedelta(seconds=40)
        for kind, count in {"calls": calls, "creates": creates}.items():
            RateWindow.objects.create(
                subject=f"{kind}:{of.key.access_key}", count=count, expires_at=end
            )

    return spend


@pytest.fixture
def stranger(db):
    """Call without an access key of ours, from the address given."""

    def call(authorization=None, *, address="192.0.2.1", **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"Accept": "application/json", **named}
        if authorization:
            sent["Authorization"] = authorization
        return Client().get("/service/api/v1/lead", headers=sent, REMOTE_ADDR=address)

    return call


def left(response):
    """Return the limit that is shown, and what is left of it."""
    assert 1 <= int(response["RateLimit-Reset"]) <= 60
    return int(response["RateLimit-Limit"]), int(response["RateLimit-Remaining"])


def test_each_call_counts_against_the_key(api):
    assert [left(api.get("lead")) for _ in range(3)] == [(120, 119), (120, 118), (120, 117)]


def test_a_create_shows_the_tighter_limit(api, spend):
    assert left(api.put("lead", {"email": "ada@example.com"})) == (60, 59)

    RateWindow.objects.all().delete()
    spend(calls=100, creates=2)

    assert left(api.put("lead", {"email": "ada@example.com"})) == (120, 19)


def test_a_preview_is_a_create(api):
    assert left(api.put("lead?validateOnly=true", {"email": "ada@example.com"})) == (60, 59)


def test_production_allows_more(api, settings):
    settings.CALLS_PER_MINUTE, settings.CREATES_PER_MINUTE = 600, 120

    assert left(api.get("lead")) == (600, 599)
    assert left(api.put("lead", {"email": "ada@example.com"})) == (120, 119)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("PUT", "lead", {"email": "nobody"}, 400),
        ("PUT", "lead", b"{", 400),
        ("PUT", "lead", b"[" * 300_000, 413),
        ("GET", "lead/1", None, 404),
        ("POST", "lead/00000000-0000-0000-0000-000000000000", {"email": "a@example.com"}, 404),
        ("DELETE", "lead", None, 405),
        ("PATCH", "lead", None, 405),
        ("GET", "lead?status=MAYBE", None, 400),
        ("GET", "lead?hat=1", None, 400),
        ("GET", "lead", None, 200),
        ("HEAD", "lead", None, 200),
        ("GET", "meta/errors", None, 200),
    ],
)
def test_every_answer_tells_what_is_left(api, method, path, body, status):
    response = api.call(method, path, body)

    assert response.status_code == status
    assert left(response)[1] in {119, 59}


def test_an_error_of_ours_tells_what_is_left(api, monkeypatch):
    monkeypatch.setattr("onboarding.api.paging.take_page", None)

    response = api.get("lead")

    assert response.status_code == 500
    assert left(response) == (120, 119)


def test_what_is_not_permitted_counts(api, make_api_key):
    reader = PartnerApi(make_api_key(api.partner, permissions=["lead:read"]))

    responses = [reader.put("lead", {"email": "ada@example.com"}) for _ in range(2)]

    assert [response.status_code for response in responses] == [403, 403]
    assert [left(response) for response in responses] == [(60, 59), (60, 58)]


def test_the_last_call_of_the_minute_is_answered_and_the_next_is_not(api, spend):
    spend(calls=119)

    last, next_one = api.get("lead"), api.get("lead")

    assert (last.status_code, left(last)) == (200, (120, 0))
    assert (next_one.status_code, left(next_one)) == (429, (120, 0))
    assert codes(next_one) == {None: "RATE_LIMITED"}
    assert next_one["Retry-After"] == next_one["RateLimit-Reset"] == "40"
    assert next_one.json()["errors"][0]["message"].endswith("retry after 40 seconds.")


def test_who_created_too_much_may_still_read(api, spend):
    spend(creates=60)

    refused = api.put("lead", {"email": "ada@example.com"})

    assert (refused.status_code, left(refused)) == (429, (60, 0))
    assert api.get("lead").status_code == 200


def test_the_refusal_of_a_lead_operation_is_xml(api, spend):
    spend(creates=60)

    response = api.put("lead", {"email": "ada@example.com"}, Accept="*/*")

    assert response.status_code == 429
    assert response["Content-Type"].startswith("application/xml")
    root = ElementTree.fromstring(response.content)
    assert root.findtext("httpStatus") == "429"
    assert root.findtext("errors/codeName") == "RATE_LIMITED"
    assert response["Retry-After"] == "40"


def test_a_new_minute_starts_anew(api, spend):
    spend(calls=500)
    RateWindow.objects.update(expires_at=timezone.now())

    assert left(api.get("lead")) == (120, 119)


def test_keys_do_not_share_a_window(api, make_api_key):
    api.get("lead")

    assert left(PartnerApi(make_api_key(api.partner)).get("lead")) == (120, 119)


def test_without_limits_there_are_no_headers(api, settings):
    settings.RATE_LIMIT_FACTOR = 0

    response = api.get("lead")

    assert not [name for name in HEADERS if name in response]


def test_the_eleventh_failed_authentication_of_an_address_is_refused(stranger):
    wrong = [stranger(f"Vestibule ak_sb_{number}:sk_sb_x") for number in range(11)]

    assert [response.status_code for response in wrong] == [401] * 10 + [429]
    assert [left(response) for response in wrong] == [
        *((10, remaining) for remaining in range(9, -1, -1)), (10, 0),
    ]  # fmt: skip
    assert 55 <= int(wrong[-1]["Retry-After"]) <= 60
    assert codes(wrong[-1]) == {None: "RATE_LIMITED"}


def test_a_held_address_is_refused_even_with_the_right_key(api, stranger):
    for number in range(10):
        stranger(f"Vestibule ak_sb_{number}:sk_sb_x")

    held = stranger(api.authorization)
    elsewhere = stranger(api.authorization, address="192.0.2.2")

    assert (held.status_code, elsewhere.status_code) == (429, 200)
    assert held["Retry-After"] == held["RateLimit-Reset"]


def test_whoever_knows_a_key_cannot_lock_its_partner_out(api, stranger):
    for number in range(20):
        stranger(f"Vestibule {api.key.access_key}:sk_sb_x", address=f"192.0.2.{number + 10}")

    assert api.get("lead").status_code == 200


def test_guesses_at_one_key_are_refused_from_anywhere(api, stranger):
    guesses = [
        stranger(f"Vestibule {api.key.access_key}:sk_sb_x", address=f"192.0.2.{number + 10}")
        for number in range(11)
    ]

    assert [response.status_code for response in guesses] == [401] * 10 + [429]


def test_calls_without_a_key_count_by_address_and_hold_nobody(api, stranger):
    without = [stranger() for _ in range(12)]
    right = stranger(api.authorization)

    assert {response.status_code for response in without} == {401}
    assert [left(response) for response in without[:2]] == [(120, 119), (120, 118)]
    assert right.status_code == 200


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ({"lifetime": timedelta(days=-1)}, 401, "CREDENTIALS_EXPIRED"),
        ({"networks": ["198.51.100.0/24"]}, 403, "IP_NOT_ALLOWED"),
    ],
)
def test_a_key_that_cannot_be_used_is_told_what_is_left(make_api_key, fault, status, code):
    response = PartnerApi(make_api_key(**fault)).get("lead")

    assert response.status_code == status
    assert codes(response) == {None: code}
    assert left(response) == (120, 119)


def test_a_key_of_the_other_environment_is_told_what_is_left(stranger):
    response = stranger("Vestibule ak_live_1:sk_live_1")

    assert codes(response) == {None: "WRONG_ENVIRONMENT"}
    assert left(response) == (120, 119)


def test_a_path_that_leads_nowhere_counts_by_address(db, settings):
    settings.CALLS_PER_MINUTE = 2

    responses = [Client().get("/service/api/nowhere") for _ in range(3)]

    assert [response.status_code for response in responses] == [404, 404, 429]
    assert [left(response) for response in responses] == [(2, 1), (2, 0), (2, 0)]


def test_too_many_calls_without_a_key_are_refused(stranger, settings):
    settings.CALLS_PER_MINUTE = 2

    assert [stranger().status_code for _ in range(3)] == [401, 401, 429]


def test_a_forged_forwarded_address_is_ignored(stranger):
    wrong = [
        stranger(f"Vestibule ak_sb_{number}:sk_sb_x", X_Forwarded_For=f"198.51.100.{number}")
        for number in range(11)
    ]

    assert wrong[-1].status_code == 429


@pytest.mark.parametrize("forged", ["", "203.0.113.{0}, ", "203.0.113.{0}, 203.0.113.1{0},"])
def test_behind_a_proxy_of_ours_the_address_that_it_saw_counts(stranger, settings, forged):
    settings.TRUSTED_PROXIES = 1

    def guess(number, address):
        header = forged.format(number) + address
        return stranger(f"Vestibule ak_sb_{number}:sk_sb_x", X_Forwarded_For=header).status_code

    assert [guess(number, "198.51.100.1") for number in range(11)][-2:] == [401, 429]
    assert guess(11, "198.51.100.2") == 401


def test_behind_two_proxies_of_ours_the_outer_one_tells(stranger, settings):
    settings.TRUSTED_PROXIES = 2

    def guess(number, seen):
        header = f"203.0.113.{number}, {seen}, 10.0.0.1"
        return stranger(f"Vestibule ak_sb_{number}:sk_sb_x", X_Forwarded_For=header).status_code

    assert [guess(number, "198.51.100.1") for number in range(11)][-2:] == [401, 429]
    assert guess(11, "198.51.100.2") == 401


def test_the_networks_of_a_key_are_those_the_proxy_saw(make_api_key, stranger, settings):
    issued = make_api_key(networks=["198.51.100.0/24"])
    authorization = PartnerApi(issued).authorization

    assert stranger(authorization, X_Forwarded_For="198.51.100.1").status_code == 403
    settings.TRUSTED_PROXIES = 1
    assert stranger(authorization, X_Forwarded_For="198.51.100.1").status_code == 200
    assert stranger(authorization, X_Forwarded_For="198.51.100.1, 192.0.2.9").status_code == 403


def test_callers_at_once_are_counted_together(in_threads, settings):
    settings.RATE_LIMIT_FACTOR = 1
    settings.CALLS_PER_MINUTE = 5
    issued = api_keys.issue_api_key(api_keys.create_partner(name="P"), at=timezone.now())

    responses = in_threads(lambda _: PartnerApi(issued).get("lead"), range(12))

    statuses = sorted(response.status_code for response in responses)
    assert statuses == [200] * 5 + [429] * 7
    assert sorted(left(response)[1] for response in responses) == [0] * 8 + [1, 2, 3, 4]


def test_failures_at_once_are_counted_together(in_threads, db):
    def guess(number):
        return Client().get(
            "/service/api/v1/lead", headers={"Authorization": f"Vestibule ak_sb_{number}:sk_sb_x"}
        )

    responses = in_threads(guess, range(16))

    statuses = sorted(response.status_code for response in responses)
    assert statuses == [401] * 10 + [429] * 6


def test_ten_failures_of_a_network_hold_all_of_it(stranger):
    answers = [
        stranger(f"Vestibule ak_sb_{number}:wrong", address=f"2001:db8::{number}")
        for number in range(1, 12)
    ]
    elsewhere = stranger("Vestibule ak_sb_12:wrong", address="2001:db8:0:1::1")

    assert [answer.status_code for answer in answers[-2:]] == [401, 429]
    assert elsewhere.status_code == 401


def test_calls_without_a_key_are_counted_by_network(db, settings):
    settings.CALLS_PER_MINUTE = 2
    addresses = ["2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1"]

    answers = [
        Client(REMOTE_ADDR=address).get("/service/api/v1/meta/errors") for address in addresses
    ]

    assert [answer.status_code == 429 for answer in answers] == [False, False, True, False]
