"""A connection that was answered before its body had come can be used again."""

import time
from http.client import HTTPConnection

import pytest

from tests.e2e.serving import TIMEOUT_SECONDS, served

pytestmark = pytest.mark.one_database
LATE = 0.1  # seconds


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("served")) as server:
        yield server


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("POST", "/mcp", 401), ("PUT", "/service/api/v1/lead", 401), ("POST", "/nowhere", 404)],
)
def test_a_late_body_costs_nobody_the_connection(server, method, path, status):
    connection = HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT_SECONDS)
    connection.auto_open = 0  # only the first connection is ours to use
    connection.connect()

    seen = [ask_and_send_late(connection, method, path) for _ in range(3)]

    connection.close()
    assert seen == [status] * 3


def ask_and_send_late(connection, method, path):
    connection.putrequest(method, path)
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", "2")
    connection.endheaders()
    time.sleep(LATE)
    connection.send(b"{}")
    response = connection.getresponse()
    response.read()
    return response.status
