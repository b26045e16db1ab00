"""Programs that want a terminal, in one of their own."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from contextlib import contextmanager, suppress

ROWS, COLUMNS = 50, 4000  # wide enough for an address on one line
TIMEOUT_SECONDS = 120


class Terminal:
    """A running program, what it printed, and a way to type."""

    def __init__(self, process, descriptor):
        self.process, self.descriptor = process, descriptor
        self.printed = ""

    def wait_for(self, pattern):
        """Return the match of a pattern in what was printed, as soon as there is one."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not (found := pattern.search(self.printed)):
            assert time.monotonic() < deadline, self.printed
            assert self._read(), self.printed
        return found

    def type(self, text):
        os.write(self.descriptor, text.encode())

    def finish(self):
        """Return all that was printed once the program has ended well."""
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while self._read():
            assert time.monotonic() < deadline, self.printed
        assert self.process.wait(TIMEOUT_SECONDS) == 0, self.printed
        return self.printed

    def _read(self):
        """Add what is printed next; return False when the program has closed its terminal."""
        readable, _, _ = select.select([self.descriptor], [], [], 1)
        if not readable:
            return True
        with suppress(OSError):  # which is how Linux says that the other end is closed
            self.printed += os.read(self.descriptor, 65536).decode(errors="replace")
            return True
        return False


@contextmanager
def started(command, *, home, **more):
    """Yield a program in a terminal, with `more` variables in its environment, and end it."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    process = subprocess.Popen(
        command,
        cwd=home,
        env={**environment(home), **more},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def environment(home):
    """Return what a program knows of the machine: a home of its own, and to be quiet."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(home),
        "CODEX_HOME": str(home),
        "TERM": "dumb",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
