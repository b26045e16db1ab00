"""Servers under measurement: started for it, watched from outside, ended afterwards."""

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "bench" / "requirements.txt"
VENV = Path(sys.prefix) / "bench"
START_SECONDS = 60
UNHEARD = ["/bin/sh", "-c", 'exec "$@" 2>/dev/null', "sh"]  # before a command: its log goes nowhere


class NotServed(Exception):
    """The server ended, or took no connection in time."""


@dataclass(frozen=True)
class Server:
    """A running server, with the processes that it started."""

    process: psutil.Process
    port: int

    def cpu_seconds(self) -> float:
        """Return the CPU time that its threads have spent, which the kernel counts in ns."""
        return sum(_nanoseconds(process.pid) for process in self._processes()) / 1e9

    def memory(self) -> int:
        """Return the bytes that its processes have for themselves, now."""
        return sum(process.memory_full_info().uss for process in self._processes())

    def resident(self) -> int:
        """Return the resident bytes of its processes, now; shared pages count once for each."""
        return sum(process.memory_info().rss for process in self._processes())

    def forget_peak(self) -> None:
        """Start to look for a new peak. Source: proc(5), clear_refs."""
        for process in self._processes():
            Path(f"/proc/{process.pid}/clear_refs").write_text("5")

    def peak(self) -> int:
        """Return the sum of the most resident bytes that each of its processes has had since."""
        statuses = (Path(f"/proc/{process.pid}/status") for process in self._processes())
        peaks = (re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) for status in statuses)
        return sum(int(found[1]) * 1024 for found in peaks if found)

    def _processes(self) -> list[psutil.Process]:
        return [self.process, *self.process.children(recursive=True)]


def _nanoseconds(pid: int) -> int:
    """Return what the threads of a process have run. Source: sched-stats in the kernel's manual."""
    spent = 0
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            spent += int((thread / "schedstat").read_text().split()[0])
    return spent


@contextmanager
def serving(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[Server]:
    """Run a server while it is measured; `{port}` in its command is a free one.

    Raises: NotServed.
    """
    port = free_port()
    words = [word.replace("{port}", str(port)) for word in command]
    process = subprocess.Popen(words, cwd=ROOT, env=dict(environment), stdout=subprocess.DEVNULL)
    watched = psutil.Process(process.pid)
    try:
        wait_for_port(process, port)
        yield Server(watched, port)
    finally:
        started = [] if process.poll() is not None else watched.children(recursive=True)
        process.terminate()
        try:
            process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for left in started:
            with suppress(psutil.NoSuchProcess):
                left.kill()


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for_port(process: subprocess.Popen[bytes], port: int) -> None:
    """Return once a server takes connections. Raises: NotServed."""
    end = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < end:
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        time.sleep(0.05)
    raise NotServed(f"{process.args!r} does not serve.")


def peer_python() -> str:
    """Return the Python that has the peers' packages; the first run installs them."""
    python, mark = VENV / "bin" / "python", VENV / "installed"
    if not mark.exists() or mark.stat().st_mtime < REQUIREMENTS.stat().st_mtime:
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        # The file has all dependencies. pip would resolve `pydantic[email]` to the newest version.
        pinned = ["--no-deps", "--require-hashes", "-r", str(REQUIREMENTS)]
        subprocess.run([*pip, *pinned], check=True)
        mark.touch()
    return str(python)
