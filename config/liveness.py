"""Liveness: tell systemd, or the engine of a container, that a program makes progress.

The loops of the programs call `report`. The watchdog of systemd restarts a program
whose reports stop; a container engine runs `python -m config.liveness`, which looks at ALIVE_FILE.
Source: sd_notify(3), which is the whole protocol: a datagram to the socket of NOTIFY_SOCKET.
"""

import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

INTERVAL_SECONDS = 5.0  # between two reports
FRESH_SECONDS = 60.0  # age from which ALIVE_FILE says that the program hangs
_reported_at: float | None = None


def report() -> None:
    """Report progress, at most once in INTERVAL_SECONDS. The first report says "ready"."""
    global _reported_at
    now = time.monotonic()
    if _reported_at is not None and now - _reported_at < INTERVAL_SECONDS:
        return
    _send("WATCHDOG=1" if _reported_at is not None else "READY=1\nWATCHDOG=1")
    _reported_at = now
    if file := os.environ.get("ALIVE_FILE"):
        with suppress(OSError):  # a full disk ends no program
            Path(file).touch()


def report_while(
    makes_progress: Callable[[], bool], *, every: float, until: threading.Event | None = None
) -> None:
    """Start a thread that calls the function `every` so many seconds, and reports if it is true.

    Does nothing without a supervisor (NOTIFY_SOCKET) and without ALIVE_FILE.
    """
    if not os.environ.get("NOTIFY_SOCKET") and not os.environ.get("ALIVE_FILE"):
        return
    end = until or threading.Event()

    def watch() -> None:
        while not end.wait(every):
            if makes_progress():
                report()

    threading.Thread(target=watch, name="liveness", daemon=True).start()


@contextmanager
def waiting() -> Iterator[None]:
    """Report progress while the block waits for the broker: a restart would not help."""
    is_over = threading.Event()
    report_while(lambda: True, every=INTERVAL_SECONDS, until=is_over)
    try:
        yield
    finally:
        is_over.set()


def report_stop() -> None:
    """Report that the program has begun to end."""
    _send("STOPPING=1")


def is_fresh() -> bool:
    """Return whether the program that writes ALIVE_FILE has reported lately."""
    try:
        written_at = Path(os.environ["ALIVE_FILE"]).stat().st_mtime
    except (KeyError, OSError):
        return False
    return time.time() - written_at < FRESH_SECONDS


def _send(state: str) -> None:
    """Send a state to systemd, if it started this program."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    if address.startswith("@"):  # a socket without a file
        address = f"\0{address[1:]}"
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as supervisor:
        supervisor.connect(address)
        supervisor.sendall(state.encode())


if __name__ == "__main__":
    sys.exit(not is_fresh())
