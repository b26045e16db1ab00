"""What every answer carries, whom a call is from, and API paths with and without their slash."""

import io
import uuid

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from config.middleware import (
    UNREAD_MAX_BYTES,
    ApiPathMiddleware,
    ClientAddressMiddleware,
    RequestIdMiddleware,
    WholeBodyMiddleware,
)


@pytest.mark.parametrize("sent", ["abcdefgh", "0193f2a4-5b6c-7d8e-9f01-234567890123", "a" * 128])
def test_a_valid_request_id_is_echoed(client, sent):
    answer = client.get("/healthz", headers={"X-Request-Id": sent})

    assert answer["X-Request-Id"] == sent


@pytest.mark.parametrize("sent", ["", "a" * 129, "with space", "semi;colon", "ünïcode-id"])
def test_another_request_id_is_replaced(client, sent):
    answer = client.get("/healthz", headers={"X-Request-Id": sent})

    assert answer["X-Request-Id"] != sent
    assert uuid.UUID(answer["X-Request-Id"])


def test_requests_without_an_id_get_different_ones(client):
    first, second = client.get("/healthz"), client.get("/healthz")

    assert first["X-Request-Id"] != second["X-Request-Id"]


@pytest.mark.parametrize("path", ["/healthz", "/nowhere", "/service/api/v1/nowhere"])
def test_every_answer_names_the_version_of_the_api(client, path):
    assert client.get(path)["API-Version"] == "2.0.0"


@pytest.mark.parametrize(
    ("sent", "seen"),
    [
        ("/service/api/v1/lead", "/service/api/v1/lead"),
        ("/service/api/v1/lead/", "/service/api/v1/lead"),
        ("/service/api/v1/lead/?page=/", "/service/api/v1/lead"),
        ("/admin/", "/admin/"),
    ],
)
def test_only_api_paths_lose_their_slash(sent, seen):
    paths = []

    def view(request):
        paths.extend([request.path, request.path_info])
        return HttpResponse()

    ApiPathMiddleware(view)(RequestFactory().get(sent))

    assert paths == [seen, seen]


@pytest.fixture
def address_seen(settings):
    """Return the `REMOTE_ADDR` that a view sees behind so many proxies of ours."""

    def see(*, proxies, forwarded=None, remote="192.0.2.9"):
        settings.TRUSTED_PROXIES = proxies
        seen = []

        def view(request):
            seen.append(request.META["REMOTE_ADDR"])
            return HttpResponse()

        headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
        request = RequestFactory().get("/", headers=headers, REMOTE_ADDR=remote)
        ClientAddressMiddleware(view)(request)
        return seen[0]

    return see


@pytest.mark.parametrize("forwarded", [None, "", "8.8.8.8", "8.8.8.8, 198.51.100.1", "::1"])
def test_without_a_proxy_of_ours_a_forwarded_address_changes_nothing(address_seen, forwarded):
    assert address_seen(proxies=0, forwarded=forwarded) == "192.0.2.9"
    assert address_seen(proxies=0, forwarded=forwarded, remote="") == "0.0.0.0"


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (1, "198.51.100.1", "198.51.100.1"),
        (1, "8.8.8.8, 198.51.100.1", "198.51.100.1"),
        (1, "8.8.8.8, 2001:db8::7", "2001:db8::7"),
        (2, "8.8.8.8, 198.51.100.1, 203.0.113.7", "198.51.100.1"),
        (2, "198.51.100.1", "198.51.100.1"),
        (1, "unknown", "192.0.2.9"),
        (1, None, "192.0.2.9"),
    ],
)
def test_the_address_is_what_the_outermost_proxy_of_ours_saw(
    address_seen, proxies, forwarded, address
):
    assert address_seen(proxies=proxies, forwarded=forwarded) == address


def test_a_proxy_on_a_unix_socket_tells_the_address(address_seen):
    assert address_seen(proxies=1, forwarded="198.51.100.1", remote="") == "198.51.100.1"
    assert address_seen(proxies=1, remote="") == "0.0.0.0"


@pytest.fixture
def logged(client, caplog):
    """Return the answer to a request, and what its log line told."""

    def get(path, **options):
        with caplog.at_level("INFO", logger="django_structlog"):
            answer = client.get(path, **options)
        return answer, caplog.records[-1].msg

    return get


@pytest.mark.parametrize("headers", [{}, {"X-Request-Id": "abcdefgh"}, {"X-Request-Id": "a b"}])
def test_the_log_names_the_request_as_the_answer_does(logged, headers):
    answer, line = logged("/nowhere", headers=headers)

    assert line["event"] == "request_finished"
    assert line["request_id"] == answer["X-Request-Id"]


@pytest.mark.parametrize(
    ("proxies", "address"), [(0, "192.0.2.9"), (1, "203.0.113.7"), (2, "198.51.100.1")]
)
def test_the_log_believes_our_own_proxies_only(logged, settings, proxies, address):
    settings.TRUSTED_PROXIES = proxies
    forwarded = {"X-Forwarded-For": "8.8.8.8, 198.51.100.1, 203.0.113.7"}

    _, line = logged("/nowhere", headers=forwarded, REMOTE_ADDR="192.0.2.9")

    assert line["ip"] == address


def test_the_view_sees_the_id_that_the_answer_carries():
    seen = []

    def view(request):
        seen.append(request.META["HTTP_X_REQUEST_ID"])
        return HttpResponse()

    answer = RequestIdMiddleware(view)(RequestFactory().get("/"))

    assert seen == [answer["X-Request-Id"]]


@pytest.mark.parametrize(
    ("length", "left"), [(0, 0), (1, 0), (UNREAD_MAX_BYTES, 0), (UNREAD_MAX_BYTES + 1, None)]
)
def test_what_a_view_left_of_a_body_is_read(length, left):
    request = RequestFactory().generic("POST", "/", b"x" * length)

    WholeBodyMiddleware(lambda _request: HttpResponse())(request)

    assert len(request.read()) == (length if left is None else left)


def test_a_caller_that_left_in_its_body_is_no_fault():
    request = RequestFactory().generic("POST", "/", b"{}", **{"wsgi.input": Gone()})

    answer = WholeBodyMiddleware(lambda _request: HttpResponse(status=401))(request)

    assert answer.status_code == 401


class Gone(io.BytesIO):
    def read(self, *_sizes):
        raise ConnectionResetError

    readline = read
