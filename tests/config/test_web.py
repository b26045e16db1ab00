"""The web server as a process: how it ends, and what it answers until then."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException

import psutil
import pytest
from django.conf import settings

from config import development_secrets
from config.whole_bodies import READERS

TIMEOUT_SECONDS = 120.0
pytestmark = pytest.mark.one_database
BAD_LENGTHS = [b"abc", b"+5", b"-1", b"1_0", b"5, 6", b"5\r\nContent-Length: 6", b"9" * 5000]
STALLED = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\na"


class Web:
    """A running `config.web` with one worker process."""

    def __init__(self, data, **environment):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        facts = {"PATH": os.environ["PATH"], "DATA_DIR": str(data), "WEB_WORKERS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "config.web", str(self.port)],
            cwd=settings.BASE_DIR,
            env={**facts, **environment},
            stderr=subprocess.DEVNULL,
        )
        self.until(lambda: self.answer("/healthz"))
        self.workers = psutil.Process(self.process.pid).children()

    def answer(self, path):
        """Return the status and body, or None if nobody listens."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        try:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        except (OSError, HTTPException):
            return None
        finally:
            connection.close()

    def until(self, condition):
        """Return the first true answer of `condition`."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            if found := condition():
                return found
            time.sleep(0.05)
        raise AssertionError(condition)

    def are_workers_gone(self):
        return not any(
            worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE
            for worker in self.workers
        )

    def stop(self):
        for process in [*self.workers, self.process]:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        self.process.wait()


@pytest.fixture
def start(tmp_path):
    development_secrets.write(tmp_path / "secrets.env")
    started = []

    def run(**environment):
        started.append(Web(tmp_path, **environment))
        return started[-1]

    yield run
    for web in started:
        web.stop()


@contextmanager
def stalled(web, count=1):
    """Begin uploads that send one byte of a thousand, and no more."""
    connections = [socket.create_connection(("127.0.0.1", web.port)) for _ in range(count)]
    for connection in connections:
        connection.sendall(STALLED)
    try:
        yield
    finally:
        for connection in connections:
            connection.close()


def test_it_is_unready_before_it_ends_and_waits_for_no_stalled_upload(start):
    web = start(DRAIN_SECONDS="10", STOP_SECONDS="1")

    with stalled(web):
        os.kill(web.process.pid, signal.SIGTERM)
        faults = ["process: ends soon"]
        ends_soon = (503, {"status": "unready", "faults": faults, "outbound": "on"})
        web.until(lambda: web.answer("/readyz") == ends_soon)
        live = web.answer("/healthz")
        web.until(lambda: web.process.poll() is not None)

    assert web.answer("/healthz") is None
    assert live == (200, {"status": "ok"})
    assert web.process.returncode == 0
    assert web.are_workers_gone()


def test_no_worker_outlives_a_main_process_that_is_killed(start):
    web = start(STOP_SECONDS="1")

    with stalled(web):
        web.process.kill()
        web.process.wait()

        assert web.until(web.are_workers_gone)


def test_stalled_uploads_stop_nobody(start):
    web = start(WEB_THREADS="2")

    with stalled(web, count=40):
        time.sleep(0.5)  # until each has come to the threads that read
        assert web.answer("/readyz")


def post(web, source):
    """Return the status and Retry-After of a form from an address of this machine."""
    connection = HTTPConnection(
        "127.0.0.1", web.port, timeout=TIMEOUT_SECONDS, source_address=(source, 0)
    )
    try:
        connection.request("POST", "/sign-in", body=b"a=b")
        response = connection.getresponse()
        return response.status, response.getheader("Retry-After")
    finally:
        connection.close()


def test_stalled_uploads_of_one_network_leave_readers_to_others(start):
    web = start()

    with stalled(web, count=READERS + 20):
        refused = web.until(lambda: (found := post(web, "127.0.0.1"))[0] == 429 and found)
        ready, foreign = web.answer("/readyz"), post(web, "127.0.0.2")
    web.until(lambda: post(web, "127.0.0.1")[0] == foreign[0])

    assert refused == (429, "1")
    assert ready is not None
    assert foreign == (403, None)  # without its CSRF token


def post_length(web, length):
    """Return the status line of the response to a form with this Content-Length."""
    head = b"POST /sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: " + length
    with socket.create_connection(("127.0.0.1", web.port), TIMEOUT_SECONDS) as connection:
        connection.sendall(head + b"\r\n\r\na=b&c")
        return connection.makefile("rb").readline().strip()


def test_a_content_length_that_is_no_number_or_two_is_refused_before_any_view(start):
    web = start()

    answers = {length: post_length(web, length) for length in [b"5", *BAD_LENGTHS]}

    assert answers.pop(b"5") == b"HTTP/1.1 403 Forbidden"  # by the view, without its CSRF token
    assert answers == dict.fromkeys(BAD_LENGTHS, b"HTTP/1.1 400 Bad Request")
