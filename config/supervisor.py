"""Supervisor: starts programs, restarts each that ends, and stops all together."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from config import processes

STEADY_SECONDS = 60.0  # a program that ran longer restarts after FIRST_DELAY
FIRST_DELAY, LONGEST_DELAY = 1.0, 30.0
STOP_TIMEOUT_SECONDS = 10.0  # time from SIGTERM to SIGKILL
WIDTH = 6  # of the program's name before each line
HANDLERS: dict[int, Any] = {  # of the signals that the supervisor handles, in a new program
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
}
_one_line = threading.Lock()


class Program:
    """A function that runs in a fork of this process, which shares its memory with the fork.

    A new Program starts at once. The fork has a process group of its own, so that Ctrl-C signals
    only the supervisor. Its output is copied to standard error, with the program's name before each
    line.
    """

    def __init__(self, name: str, run: Callable[[], object]) -> None:
        self.name, self.run = name, run
        self.delay = 0.0
        self.start()

    @property
    def pid(self) -> int:
        """Return the process id, which is the id of the process group, too."""
        assert self.process.pid  # noqa: S101 - it has been started
        return self.process.pid

    @property
    def is_running(self) -> bool:
        return self.process.is_alive()

    def start(self) -> None:
        """Fork, and start a thread that relays the output."""
        output, pipe = os.pipe()
        arguments = (pipe, os.getpid())
        self.process = processes.FORKING.Process(target=self._run, args=arguments, name=self.name)
        with _one_line:  # no other thread holds the lock of standard error in the fork
            sys.stdout.flush()
            self.process.start()
        os.close(pipe)
        threading.Thread(target=relay, args=(self.name, output), daemon=True).start()
        self.started_at, self.due_at = time.monotonic(), 0.0

    def _run(self, pipe: int, supervisor: int) -> None:
        os.setsid()
        processes.end_with(supervisor)
        for number, handler in HANDLERS.items():
            signal.signal(number, handler)
        processes.take_name(self.name)
        for stream in (1, 2):
            os.dup2(pipe, stream)
        os.close(pipe)
        self.run()

    def tend(self, say: Callable[[str], object]) -> None:
        """Restart the program if it ended and its delay is over; to be called again and again.

        The delay grows with each failure in a row. What is left of the program is killed first.
        """
        now = time.monotonic()
        if self.is_running:
            return
        if not self.due_at:
            self.clear()
            grown = 0.0 if now - self.started_at > STEADY_SECONDS else self.delay * 2
            self.delay = min(max(grown, FIRST_DELAY), LONGEST_DELAY)
            self.due_at = now + self.delay
            say(f"{self.name} ended with {self.process.exitcode}; again in {self.delay:.0f} s")
        elif now >= self.due_at:
            self.start()

    def clear(self) -> None:
        """Kill the process and all its descendants."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.process.kill()  # it may not lead its group yet
        self.process.join()


def relay(name: str, output: int) -> None:
    """Copy the lines of a program's output to standard error, each after the program's name.

    `output` is a file descriptor, which is closed at the end of the output. A closed standard error
    is no fault.
    """
    head = f"{name:{WIDTH}} | ".encode()
    with open(output, "rb") as lines:
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
