"""The service under measurement: started on an empty sandbox, called, ended."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Service:
    """A running service, and how to call it."""

    process: psutil.Process
    port: int
    authorization: str

    def call(self, method: str, path: str, body: bytes) -> dict:
        """Send JSON and return the answer's. Raises: RuntimeError for any refusal."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method, f"/service/api/v1/{path}", body, self.headers())
        response = connection.getresponse()
        answer = response.read()
        connection.close()
        if not response.status < 300:
            raise RuntimeError(f"{method} {path}: {response.status} {answer[:1000]!r}")
        return json.loads(answer)

    def headers(self) -> dict[str, str]:
        """Return what every call carries."""
        return {
            "Authorization": self.authorization,
            "Content-Type": "application/json",
            "Accept": "application/json",
        }

    def cpu_seconds(self) -> float:
        """Return the CPU time that its processes have spent."""
        times = (process.cpu_times() for process in self._processes())
        return sum(spent.user + spent.system for spent in times)

    def resident(self) -> int:
        """Return the resident bytes of all its processes, now."""
        return sum(process.memory_info().rss for process in self._processes())

    def forget_peak(self) -> None:
        """Start to look for a new peak. Source: proc(5), clear_refs."""
        for process in self._processes():
            Path(f"/proc/{process.pid}/clear_refs").write_text("5")

    def peak(self) -> int:
        """Return the sum of the most bytes that each of its processes has held since."""
        statuses = (Path(f"/proc/{process.pid}/status") for process in self._processes())
        peaks = (re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) for status in statuses)
        return sum(int(found[1]) * 1024 for found in peaks if found)

    def _processes(self) -> list[psutil.Process]:
        return [self.process, *self.process.children(recursive=True)]


@contextmanager
def running_service(database_url: str = "") -> Iterator[Service]:
    """Yield the service, started with data of its own, which are gone afterwards.

    Without a `database_url` it has an SQLite file among them.
    """
    with tempfile.TemporaryDirectory(prefix="vestibule-bench-") as folder:
        port = free_port()
        ours = {"DATA_DIR": folder, "PORT": str(port), "RATE_LIMIT_FACTOR": "0"}
        environment = {**os.environ, **ours, "LOG_LEVEL": "WARNING"}
        environment["DATABASE_URL"] = database_url
        subprocess.run(
            [sys.executable, "-m", "config.development_secrets"],
            cwd=ROOT,
            env=environment,
            check=True,
        )
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up"],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
        )
        try:
            yield wait_until_served(process, port, Path(folder) / "demo.env")
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=30)


def wait_until_served(process: subprocess.Popen, port: int, facts: Path) -> Service:
    """Return the service as soon as it answers."""
    wait_for_port(process, port)
    found = dict(line.split("=", 1) for line in facts.read_text().splitlines())
    authorization = f"{found['SCHEME_WORD']} {found['ACCESS_KEY']}:{found['SECRET_KEY']}"
    return Service(psutil.Process(process.pid), port, authorization)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for_port(process: subprocess.Popen, port: int) -> None:
    """Return once a server takes connections. Raises: RuntimeError if it ended."""
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError("The server did not start.")
