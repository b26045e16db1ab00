"""A worker and beat, processes of their own, beside a server of `serving`."""

import os
import secrets
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from functools import partial

import psycopg
import pytest
from django.conf import settings
from kombu import Connection
from kombu.exceptions import OperationalError
from redis import Redis

from config import processes
from tests.e2e.browsing import require

TIMEOUT_SECONDS = 120.0
BROKERS = {
    "files": "files://",
    "redis": "redis://127.0.0.1:6379/0",
    "rabbitmq": "amqp://guest:guest@127.0.0.1:5672//",
}


class Crew:
    """A worker, beat, and a queue that nobody else has. `worker` is the module that is started.

    The programs reach the broker by `url`, if it is given.
    """

    def __init__(self, server, broker, worker, url=""):
        self.server, self.broker, self.module = server, broker, worker
        self.queue = f"test-{secrets.token_hex(6)}"
        self.url = BROKERS[broker]
        server.environment |= {"CELERY_BROKER_URL": url or self.url, "TASK_QUEUE": self.queue}
        self.path = server.data / "work.log"
        self.started = []

    @property
    def log(self):
        return self.path.read_text()

    def start_worker(self, kinds=""):
        """Start a worker, for all kinds of work or for those that are named."""
        self.worker = self._start(self.module, **({"WORKER_QUEUES": kinds} if kinds else {}))

    def start_beat(self):
        self.beat = self._start("config.beat")

    def kill(self, process):
        """End a process by SIGKILL."""
        process.kill()
        process.wait()

    def waiting(self, kind):
        """Return the files of the messages that wait in the queue of a kind."""
        return list(self._messages.glob(f"*.{self.queue}-{kind}.msg"))

    def purge(self):
        """Lose every message that waits; return how many there were."""
        if self.broker == "files":
            waiting = list(self._messages.glob(f"*.{self.queue}*.msg"))
            for message in waiting:
                message.unlink(missing_ok=True)
            return len(waiting)
        with self._connection() as connection:
            return sum(map(connection.default_channel.queue_purge, self._queues()))

    def rows(self, query):
        """Return what a query finds in the server's database."""
        with self._database() as connection:
            return connection.execute(query).fetchall()

    def write(self, statement):
        """Change rows of the server's database, as time or somebody else would."""
        with self._database() as connection:
            connection.execute(statement)
            connection.commit()

    def wait_until(self, is_so):
        """Wait until a function returns something true, and return that."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not (found := is_so()):
            assert time.monotonic() < deadline, self.log
            time.sleep(0.05)
        return found

    def stop(self):
        """End what was started and leave nothing of it, in the broker neither."""
        for process in self.started:
            self.kill(process)
        self._forget()

    def _start(self, module, **more):
        with self.path.open("a") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", module],
                cwd=settings.BASE_DIR,
                env={**self.server.environment, "LOG_LEVEL": "INFO", **more},
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=partial(processes.end_with, os.getpid()),
            )
        self.started.append(process)
        return process

    @contextmanager
    def _database(self):
        if url := self.server.environment["DATABASE_URL"]:
            connection = psycopg.connect(url)
        else:
            connection = sqlite3.connect(self.server.data / "vestibule.sqlite3", timeout=20)
        with closing(connection):
            yield connection

    @property
    def _messages(self):
        return self.server.data / "broker" / "messages"

    def _connection(self):
        prefix = {"global_keyprefix": f"{self.queue}:"} if self.broker == "redis" else {}
        return Connection(self.url, transport_options=prefix, connect_timeout=2)

    def _queues(self):
        return [self.queue, *(f"{self.queue}-{kind}" for kind in settings.TASK_KINDS)]

    def _forget(self):
        if self.broker == "redis":
            with Redis.from_url(self.url) as redis:
                if keys := list(redis.scan_iter(f"{self.queue}:*")):
                    redis.delete(*keys)
        if self.broker == "rabbitmq":
            with self._connection() as connection:
                for queue in self._queues():
                    connection.default_channel.queue_delete(queue)


@contextmanager
def working(server, broker="files", worker="config.worker", kinds="", url=""):
    """Yield the crew of a server, at work. Skips, or with CI=true fails, without the broker."""
    if broker != "files":
        require_broker(broker)
    crew = Crew(server, broker, worker, url)
    try:
        crew.start_worker(kinds)
        crew.start_beat()
        yield crew
    finally:
        crew.stop()


def require_broker(broker):
    """Go on if the broker answers on this machine."""
    try:
        with Connection(BROKERS[broker], connect_timeout=2) as connection:
            connection.ensure_connection(max_retries=1, timeout=2)
    except (OperationalError, OSError) as exc:
        require(f"no {broker} answers at {BROKERS[broker].rpartition('@')[2]}: {exc}")


each_broker = pytest.mark.parametrize(
    "broker",
    [
        "files",
        pytest.param("redis", marks=pytest.mark.one_database),
        pytest.param("rabbitmq", marks=pytest.mark.one_database),
    ],
)
