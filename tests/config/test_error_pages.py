"""What is answered where no view did."""

import pytest
from django.db import InterfaceError, OperationalError
from django.http import Http404
from django.test import Client, RequestFactory

from config import error_pages
from onboarding.uploads import StorageUnavailable

WRONG_HOST = {"headers": {"Host": "scanner.example", "X-Request-Id": "abcdefgh"}}


class FullDisk(StorageUnavailable):
    """A disk that takes no files."""

    def __init__(self, _text):
        super().__init__()


def code_names(answer):
    return [error["codeName"] for error in answer.json()["errors"]]


@pytest.mark.parametrize("path", ["/service/api", "/service/api/v1/lead", "/service/api/v1/docs"])
def test_a_host_that_is_not_ours_gets_the_error_body_of_the_api(client, path):
    answer = client.get(path, **WRONG_HOST)

    assert answer.status_code == 400
    assert code_names(answer) == ["BAD_REQUEST"]
    assert answer.json()["requestId"] == answer["X-Request-Id"] == "abcdefgh"


@pytest.mark.parametrize("path", ["/admin/", "/service/apis"])
def test_elsewhere_it_gets_a_page(client, path):
    answer = client.get(path, **WRONG_HOST)

    assert answer.status_code == 400
    assert answer["Content-Type"].startswith("text/html")


def test_a_scanner_is_worth_one_line_without_a_traceback(client, caplog):
    with caplog.at_level("INFO", logger="django_structlog"):
        client.get("/service/api/v1/lead", **WRONG_HOST)

    assert [(record.levelname, record.exc_info) for record in caplog.records] == [("WARNING", None)]


def test_what_a_middleware_breaks_has_the_error_body_of_the_api(monkeypatch):
    def fail(_request):
        raise RuntimeError("broken")

    monkeypatch.setattr("config.middleware.client_address", fail)

    answer = Client(raise_request_exception=False).get("/service/api/v1/lead")

    assert answer.status_code == 500
    assert code_names(answer) == ["INTERNAL_ERROR"]


@pytest.mark.parametrize("error", [OperationalError, InterfaceError, FullDisk])
@pytest.mark.parametrize("path", ["/service/api/v1/lead", "/sign-in", "/authorize"])
def test_without_a_database_or_disk_it_is_503_and_says_when_to_come_back(monkeypatch, path, error):
    def fail(_request):
        raise error("password=hunter2")

    monkeypatch.setattr("config.middleware.client_address", fail)

    answer = Client(raise_request_exception=False).get(path)

    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    if path.startswith("/service/"):
        assert code_names(answer) == ["SERVICE_UNAVAILABLE"]
    else:
        assert "not available right now" in answer.content.decode()


@pytest.mark.parametrize(
    ("path", "media_type"), [("/service/api/x", "application/json"), ("/x", "text/html")]
)
def test_a_missing_path_is_answered_in_kind(path, media_type):
    answer = error_pages.not_found(RequestFactory().get(path), Http404())

    assert answer.status_code == 404
    assert answer["Content-Type"].startswith(media_type)
