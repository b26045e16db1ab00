"""The record feed over the real server: bodies in chunks, and bodies that break off."""

import json
import re
import socket
from contextlib import closing
from http.client import HTTPConnection

import pytest

from tests.banking.feed.conftest import BUSINESS
from tests.e2e.serving import served

PATH = "/service/bank/v1/records:batch"
LINES = 1500


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with served(tmp_path_factory.mktemp("feed")) as server:
        yield server


@pytest.fixture(scope="module")
def head(server):
    printed = server.manage("issue_bank_key", "--scope", "*:write", "*:read")
    key, secret = re.search(r"bk_[\w-]+", printed)[0], re.search(r"sk_[\w-]+", printed)[0]
    return {
        "Authorization": f"Vestibule {key}:{secret}",
        "Content-Type": "application/x-ndjson",
    }


def lines(prefix, count):
    for number in range(count):
        line = {"kind": "businesses", "externalId": f"{prefix}-{number}", "version": 1}
        yield json.dumps(line | {"data": BUSINESS}).encode() + b"\n"


def send(server, head, path, body):
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=120)) as connection:
        connection.request("POST", path, body, head)
        response = connection.getresponse()
        return response.status, response.read()


def is_stored(server, head, name):
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=120)) as connection:
        connection.request("GET", f"/service/bank/v1/businesses/{name}", headers=head)
        return connection.getresponse().status == 200


def test_a_batch_may_come_in_chunks(server, head):
    status, content = send(server, head, PATH, lines("C", LINES))

    results = [json.loads(line)["result"] for line in content.splitlines()]
    assert (status, results) == (200, ["created"] * LINES)


def test_an_atomic_batch_in_chunks_is_refused(server, head):
    status, content = send(server, head, f"{PATH}?atomic=true", lines("A", 2))

    assert (status, json.loads(content)["errors"][0]["codeName"]) == (411, "LENGTH_REQUIRED")
    assert not is_stored(server, head, "A-0")


def test_of_an_atomic_batch_that_breaks_off_nothing_is_stored(server, head):
    fields = {"Host": "127.0.0.1", **head, "Content-Length": "100000"}
    text = "".join(f"{name}: {value}\r\n" for name, value in fields.items())

    with socket.create_connection(("127.0.0.1", server.port), timeout=120) as connection:
        connection.sendall(f"POST {PATH}?atomic=true HTTP/1.1\r\n{text}\r\n".encode())
        connection.sendall(b"".join(lines("B", 2)))
        connection.shutdown(socket.SHUT_WR)
        connection.recv(65536)

    assert not is_stored(server, head, "B-0")
    assert send(server, head, f"{PATH}?atomic=true", b"".join(lines("B", 2)))[0] == 200
    assert is_stored(server, head, "B-0")
