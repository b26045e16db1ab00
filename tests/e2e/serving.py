"""The service as processes of its own, on a database and a folder of its own."""

import atexit
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import psycopg
from django.conf import settings

from config import development_secrets, env, processes
from tests import templates

TIMEOUT_SECONDS = 600.0  # the demo bank takes a busy machine minutes
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
    """A web server that a partner calls over HTTP; `module` is what `manage.py up` starts.

    The folder has the secrets, and the credentials of the demo, that go with the database.
    """

    def __init__(self, data, module, database_url):
        self.data, self.module = data, module
        self.port = free_port()
        self.environment = environment(data, database_url) | {"PORT": str(self.port)}
        (data / "static").mkdir()
        base = f"http://127.0.0.1:{self.port}"
        addresses = {"BASE_URL": base, "MCP_URL": f"{base}/mcp"}
        self.facts = env.assignments(data / "demo.env") | addresses
        lines = (f"{name}={value}\n" for name, value in self.facts.items())
        (data / "demo.env").write_text("".join(lines))  # which `manage.py listen` reads

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
        """Wait until a worker is replaced and all listen; start anew, as a supervisor, if all end.

        Each worker listens on a socket of its own, so that the death of the last one that listens
        refuses connections.
        """
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while self.process.poll() is None:
            now = self.workers()
            is_replaced = len(now) == len(workers) and set(now) != set(workers)
            if is_replaced and all(map(self._is_listening, now)):
                return
            assert time.monotonic() < deadline, self.log
            time.sleep(0.01)
        self.clear()
        self.start()

    def _is_listening(self, worker):
        with suppress(psutil.Error):  # it died
            ports = worker.net_connections("tcp")
            return (psutil.CONN_LISTEN, self.port) in [(at.status, at.laddr.port) for at in ports]
        return False

    def manage(self, *arguments):
        """Run a command of `manage.py` and return what it printed, errors last.

        Django's checks of the code are left out: they take as long as the start of the command.
        """
        return self.run(["manage.py", *arguments, "--skip-checks"])

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
        return run(arguments, self.environment)

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


def environment(data, database_url):
    """Return the environment of the programs of a deployment."""
    return {
        "PATH": os.environ["PATH"],
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATA_DIR": str(data),
        "DATABASE_URL": database_url,
        "RATE_LIMIT_FACTOR": "0",
        "ALLOW_LOOPBACK": "1",
        "LOG_LEVEL": "DEBUG",
    }


def run(arguments, environment):
    """Run Python and return what it printed, errors last."""
    done = end(arguments, environment, check=True)
    return done.stdout + done.stderr


def end(arguments, environment, *, check):
    """Run Python and return how it ended; `check` refuses an exit code."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=check,
    )


def free_port():
    """Return a port of the loopback interface that nobody has."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def served(data: Path, module: str = "config.web", **more: str):
    """Yield a server, on SQLite or on the PostgreSQL that the tests run on."""
    with database(data) as url:
        server = Server(data, module, url)
        server.environment |= more
        server.start()
        try:
            yield server
        finally:
            server.stop()


@contextmanager
def database(data):
    """Yield the URL of a database with the demo's partners and people; none is SQLite's.

    The folder of the data gets SQLite's file, the secrets of the database and the credentials.
    """
    folder, template = prepared()
    shutil.copytree(folder, data, dirs_exist_ok=True)
    with _database(template) as url:
        yield url


@contextmanager
def migrated_database(data):
    """Yield the URL of a database as migrations leave it; none is SQLite's in the folder."""
    if templates.is_sqlite():
        templates.copy_file(data / "vestibule.sqlite3")
    with _database(None if templates.is_sqlite() else templates.name_on_server()) as url:
        yield url


@cache
def prepared():
    """Prepare a demo once for all servers of this process, since it hashes many passwords.

    Returns its folder, and the name of its database on the server, None for SQLite.
    """
    folder = settings.DATA_DIR / "prepared"
    folder.mkdir()
    development_secrets.write(folder / "secrets.env")
    opened = ExitStack()
    atexit.register(opened.close)
    url = opened.enter_context(migrated_database(folder))
    run(["-c", PREPARE], environment(folder, url))
    return folder, urlsplit(url).path.lstrip("/") or None


@contextmanager
def _database(template):
    """Yield the URL of a copy of a database on the server, which is dropped; none for SQLite."""
    if template is None:
        yield ""
        return
    name = f"{os.environ.get('TEST_DATABASE_NAME', 'test_vestibule')}_e2e_{secrets.token_hex(4)}"
    url = urlsplit(os.environ["DATABASE_URL"])
    with psycopg.connect(url.geturl(), autocommit=True) as connection:
        templates.execute(connection, "CREATE DATABASE {} TEMPLATE {}", name, template)
        try:
            yield url._replace(path=f"/{name}").geturl()
        finally:
            templates.execute(connection, "DROP DATABASE {} WITH (FORCE)", name)
