"""The service as processes of its own, on a database and a folder of its own."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import psycopg
from django.conf import settings

from config import development_secrets, env, processes
from tests import templates

TIMEOUT_SECONDS = 120.0
PREPARE = """
import django
django.setup()
from django.conf import settings
from django.utils import timezone
from config import demo
demo.prepare(settings.DATA_DIR / "demo.env", at=timezone.now())
"""


class Unanswered(Exception):
    """The server hung up."""


@dataclass(frozen=True)
class Answer:
    """What a call was answered."""

    status: int
    headers: dict
    content: bytes

    def json(self):
        return json.loads(self.content)


class Server:
    """A web server that a partner calls over HTTP; `module` is what `manage.py up` starts."""

    def __init__(self, data, module, database_url):
        self.data, self.module = data, module
        self.port = free_port()
        self.environment = {
            "PATH": os.environ["PATH"],
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATA_DIR": str(data),
            "DATABASE_URL": database_url,
            "PORT": str(self.port),
            "RATE_LIMIT_FACTOR": "0",
            "ALLOW_LOOPBACK": "1",
            "LOG_LEVEL": "DEBUG",
        }
        (data / "static").mkdir()
        development_secrets.write(data / "secrets.env")
        self.run(["-c", PREPARE])
        self.facts = env.assignments(data / "demo.env")

    @property
    def log(self):
        return (self.data / "log").read_text()

    @property
    def authorization(self):
        facts = self.facts
        return f"{facts['SCHEME_WORD']} {facts['ACCESS_KEY']}:{facts['SECRET_KEY']}"

    def start(self):
        with (self.data / "log").open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", self.module, str(self.port)],
                cwd=settings.BASE_DIR,
                env=self.environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=partial(processes.end_with, os.getpid()),
            )
        self._wait_until_served()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(TIMEOUT_SECONDS)
        finally:
            self.clear()

    def clear(self):
        """Kill whatever is left of it."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def workers(self):
        """Return the processes that answer."""
        try:
            return psutil.Process(self.process.pid).children()
        except psutil.NoSuchProcess:
            return []

    def recover(self, workers):
        """Wait until one of the workers is replaced; start anew, as a supervisor, if all end."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while self.process.poll() is None:
            now = self.workers()
            if len(now) == len(workers) and set(now) != set(workers):
                return
            assert time.monotonic() < deadline, self.log
            time.sleep(0.01)
        self.clear()
        self.start()

    def manage(self, *arguments):
        """Run a command of `manage.py` and return what it printed, errors last."""
        return self.run(["manage.py", *arguments])

    def call(self, method, path, body=None, **headers):
        """Send `body`, a dict as JSON, anything else as it is. Raises: Unanswered."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"Authorization": self.authorization, "Accept": "application/json", **named}
        if isinstance(body, dict):
            body = json.dumps(body).encode()
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        connection = HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        try:
            connection.request(method, f"/service/api/v1/{path}", body, sent)
            response = connection.getresponse()
            return Answer(response.status, dict(response.getheaders()), response.read())
        except (HTTPException, ConnectionError) as exc:
            raise Unanswered(str(exc)) from exc
        finally:
            connection.close()

    def files(self, folder="media"):
        """Return the files that are stored."""
        return {path for path in (self.data / folder).rglob("*") if path.is_file()}

    def run(self, arguments):
        """Run Python and return what it printed, errors last."""
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=settings.BASE_DIR,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=True,
        )
        return done.stdout + done.stderr

    def _wait_until_served(self):
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                self.call("GET", "meta/lifecycle")
            except (Unanswered, OSError):
                time.sleep(0.05)
            else:
                return
        self.clear()
        raise AssertionError(self.log)


def free_port():
    """Return a port of the loopback interface that nobody has."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def served(data: Path, module: str = "config.web", **environment: str):
    """Yield a server, on SQLite or on the PostgreSQL that the tests run on."""
    with database(data) as url:
        server = Server(data, module, url)
        server.environment |= environment
        server.start()
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def database(data):
    """Yield the URL of a migrated database; none is SQLite's in the folder of the data."""
    if templates.is_sqlite():
        templates.copy_file(data / "vestibule.sqlite3")
        yield ""
        return
    template = templates.name_on_server()
    run = os.environ.get("TEST_DATABASE_NAME", "test_vestibule")
    fresh = f"{run}_e2e_{secrets.token_hex(4)}"
    url = urlsplit(os.environ["DATABASE_URL"])
    with psycopg.connect(url.geturl(), autocommit=True) as connection:
        templates.execute(connection, "CREATE DATABASE {} TEMPLATE {}", fresh, template)
        try:
            yield url._replace(path=f"/{fresh}").geturl()
        finally:
            templates.execute(connection, "DROP DATABASE {} WITH (FORCE)", fresh)
