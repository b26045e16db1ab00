"""`manage.py up`, tried as a process of its own."""

import fcntl
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException

import psutil
import pytest
import requests
from django.conf import settings

from config import development_secrets, env
from config.management.commands.up import one_at_a_time, stop_patience
from tests.e2e.serving import free_port

TIMEOUT_SECONDS = 600.0  # all migrations run at the first start: 45 seconds of CPU time
pytestmark = pytest.mark.one_database
TOKEN = "token-of-the-monitoring"
PROGRAMS = ["web", "worker", "beat"]


class Service:
    """A running `manage.py up` and all that it started."""

    def __init__(self, data, port, *arguments, **environment):
        self.port, self.log = port, data / "log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", *arguments],
                cwd=settings.BASE_DIR,
                env={
                    "PATH": os.environ["PATH"],
                    "DATA_DIR": str(data),
                    "PORT": str(port),
                    "STATUS_TOKEN": TOKEN,
                    **environment,
                },
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def said(self):
        return self.log.read_text()

    def family(self):
        return [found := psutil.Process(self.process.pid), *found.children(recursive=True)]

    def program(self, name):
        """Return the process of a program as soon as it runs."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            for child in psutil.Process(self.process.pid).children():
                with suppress(psutil.Error):
                    if child.name() == name:
                        return child
            time.sleep(0.05)
        raise AssertionError(self.said)

    def ready(self):
        """Return what the service says of itself, once its workers have shown that they work."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            with suppress(OSError, HTTPException):
                facts = json.loads(self.answer("/status")[1])
                if facts["work"]["heartbeatSeconds"] is not None:
                    return facts
            time.sleep(0.1)
        raise AssertionError(self.said)

    def answer(self, path):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=TIMEOUT_SECONDS)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def wait(self):
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while "serves on" not in self.said:
            assert self.process.poll() is None, self.said
            assert time.monotonic() < deadline, self.said
            time.sleep(0.05)
        return self


def register_local_webhook(facts):
    """Return the status of the answer to the registration of a webhook on this machine."""
    response = requests.put(
        f"{facts['BASE_URL']}/service/api/v1/webhooks",
        json={"serverUrl": "http://127.0.0.1:4242/"},
        headers={
            "Authorization": f"{facts['SCHEME_WORD']} {facts['ACCESS_KEY']}:{facts['SECRET_KEY']}"
        },
        timeout=TIMEOUT_SECONDS,
    )
    return response.status_code


@pytest.fixture(scope="module")
def newcomer(tmp_path_factory):
    """Return a service that started on an empty folder, answered, and was stopped by Ctrl-C."""
    data = tmp_path_factory.mktemp("up")
    development_secrets.write(data / "secrets.env")
    service = Service(data, free_port())
    try:
        service.wait()
    except AssertionError:
        service.process.terminate()
        raise
    service.facts = env.assignments(data / "demo.env")
    paths = ["/healthz", "/readyz", "/admin/login/", "/service/api/v1/docs", "/sign-in"]
    service.answers = {path: service.answer(path)[0] for path in paths}
    service.readiness = service.ready()
    service.registration = register_local_webhook(service.facts)
    family = service.family()
    service.process.send_signal(signal.SIGINT)
    service.process.wait(TIMEOUT_SECONDS)
    service.survivors = psutil.wait_procs(family, timeout=TIMEOUT_SECONDS)[1]
    return service


@pytest.fixture
def data(newcomer, tmp_path):
    """Return a folder that was served from before."""
    return shutil.copytree(newcomer.log.parent, tmp_path / "data")


@pytest.fixture
def up(data):
    """Start the service once more; whatever is left of it ends with the test."""
    started = []

    def start(*arguments, port=None, **environment):
        started.append(Service(data, port or free_port(), *arguments, **environment))
        return started[-1]

    yield start
    for service in started:
        service.process.send_signal(signal.SIGTERM)
        service.process.wait(TIMEOUT_SECONDS)


def test_it_serves(newcomer):
    assert set(newcomer.answers.values()) == {200}


def test_it_takes_webhooks_of_receivers_on_the_same_machine(newcomer):
    assert newcomer.registration == 201


@pytest.mark.parametrize(
    "reach", [{"HOST": "0.0.0.0"}, {"BASE_URL": "https://sandbox.example"}], ids=str
)
def test_it_takes_none_where_others_reach_it(newcomer, up, reach):
    service = up(**reach).wait()

    facts = newcomer.facts | {"BASE_URL": f"http://127.0.0.1:{service.port}"}
    assert register_local_webhook(facts) == 400


def test_it_works(newcomer):
    assert newcomer.readiness["work"]["events"]["oldestSeconds"] < TIMEOUT_SECONDS
    assert newcomer.readiness["status"] == "ok"


