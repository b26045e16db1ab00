"""Two web servers, two workers and beat, whose database and broker a test can take away."""

import os
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from functools import partial

import pytest
from django.conf import settings

from config import processes
from tests import templates
from tests.e2e.links import Link, target_of, through
from tests.e2e.serving import Server, database, free_port

TIMEOUT_SECONDS = 120.0
PROGRAMS = {
    "web1": "config.web",
    "web2": "config.web",
    "worker1": "config.worker",
    "worker2": "config.worker",
    "beat": "config.beat",
}


class Redis:
    """A Redis of its own, which keeps nothing on disk."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        self.start()

    @property
    def url(self):
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self):
        self.process = subprocess.Popen(
            ["redis-server", "--port", str(self.port), "--save", "", "--bind", "127.0.0.1"],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            preexec_fn=partial(processes.end_with, os.getpid()),
        )

    def kill(self):
        self.process.kill()
        self.process.wait()


class Fleet:
    """The programs of a deployment, each with a log and a metrics port of its own."""

    def __init__(self, data, url, broker, **environment):
        self.data, self.broker, self.running = data, broker, {}
        self.link = Link(target_of(url))
        self.server = Server(data, "config.web", url)
        self.environment = self.server.environment | {
            "DATABASE_URL": through(url, self.link),
            "CELERY_BROKER_URL": broker.url,
            "TASK_QUEUE": f"test-{secrets.token_hex(6)}",
            "WEB_WORKERS": "1",
            "WEB_THREADS": "2",
            "WORKER_THREADS": "8",
            "LOG_LEVEL": "INFO",
            **environment,
        }
        self.ports = {name: free_port() for name in PROGRAMS}
        self.metrics_ports = {name: free_port() for name in PROGRAMS}
        self.server.port = self.ports["web1"]

    def start(self, *names, **environment):
        """Start programs by their names."""
        for name in names:
            module = PROGRAMS[name]
            port = [str(self.ports[name])] if module == "config.web" else []
            named = {"METRICS_PORT": str(self.metrics_ports[name]), **environment}
            with (self.data / f"{name}.log").open("a") as log:
                self.running[name] = subprocess.Popen(
                    [sys.executable, "-m", module, *port],
                    cwd=settings.BASE_DIR,
                    env={**self.environment, **named},
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    preexec_fn=partial(processes.end_with, os.getpid()),
                )

    def end(self, *names):
        """End programs by SIGTERM and wait for them."""
        ending = [self.running.pop(name) for name in names]
        for process in ending:
            process.terminate()
        for process in ending:
            process.wait(TIMEOUT_SECONDS)

    def kill(self, name):
        """End a program by SIGKILL."""
        process = self.running.pop(name)
        process.kill()
        process.wait()

    def stop(self):
        for name in list(self.running):
            self.kill(name)
        self.link.cut()
        self.broker.kill()

    def lines(self, name):
        """Return the log of a program."""
        path = self.data / f"{name}.log"
        return path.read_text().splitlines() if path.exists() else []

    def mark(self):
        """Return how many lines each program has logged, for `since`."""
        return {name: len(self.lines(name)) for name in PROGRAMS}

    def since(self, mark):
        """Return the lines after a mark, each with its program."""
        return [
            f"{name} | {line}" for name, count in mark.items() for line in self.lines(name)[count:]
        ]

    def status_of(self, name, path="readyz"):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[name]}/{path}") as answer:
                return answer.status
        except urllib.error.HTTPError as exc:
            return exc.code
        except OSError:
            return 0

    def wait_until(self, is_so, what="", seconds=TIMEOUT_SECONDS):
        """Wait until a function returns something true, and return that."""
        deadline = time.monotonic() + seconds
        while not (found := is_so()):
            assert time.monotonic() < deadline, (what, self.since(dict.fromkeys(PROGRAMS, 0))[-60:])
            time.sleep(0.1)
        return found


@contextmanager
def fleet(data, **environment):
    """Yield the programs of a deployment, not started. Skips on SQLite: its link cannot be cut."""
    if templates.is_sqlite():
        pytest.skip("the database of the programs must be a PostgreSQL")
    with database(data) as url:
        made = Fleet(data, url, Redis(data), **environment)
        try:
            yield made
        finally:
            made.stop()
