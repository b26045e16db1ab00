"""What every answer carries, and API paths with and without their slash."""

import uuid

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from config.middleware import ApiPathMiddleware, RequestIdMiddleware


@pytest.mark.parametrize("sent", ["abcdefgh", "0193f2a4-5b6c-7d8e-9f01-234567890123", "a" * 128])
def test_a_valid_request_id_is_echoed(client, sent):
    answer = client.get("/healthz", headers={"X-Request-Id": sent})

    assert answer["X-Request-Id"] == sent


@pytest.mark.parametrize("sent", ["", "short", "a" * 129, "with space", "semi;colon", "ünïcode-id"])
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


def test_the_view_sees_the_id_that_the_answer_carries():
    seen = []

    def view(request):
        seen.append(request.META["HTTP_X_REQUEST_ID"])
        return HttpResponse()

    answer = RequestIdMiddleware(view)(RequestFactory().get("/"))

    assert seen == [answer["X-Request-Id"]]
