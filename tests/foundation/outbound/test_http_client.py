import datetime
import gzip
import socket
import ssl
import threading
import time
from contextlib import suppress

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from foundation.outbound import http_client
from foundation.outbound.http_client import AddressRefused, RequestFailed
from tests.servers import OK, serving, tls_context

HOST = "hooks.example.com"
RESOLVE = socket.getaddrinfo
SOON = 60  # seconds: what takes longer has no deadline


def send(url, method="GET", **values):
    settled = {"connect_seconds": 2, "seconds": 10, "max_bytes": 1000, "allow_loopback": True}
    return http_client.send_request(method, url, **{**settled, **values})


@pytest.fixture
def resolve(monkeypatch):
    """Let names resolve to the addresses given, to each list of them in turn."""
    asked = []

    def use(*answers):
        waiting = list(answers)

        def getaddrinfo(host, port, *args, **kwargs):
            if host.replace(".", "").isdigit() or ":" in host:
                return RESOLVE(host, port, *args, **kwargs)
            asked.append(host)
            addresses = waiting.pop(0) if len(waiting) > 1 else waiting[0]
            return [
                found for address in addresses for found in RESOLVE(address, port, *args, **kwargs)
            ]

        monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
        return asked

    return use


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """Return a file with a key and what it certifies by itself: to be HOST."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, HOST)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    written = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    path.write_bytes(written + made.public_bytes(serialization.Encoding.PEM))
    return path


@pytest.fixture
def trusted(monkeypatch, certificate):
    context = ssl.create_default_context(cafile=certificate)
    monkeypatch.setattr("foundation.outbound.connection_pool._tls_context", lambda: context)


def drip(head, piece=b"x"):
    """Response with `head` at once, then with a piece every few milliseconds, for ever."""

    def answer(connection):
        connection.sendall(head)
        with suppress(OSError):
            while True:
                connection.sendall(piece)
                time.sleep(0.02)

    return answer


def hang(connection):
    connection.recv(1)  # until the other side goes away


def test_a_request_arrives_as_it_was_given():
    with serving(OK) as server:
        answer = send(f"{server.url}hook?a=b", "POST", headers={"X-One": "1"}, body=b"{}")

    line, headers, body = server.requests[0]
    assert (answer.status, answer.content, answer.is_cut) == (200, b"ok", False)
    assert answer.address == "127.0.0.1"
    assert answer.duration_ms < SOON * 1000
    assert line == "POST /hook?a=b HTTP/1.1"
    assert body == b"{}"
    assert headers == {
        "accept": "*/*",
        "accept-encoding": "identity",
        "connection": "close",
        "content-length": "2",
        "host": f"127.0.0.1:{server.port}",
        "user-agent": "Vestibule/2.0.0",
        "x-one": "1",
    }


def test_without_outbound_nothing_is_sent(settings):
    settings.OUTBOUND = False

    with serving(OK) as server, pytest.raises(RequestFailed, match=r"^OUTBOUND is off$"):
        send(server.url)

    assert server.requests == []


def test_nothing_of_the_environment_is_used(monkeypatch, tmp_path):
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login ada password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with serving(OK) as proxy, serving(OK) as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)

        send(server.url)

    assert not proxy.requests
    assert "authorization" not in server.requests[0][1]


@pytest.mark.parametrize(
    "address", ["10.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1", "64:ff9b::a00:1"]
)
def test_a_name_at_an_address_that_is_not_public_is_refused(resolve, address):
    resolve([address])

    with pytest.raises(AddressRefused, match="the host is not at a public address"):
        send(f"https://{HOST}/", allow_loopback=False)


def test_one_bad_address_among_good_ones_is_enough(resolve):
    resolve(["93.184.216.34", "127.0.0.1"])

    with pytest.raises(AddressRefused):
        send(f"https://{HOST}/", allow_loopback=False)


def test_a_name_that_changes_its_address_after_the_check_gains_nothing(resolve):
    with serving(OK) as server, serving(OK, address="127.0.0.2", port=server.port) as other:
        asked = resolve(["127.0.0.1"], ["127.0.0.2"])

        answer = send(f"http://api.localhost:{server.port}/")

    assert asked == ["api.localhost"]
    assert answer.address == "127.0.0.1"
    assert len(server.requests) == 1
    assert not other.requests


def test_the_next_address_is_tried_where_nobody_takes_the_connection(resolve):
    with serving(OK) as server:
        resolve(["127.0.0.2", "127.0.0.1"])

        answer = send(f"http://localhost:{server.port}/")

    assert answer.address == "127.0.0.1"


def test_no_other_address_is_tried_once_a_server_was_reached(resolve):
    with serving(lambda _: None) as server, serving(OK, address="127.0.0.2", port=server.port):
        resolve(["127.0.0.1", "127.0.0.2"])

        with pytest.raises(RequestFailed, match="connection closed without a whole answer"):
            send(f"http://localhost:{server.port}/")


def test_a_redirect_is_an_answer_and_nobody_follows_it():
    with serving(OK) as inner:
        head = f"HTTP/1.1 302 Found\r\nLocation: {inner.url}\r\n\r\n"
        with serving(drip(head.encode(), b"x" * 500)) as server:
            answer = send(server.url, seconds=SOON)

    assert answer.status == 302
    assert answer.headers["location"] == inner.url
    assert answer.is_cut
    assert not inner.requests


def test_a_body_without_end_is_cut():
    with serving(drip(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 600)) as server:
        answer = send(server.url, max_bytes=1000)

    assert answer.content == b"x" * 1000
    assert answer.is_cut


def test_a_body_of_just_the_size_is_whole():
    with serving(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 1000) as server:
        answer = send(server.url, max_bytes=1000)

    assert answer.content == b"x" * 1000
    assert not answer.is_cut


def test_a_body_can_go_elsewhere_piece_by_piece():
    pieces = []
    with serving(OK) as server:
        answer = send(server.url, into=pieces.append)

    assert b"".join(pieces) == b"ok"
    assert answer.content == b""


def test_a_packed_body_stays_packed():
    packed = gzip.compress(bytes(100_000))
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(packed)}\r\n\r\n"
    with serving(head.encode() + packed) as server:
        answer = send(server.url)

    assert answer.content == packed


@pytest.mark.parametrize(
    "answer",
    [
        hang,
        drip(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
        drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        drip(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"),
        drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    ],
)
def test_the_clock_on_the_wall_ends_it(answer):
    began = time.monotonic()
    with serving(answer) as server, pytest.raises(RequestFailed, match="timed out after") as failed:
        send(server.url, seconds=0.3, max_bytes=100_000)

    assert time.monotonic() - began < SOON
    assert failed.value.duration_ms >= 300


def test_a_drip_that_ends_in_nothing_but_its_hundredth_header_is_no_answer():
    rows = b"".join(b"X-%d: y\r\n" % number for number in range(200))
    with (
        serving(b"HTTP/1.1 200 OK\r\n" + rows + b"\r\n") as server,
        pytest.raises(RequestFailed, match="not HTTP"),
    ):
        send(server.url)


@pytest.mark.parametrize("body", [b"", b"so far"])
def test_the_status_is_an_answer_where_the_body_does_not_matter(body):
    def answer(connection):
        connection.sendall(b"HTTP/1.1 204 OK\r\n\r\n" if not body else b"HTTP/1.1 200 OK\r\n\r\n")
        connection.sendall(body)
        hang(connection)

    with serving(answer) as server:
        found = send(server.url, seconds=0.3, reads_all=False)

    assert found.status == (200 if body else 204)
    assert found.content == body
    assert found.is_cut is bool(body)


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nnot whole",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnot a number\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"",
    ],
)
def test_what_is_no_whole_answer_is_none(answer):
    with serving(answer) as server, pytest.raises(RequestFailed, match=r"not HTTP|whole answer"):
        send(server.url)


def test_a_refused_connection_is_named():
    with serving(OK) as server:
        pass

    with pytest.raises(RequestFailed, match="connection refused"):
        send(server.url)


def test_a_name_that_nobody_has_is_named(monkeypatch):
    def getaddrinfo(*args, **kwargs):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)

    with pytest.raises(RequestFailed, match="name does not resolve"):
        send(f"https://{HOST}/")


def test_a_resolver_that_hangs_has_no_longer_than_the_rest(monkeypatch):
    stopped = threading.Event()
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda *args, **kwargs: stopped.wait(5 * SOON) and []
    )
    began = time.monotonic()

    with pytest.raises(RequestFailed, match="name does not resolve"):
        send(f"https://{HOST}/", seconds=0.1)

    stopped.set()
    assert time.monotonic() - began < SOON


def test_the_certificate_and_the_headers_are_those_of_the_name(resolve, certificate, trusted):
    resolve(["127.0.0.1"])
    tls, shown = tls_context(certificate), []
    tls.sni_callback = lambda _socket, name, _context: shown.append(name)

    with serving(OK, tls=tls) as server:
        answer = send(f"https://{HOST}:{server.port}/")

    assert answer.content == b"ok"
    assert shown == [HOST]
    assert server.requests[0][1]["host"] == f"{HOST}:{server.port}"


def test_a_certificate_of_another_name_is_refused(resolve, certificate, trusted):
    resolve(["127.0.0.1"])

    with (
        serving(OK, tls=tls_context(certificate)) as server,
        pytest.raises(RequestFailed, match="TLS: certificate: Hostname mismatch"),
    ):
        send(f"https://other.example.com:{server.port}/")

    assert not server.requests


def test_a_certificate_that_nobody_vouches_for_is_refused(resolve, certificate):
    resolve(["127.0.0.1"])

    with (
        serving(OK, tls=tls_context(certificate)) as server,
        pytest.raises(RequestFailed, match="TLS: certificate: self-signed certificate"),
    ):
        send(f"https://{HOST}:{server.port}/")

    assert not server.requests


def test_a_server_without_tls_is_named():
    def answer(connection):
        connection.recv(10_000)
        connection.sendall(OK)

    with (
        serving(answer, listens=False) as server,
        pytest.raises(RequestFailed, match="TLS: no agreement with the server"),
    ):
        send(f"https://127.0.0.1:{server.port}/")


def test_tls_has_the_clock_on_the_wall_too(resolve, certificate, trusted):
    resolve(["127.0.0.1"])
    dripping = drip(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n")

    with (
        serving(dripping, tls=tls_context(certificate)) as server,
        pytest.raises(RequestFailed, match="timed out after"),
    ):
        send(f"https://{HOST}:{server.port}/", seconds=0.5)


def test_a_handshake_that_hangs_has_the_time_of_a_connection():
    with serving(hang) as server, pytest.raises(RequestFailed, match="timed out after"):
        send(f"https://127.0.0.1:{server.port}/", connect_seconds=0.2)


def test_a_url_can_be_checked_without_a_look_up(resolve):
    asked = resolve(["127.0.0.1"])

    http_client.check_url(f"https://{HOST}/", allow_loopback=False)
    with pytest.raises(AddressRefused):
        http_client.check_url("https://169.254.169.254/latest", allow_loopback=True)

    assert not asked


def test_nothing_that_a_server_says_is_logged(caplog):
    with serving(b"HTTP/1.1 200 OK\r\nthis is no header\r\n\r\n") as server:
        send(f"{server.url}?signature=s3cr3t")

    assert not caplog.records
