"""Supervisor: starts programs, restarts each that ends, and stops all together."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from config import processes

STEADY_SECONDS = 60.0  # a program that ran longer restarts after FIRST_DELAY
FIRST_DELAY, LONGEST_DELAY = 1.0, 30.0
STOP_TIMEOUT_SECONDS = 10.0  # time from SIGTERM to SIGKILL
WIDTH = 6  # of the program's name before each line
_one_line = threading.Lock()


class Program:
    """One program in its own process group, so that Ctrl-C signals only the supervisor.

    Its output is copied to standard error, with the program's name before each line.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.name, self.command, self.folder = name, command, folder
        self.environment = environment or {}
        self.delay = 0.0
        self.start()

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def start(self) -> None:
        """Start the process, and a thread that relays its output."""
        self.process = subprocess.Popen(  # noqa: S603 - the commands are fixed
            self.command,
            cwd=self.folder,
            env={**os.environ, **self.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=partial(processes.end_with, os.getpid()),
        )
        threading.Thread(target=relay, args=(self.name, self.process), daemon=True).start()
        self.started_at, self.due_at = time.monotonic(), 0.0

    def tend(self, say: Callable[[str], object]) -> None:
        """Restart the program if it ended, after a delay that grows with each failure in a row."""
        now = time.monotonic()
        if self.is_running:
            return
        if not self.due_at:
            self.clear()
            grown = 0.0 if now - self.started_at > STEADY_SECONDS else self.delay * 2
            self.delay = min(max(grown, FIRST_DELAY), LONGEST_DELAY)
            self.due_at = now + self.delay
            say(f"{self.name} ended with {self.process.returncode}; again in {self.delay:.0f} s")
        elif now >= self.due_at:
            self.start()

    def clear(self) -> None:
        """Kill the process and all its descendants."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def relay(name: str, process: "subprocess.Popen[bytes]") -> None:
    """Copy the output of a program until it ends, even if standard error is closed."""
    head = f"{name:{WIDTH}} | ".encode()
    assert process.stdout  # noqa: S101 - Popen got stdout=PIPE
    with process.stdout as lines:
        for line in lines:
            with _one_line, suppress(OSError):
                sys.stderr.buffer.write(head + line.rstrip(b"\n") + b"\n")
                sys.stderr.buffer.flush()


def watch(programs: Sequence[Program], say: Callable[[str], object]) -> None:
    """Restart programs that end, forever."""
    while True:
        for program in programs:
            program.tend(say)
        time.sleep(0.2)


def stop(programs: Sequence[Program], *, patience: float = STOP_TIMEOUT_SECONDS) -> None:
    """Send SIGTERM to the programs, then SIGKILL after `patience` seconds."""
    for program in programs:
        program.process.terminate()
    deadline = time.monotonic() + patience
    while any(program.is_running for program in programs) and time.monotonic() < deadline:
        time.sleep(0.02)
    for program in programs:
        program.clear()