def test_it_tells_a_newcomer_everything(newcomer):
    facts, said = newcomer.facts, newcomer.said

    for name in (
        "BASE_URL", "ACCESS_KEY", "SECRET_KEY", "ADMIN_USER", "ADMIN_PASSWORD", "MCP_URL",
        "REVIEWER_USER", "REVIEWER_PASSWORD", "APPROVER_USER", "APPROVER_PASSWORD",
        "ADMINISTRATOR_USER", "ADMINISTRATOR_PASSWORD", "OPERATIONS_USER", "OPERATIONS_PASSWORD",
        "OWNER_EMAIL", "OWNER_PASSWORD", "ACCOUNTANT_EMAIL", "ACCOUNTANT_PASSWORD",
    ):  # fmt: skip
        assert facts[name] in said
    assert f"{facts['BASE_URL']}/service/api/v1/docs\n" in said
    assert f"curl -X PUT {facts['BASE_URL']}/service/api/v1/lead" in said


def test_it_loads_the_demo_bank(newcomer):
    database = sqlite3.connect(newcomer.log.parent / "vestibule.sqlite3")
    count = "SELECT count(*) FROM banking_user WHERE email = ? AND password NOT LIKE '!%'"

    for name in ("OWNER_EMAIL", "ACCOUNTANT_EMAIL", "OWNER_EMAIL2", "ACCOUNTANT_EMAIL2"):
        (found,) = database.execute(count, [newcomer.facts[name]]).fetchone()
        assert found == 1
    (transactions,) = database.execute("SELECT count(*) FROM banking_transaction").fetchone()
    database.close()
    assert transactions > 1000


def test_ctrl_c_ends_it_all(newcomer):
    assert newcomer.process.returncode == 0
    assert newcomer.survivors == []


def test_the_second_start_keeps_the_keys_and_tells_no_secret(newcomer, up, data):
    service = up().wait()

    facts = env.assignments(data / "demo.env")
    origin = f"http://127.0.0.1:{service.port}"
    assert facts == {**newcomer.facts, "BASE_URL": origin, "MCP_URL": f"{origin}/mcp"}
    assert facts["SECRET_KEY"] not in service.said
    assert facts["ADMIN_PASSWORD"] not in service.said
    assert facts["OWNER_PASSWORD"] not in service.said
    assert facts["MCP_URL"] in service.said
    assert "demo.env" in service.said
    assert len(service.said.splitlines()) == 1


def test_a_taken_port_gets_one_line(up):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        service = up(port=port)

        assert service.process.wait(TIMEOUT_SECONDS) == 1
    assert service.said.count("\n") == 1
    assert f"Port {port} cannot be had" in service.said


def test_other_secrets_are_refused_before_a_migration(up, data):
    newest = "SELECT max(id) FROM django_migrations WHERE app = 'onboarding'"
    with closing(sqlite3.connect(data / "vestibule.sqlite3")) as database, database:
        database.execute(f"DELETE FROM django_migrations WHERE id = ({newest})")
    (data / "secrets.env").unlink()
    development_secrets.write(data / "secrets.env")

    service = up()

    assert service.process.wait(TIMEOUT_SECONDS) == 1
    assert "LINK_KEY is not the one that this database was used with." in service.said
    assert "cannot be had" not in service.said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_it(up, number):
    service = up().wait()
    service.ready()
    family = service.family()
    assert len(family) > len(PROGRAMS) + 1

    service.process.send_signal(number)

    service.process.wait(TIMEOUT_SECONDS)
    assert psutil.wait_procs(family, timeout=TIMEOUT_SECONDS)[1] == []


def test_each_program_that_died_is_started_again(up):
    service = up().wait()
    dead = {name: service.program(name) for name in PROGRAMS}

    for process in dead.values():
        process.kill()

    psutil.wait_procs(dead.values(), timeout=TIMEOUT_SECONDS)
    for name, process in dead.items():
        assert service.program(name).pid != process.pid
        assert f"{name} ended with -9; again in 1 s" in service.said
    assert service.ready()["status"] == "ok"


def test_it_ends_with_the_parent_that_it_is_told_of(up):
    stranger = os.getpid() + 1  # as if its parent had ended already

    service = up("--parent", str(stranger))

    assert service.process.wait(TIMEOUT_SECONDS) == 0


@pytest.mark.parametrize(
    ("drain", "stop", "patience"), [(5, 20, 27), (0, 1, 10)], ids=["long", "short"]
)
def test_running_requests_get_the_time_that_the_settings_promise(settings, drain, stop, patience):
    settings.DRAIN_SECONDS, settings.STOP_SECONDS = drain, stop

    assert stop_patience() == patience


def test_one_start_waits_for_another_on_the_same_data(tmp_path):
    def is_free():
        with (tmp_path / "up.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True

    with one_at_a_time(tmp_path):
        assert not is_free()

    assert is_free()
