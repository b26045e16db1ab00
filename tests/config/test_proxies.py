"""The proxies of docs/production in front of a running web server."""

import socketserver
import threading
import time
from contextlib import ExitStack

import pytest

from config import development_secrets
from tests.config.test_web import STALLED, Web
from tests.proxies import FILES, TIMEOUT_SECONDS, Proxy, is_installed

CHANGES = [
    (r"\b15s", "2s"),
    (r"/readyz ver HTTP/1.1 hdr Host .*", "/healthz"),  # this database has no tables
]
pytestmark = pytest.mark.one_database
FOREIGN = "smuggled-0123456789"


@pytest.fixture(scope="module")
def web(tmp_path_factory):
    data = tmp_path_factory.mktemp("web")
    development_secrets.write(data / "secrets.env")
    web = Web(data, TRUSTED_PROXIES="1", WEB_THREADS="2")
    yield web
    web.stop()


@pytest.fixture(scope="module", params=["nginx.conf", "haproxy.cfg"])
def proxy(request, web, tmp_path_factory):
    program = request.param.partition(".")[0]
    if not is_installed(program):
        pytest.skip(f"{program} is not installed (Debian: apt install {program})")
    proxy = Proxy(request.param, tmp_path_factory.mktemp(program), [web.port], CHANGES)
    try:
        yield proxy.wait()
    finally:
        proxy.stop()


def test_stalled_uploads_stop_nobody_and_end(proxy):
    with ExitStack() as stack:
        stalled = [stack.enter_context(proxy.send(STALLED)) for _ in range(40)]

        live, page = proxy.status("/healthz"), proxy.status("/nowhere")
        ends = {connection.recv(65536)[:12] for connection in stalled}

    assert (live, page) == (200, 404)
    assert ends <= {b"HTTP/1.1 408", b""}


def test_one_address_has_so_many_requests_at_once(proxy):
    deadline = time.monotonic() + TIMEOUT_SECONDS
    statuses = set()
    while 429 not in statuses and time.monotonic() < deadline:
        with ExitStack() as stack:  # anew: on a busy machine the first have ended before the last
            for _ in range(130):
                stack.enter_context(proxy.send(STALLED))
            statuses.add(proxy.status("/files/Secret"))

    assert 429 in statuses
    assert "Secret" not in proxy.read_logs()


def test_large_heads_and_bodies_are_refused(proxy):
    head = proxy.status("/healthz", headers={"X-Long": "x" * 200_000})
    body = proxy.answers(
        b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000000\r\n\r\n"
    )

    assert head in {400, 431}
    assert body.startswith(b"HTTP/1.1 413")


HIDDEN = f"GET /nowhere HTTP/1.1\r\nHost: x\r\nX-Request-Id: {FOREIGN}\r\n\r\n"
CHUNKS = f"0\r\n\r\n{HIDDEN}"
SMUGGLING = {
    "length and chunks": f"Content-Length: {len(CHUNKS)}\r\nTransfer-Encoding: chunked",
    "chunks and length": f"Transfer-Encoding: chunked\r\nContent-Length: {len(CHUNKS)}",
    "a space before the colon": f"Content-Length: {len(CHUNKS)}\r\nTransfer-Encoding : chunked",
    "a folded line": f"Content-Length: {len(CHUNKS)}\r\nTransfer-Encoding:\r\n chunked",
    "a tab": f"Content-Length: {len(CHUNKS)}\r\nTransfer-Encoding:\tchunked",
    "an unknown coding": f"Content-Length: {len(CHUNKS)}\r\nTransfer-Encoding: xchunked",
    "two codings": f"Content-Length: {len(CHUNKS)}\r\nTransfer-Encoding: identity, chunked",
    "an underscore": f"Content-Length: {len(CHUNKS)}\r\nTransfer_Encoding: chunked",
    "two lengths": f"Content-Length: 5\r\nContent-Length: {len(CHUNKS)}",
    "a signed length": f"Content-Length: +{len(CHUNKS)}",
    "a list of lengths": f"Content-Length: 5, {len(CHUNKS)}",
    "a bare line feed": f"Content-Length: {len(CHUNKS)}\nTransfer-Encoding: chunked",
}


@pytest.mark.parametrize("headers", SMUGGLING.values(), ids=SMUGGLING)
def test_no_request_is_smuggled_in_a_body(proxy, headers):
    request = f"POST /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}\r\n\r\n{CHUNKS}"

    received = proxy.answers(request.encode())
    later = [proxy.answer("/nowhere").getheader("X-Request-Id") for _ in range(5)]

    assert received.count(b"HTTP/1.1 ") <= 1
    assert FOREIGN.encode() not in received
    assert FOREIGN not in later


def test_headers_with_underscores_do_not_arrive(proxy):
    answer = proxy.answer("/nowhere", headers={"X_Request_Id": FOREIGN})

    assert answer.getheader("X-Request-Id") != FOREIGN


def test_the_web_server_is_not_named(proxy):
    server = proxy.answer("/nowhere").getheader("Server")

    assert server in {None, "nginx"}


WITH_SECRETS = [
    "/apply/Secret", "/apply/owner/Secret/code", "/apply//Secret", "/join/Secret",
    "/clients/join/01/Secret", "/files/Secret", "/files/%00Secret", "/files/%C3%BCSecret",
    "/%66iles/Secret", "/files%2FSecret", "//files/Secret", "/Files/Secret", "/files/%0ASecret",
    "/nowhere?next=/files/Secret", "/reminders/owner/Secret", "/welcome/01/Secret",
    "/password-reset/%4DQ/Secret",
]  # fmt: skip


def test_no_secret_of_a_path_is_logged(proxy):
    for path in [*WITH_SECRETS, "/nowhere%0Aforged", "/nowhere/last"]:
        proxy.status(path)

    deadline = time.monotonic() + TIMEOUT_SECONDS
    while "/nowhere/last" not in (log := proxy.read_logs()):
        assert time.monotonic() < deadline, log
        time.sleep(0.05)
    assert "Secret" not in log
    assert "\nforged" not in log


@pytest.mark.parametrize("path", ["/readyz", "/status", "/admin/", "/%61dmin/"])
def test_paths_for_inside_are_closed(proxy, path):
    assert proxy.status(path) in {403, 404}


@pytest.fixture
def ending():
    """Return the port of a server that ends each connection once a request has come."""

    class Ending(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.recv(65536)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Ending) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def test_nginx_repeats_a_call_of_a_tool_that_a_node_dropped_and_no_other_post(
    web, ending, tmp_path
):
    if not is_installed("nginx"):
        pytest.skip("nginx is not installed (Debian: apt install nginx-light)")
    nginx = Proxy("nginx.conf", tmp_path, [ending, web.port], CHANGES)
    try:
        nginx.wait()
        calls = {nginx.status("/mcp", "POST", body=b"{}") for _ in range(4)}
        others = {nginx.status("/sign-in", "POST", body=b"{}") for _ in range(4)}
    finally:
        nginx.stop()

    assert 502 not in calls
    assert 502 in others


def test_only_current_versions_of_tls_are_spoken():
    nginx, haproxy = ((FILES / name).read_text() for name in ("nginx.conf", "haproxy.cfg"))

    assert "ssl_protocols TLSv1.2 TLSv1.3;" in nginx
    assert "ssl-default-bind-options ssl-min-ver TLSv1.2" in haproxy
