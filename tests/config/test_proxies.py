"""The proxies of docs/production in front of a running web server."""

import os
import re
import shutil
import socket
import subprocess
import time
from contextlib import ExitStack, suppress
from http.client import HTTPConnection, HTTPException

import pytest
from django.conf import settings

from config import development_secrets
from tests.config.test_web import STALLED, Web

TIMEOUT_SECONDS = 120.0
FILES = settings.BASE_DIR / "docs/production"
pytestmark = pytest.mark.one_database
FOREIGN = "smuggled-0123456789"


class Proxy:
    """A proxy with the documented configuration, but for addresses, TLS and shorter timeouts."""

    def __init__(self, name, folder, web_port):
        self.port = free_port()
        file = folder / name
        text = (FILES / name).read_text()
        changes = [
            (r"10\.0\.0\.11:8000", f"127.0.0.1:{web_port}"),
            (r".*10\.0\.0\.12:8000.*", ""),
            (r"listen 443 ssl;", f"listen 127.0.0.1:{self.port};"),
            (r"bind :443 ssl .*", f"bind 127.0.0.1:{self.port}"),
            (r".*ssl_certificate.*", ""),
            (r"/var/log/nginx/access.log", str(folder / "access.log")),
            (r"\b15s", "2s"),
            (r"http \{", f"http {{ client_body_temp_path {folder}; proxy_temp_path {folder};"),
            (r"log (/dev/log local0|global)", ""),
            (r"log-format .*", ""),
            (r"/readyz ver HTTP/1.1 hdr Host .*", "/healthz"),  # this database has no tables
        ]
        for pattern, replacement in changes:
            text = re.sub(pattern, replacement, text)
        file.write_text(text)
        user = "user root; " if os.geteuid() == 0 else ""
        commands = {
            "nginx.conf": [
                "nginx", "-c", file, "-e", folder / "errors",
                "-g", f"{user}daemon off; pid {folder}/pid;",
            ],
            "haproxy.cfg": ["haproxy", "-db", "-f", file],
        }  # fmt: skip
        self.log = folder / "log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(commands[name], stdout=log, stderr=log)

    def wait(self):
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            with suppress(OSError, HTTPException):
                if self.status("/healthz") == 200:
                    return self
            time.sleep(0.1)
        raise AssertionError(self.log.read_text())

    def status(self, path, method="GET", **options):
        return self.answer(path, method, **options).status

    def answer(self, path, method="GET", **options):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        try:
            connection.request(method, path, **options)
            response = connection.getresponse()
            response.read()
            return response
        finally:
            connection.close()

    def send(self, data):
        """Return a connection on which the bytes were sent."""
        connection = socket.create_connection(("127.0.0.1", self.port), TIMEOUT_SECONDS)
        connection.sendall(data)
        return connection

    def answers(self, data):
        """Return all that comes until the proxy closes the connection."""
        received = b""
        with self.send(data) as connection, suppress(ConnectionError):
            while piece := connection.recv(65536):
                received += piece
        return received


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


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
    if not shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin"):
        pytest.skip(f"{program} is not installed (Debian: apt install {program})")
    proxy = Proxy(request.param, tmp_path_factory.mktemp(program), web.port)
    try:
        yield proxy.wait()
    finally:
        proxy.process.terminate()
        proxy.process.wait()


def test_stalled_uploads_stop_nobody_and_end(proxy):
    with ExitStack() as stack:
        stalled = [stack.enter_context(proxy.send(STALLED)) for _ in range(40)]

        live, page = proxy.status("/healthz"), proxy.status("/nowhere")
        ends = {connection.recv(65536)[:12] for connection in stalled}

    assert (live, page) == (200, 404)
    assert ends <= {b"HTTP/1.1 408", b""}


def test_one_address_has_so_many_requests_at_once(proxy):
    with ExitStack() as stack:
        for _ in range(130):
            stack.enter_context(proxy.send(STALLED))
        deadline = time.monotonic() + TIMEOUT_SECONDS
        statuses = set()
        while 429 not in statuses and time.monotonic() < deadline:
            statuses.add(proxy.status("/healthz"))

    assert 429 in statuses


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


@pytest.mark.parametrize("path", ["/readyz", "/status", "/admin/", "/%61dmin/"])
def test_paths_for_inside_are_closed(proxy, path):
    assert proxy.status(path) in {403, 404}


def test_only_current_versions_of_tls_are_spoken():
    nginx, haproxy = ((FILES / name).read_text() for name in ("nginx.conf", "haproxy.cfg"))

    assert "ssl_protocols TLSv1.2 TLSv1.3;" in nginx
    assert "ssl-default-bind-options ssl-min-ver TLSv1.2" in haproxy
