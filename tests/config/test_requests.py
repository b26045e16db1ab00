"""The metrics and the log line of each request."""

import logging

import pytest
from django.test import Client
from prometheus_client import CollectorRegistry

from foundation.metrics import instruments

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def counted():
    """Return a function that reads a metric."""
    registry = CollectorRegistry()
    instruments.start(registry)
    yield lambda name, **labels: registry.get_sample_value(f"vestibule_{name}", labels)
    instruments.stop()


@pytest.fixture
def lines(caplog):
    """Return a function that returns the log lines of requests as dicts."""
    caplog.set_level(logging.INFO)
    return lambda: [
        record.msg
        for record in caplog.records
        if isinstance(record.msg, dict) and record.msg.get("event", "").startswith("request_f")
    ]


def test_a_request_is_counted_by_its_route_and_never_by_its_path(client, counted):
    client.get("/service/api/v1/lead/6e9ae8a4-0b1b-4fb1-8f2f-0f7a6a4d2c11")

    route = "/service/api/v1/lead/<str:customer_id>"
    found = {"route": route, "method": "GET"}
    assert counted("http_requests_total", status="401", **found) == 1
    assert counted("http_request_duration_seconds_count", **found) == 1


def test_unknown_paths_and_made_up_methods_share_one_label(client, counted):
    client.get("/nothing/123-45-6789")
    client.generic("BREW", "/healthz")

    assert counted("http_requests_total", route="none", method="GET", status="404") == 1
    assert counted("http_requests_total", route="/healthz", method="other", status="200") == 1


def test_the_line_of_a_request_has_duration_size_route_instance_and_version(
    client, lines, settings
):
    response = client.get("/service/api/v1/lead/6e9ae8a4-0b1b-4fb1-8f2f-0f7a6a4d2c11")

    [line] = lines()
    assert line["size"] == len(response.content)
    assert line["duration_ms"] > 0
    assert line["route"] == "/service/api/v1/lead/<str:customer_id>"
    assert line["instance"].startswith(f"{settings.INSTANCE}:")
    assert line["version"] == settings.VERSION


def test_an_exception_is_counted_as_500_and_its_line_has_the_route(counted, lines, monkeypatch):
    def fail(*_):
        raise RuntimeError

    monkeypatch.setattr("config.health._faults", fail)

    Client(raise_request_exception=False).get("/readyz")

    assert counted("http_requests_total", route="/readyz", method="GET", status="500") == 1
    assert lines()[0]["route"] == "/readyz"
