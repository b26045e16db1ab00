import socket
import threading
import time

import pytest

from foundation.outbound import connection_pool, http_client
from foundation.outbound.http_client import AddressRefused, KeptConnection, RequestFailed
from tests.servers import OK, read_request, serving

TIMEOUT_SECONDS = 120
CLOSING = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
NOTHING = b"HTTP/1.1 204 No Content\r\n\r\n"


def post(url, kept, **values):
    settled = {"connect_seconds": 2, "seconds": 10, "max_bytes": 1000, "allow_loopback": True}
    sent = {"headers": {"X-One": "1"}, "body": b"{}", "kept": kept}
    return http_client.send_request("POST", url, **{**settled, **sent, **values})


class Lasting:
    """Answers on each connection until there is no answer for it left; remembers what came."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests, self.connections = [], 0
        self.ended = threading.Event()

    def __call__(self, connection):
        self.connections += 1
        self.ended.clear()
        try:
            while self.answers and (answer := self.answers.pop(0)):
                self.requests.append(self.connections)
                connection.sendall(answer)
                self.requests_of(connection)
        finally:
            self.ended.set()

    def requests_of(self, connection):
        read_request(connection)


@pytest.fixture
def kept():
    with KeptConnection() as kept:
        yield kept


@pytest.mark.parametrize("answer", [OK, CHUNKED, NOTHING])
def test_a_connection_is_kept_for_the_next_call(kept, answer):
    lasting = Lasting(answer, answer, answer)
    with serving(lasting) as server:
        statuses = [post(f"{server.url}{path}", kept).status for path in "abc"]

    assert lasting.requests == [1, 1, 1]
    assert len(set(statuses)) == 1
    assert server.requests[0][1]["connection"] == "keep-alive"


def test_without_a_line_none_is():
    lasting = Lasting(OK, OK)
    with serving(lasting) as server:
        for _ in range(2):
            post(server.url, None)

    assert lasting.connections == 2
    assert server.requests[0][1]["connection"] == "close"


@pytest.mark.parametrize(
    ("answer", "values"),
    [
        (CLOSING, {}),
        (OK.replace(b"HTTP/1.1", b"HTTP/1.0"), {}),
        (OK.replace(b": 2", b": 9") + b"to cut!", {"max_bytes": 3}),
        (OK.replace(b": 2", b": 9"), {"seconds": 1.0, "reads_all": False}),
    ],
)
def test_what_cannot_be_trusted_any_more_is_not_kept(kept, answer, values):
    lasting = Lasting(answer, OK)
    with serving(lasting) as server:
        post(server.url, kept, **values)
        time.sleep(0.05)

        assert post(server.url, kept).content == b"ok"

    assert lasting.connections == 2


@pytest.mark.parametrize("hint", [b"102 Processing", b"103 Early Hints"])
def test_the_answer_behind_a_hint_is_nobody_elses(kept, hint):
    lasting = Lasting(b"HTTP/1.1 %b\r\n\r\n" % hint, OK)

    def answer_late(connection):
        time.sleep(0.3)
        connection.sendall(OK.replace(b"200 OK", b"500 Oh"))

    lasting.requests_of = answer_late
    with serving(lasting) as server:
        hinted = post(server.url, kept)

        assert post(server.url, kept).status == 200

    assert hinted.status == int(hint[:3])
    assert lasting.connections == 2


def test_what_is_said_unasked_is_no_answer(kept):
    lasting = Lasting(OK, OK)
    was_answered, is_forged, is_over = (threading.Event() for _ in range(3))

    def forge(connection):
        was_answered.wait(TIMEOUT_SECONDS)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged")
        is_forged.set()
        is_over.wait(TIMEOUT_SECONDS)  # it stays open

    lasting.requests_of = forge
    with serving(lasting) as server:
        post(server.url, kept)
        was_answered.set()
        is_forged.wait(TIMEOUT_SECONDS)

        assert post(server.url, kept).content == b"ok"
        is_over.set()


def test_a_connection_that_was_closed_meanwhile_is_replaced(kept):
    lasting = Lasting(OK, OK)
    lasting.requests_of = lambda _connection: None
    lasting.answers[1:1] = [None]
    with serving(lasting) as server:
        post(server.url, kept)
        lasting.ended.wait(TIMEOUT_SECONDS)
        time.sleep(0.05)

        assert post(server.url, kept).status == 200

    assert lasting.requests == [1, 2]


def test_a_request_that_meets_the_farewell_is_sent_again_on_a_new_connection(kept):
    lasting = Lasting(OK, None, OK)  # it is read, and answered by a hang-up
    with serving(lasting) as server:
        post(server.url, kept)

        assert post(server.url, kept).status == 200

    assert lasting.requests == [1, 2]


def test_a_farewell_on_a_new_connection_is_a_failure(kept):
    with serving(lambda _connection: None) as server, pytest.raises(RequestFailed, match="closed"):
        post(server.url, kept)

    assert len(server.requests) == 1


def test_a_request_that_is_not_answered_in_time_is_not_sent_again(kept):
    lasting = Lasting(OK, OK, OK)
    lasting.requests_of = lambda connection: read_request(connection) and time.sleep(0.5)
    with serving(lasting) as server:
        post(server.url, kept)

        with pytest.raises(RequestFailed, match="timed out"):
            post(server.url, kept, seconds=0.2)

    assert lasting.connections == 1


def test_another_host_has_a_connection_of_its_own(kept):
    first, second = Lasting(OK, OK), Lasting(OK)
    with serving(first) as one, serving(second) as other:
        for server in (one, other, one):
            post(server.url, kept)

    assert (first.connections, second.connections) == (2, 1)


def test_a_name_is_looked_up_and_checked_again_after_a_while(kept, monkeypatch):
    found, ask = [["127.0.0.1"], ["127.0.0.1", "10.0.0.1"]], socket.getaddrinfo

    def getaddrinfo(host, port, *args, **kwargs):
        addresses = found.pop(0) if host == "api.localhost" else [host]
        return [one for each in addresses for one in ask(each, port, *args, **kwargs)]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    with serving(Lasting(OK, OK, OK)) as server:
        url = f"http://api.localhost:{server.port}/"
        for _ in range(2):
            assert post(url, kept).address == "127.0.0.1"
        monkeypatch.setattr(connection_pool, "MAX_AGE_SECONDS", 0)

        with pytest.raises(AddressRefused):
            post(url, kept)


def test_nothing_is_kept_when_the_block_ends():
    lasting = Lasting(OK, OK)
    with serving(lasting) as server:
        with KeptConnection() as kept:
            post(server.url, kept)
        assert lasting.ended.wait(TIMEOUT_SECONDS)
        post(server.url, kept)
        kept.close()

    assert lasting.connections == 2


def test_what_is_connected_to_is_checked_once_more():
    target = http_client.targets.parse("https://hooks.example.com/", allow_loopback=False)
    route = connection_pool.Route(target, time.monotonic() + 1, 1, allow_loopback=False)

    with pytest.raises(AddressRefused):
        connection_pool.Connection(route, "127.0.0.1", 1).connect()
