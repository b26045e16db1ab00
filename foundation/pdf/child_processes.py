"""Child processes, which read files from outside within limits of time and memory."""

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, Final

import foundation

ROOT = Path(foundation.__file__).resolve().parent.parent
PYTHON: Final = [sys.executable, "-s"]
SECONDS = 20  # of wall clock; the CPU time is limited by the child itself
AT_ONCE = threading.BoundedSemaphore(2)  # child processes of this process


class Unreadable(Exception):
    """The file cannot be read, or the child process reached a limit (`is_slow`)."""

    def __init__(self, *, is_slow: bool = False) -> None:
        super().__init__("slow" if is_slow else "damaged")
        self.is_slow = is_slow


def run_child(module: str, content: bytes, *arguments: str) -> bytes:
    """Return the output of `python -m module`, which reads `content` from its standard input.

    The child process gets none of this process's environment variables. It is killed after SECONDS.
    Waits until fewer child processes run than AT_ONCE allows.
    Raises: Unreadable.
    """
    command = [*PYTHON, "-m", module, *arguments]
    with AT_ONCE, _scratch(content) as source, _scratch() as result:
        try:
            ended = subprocess.run(  # noqa: S603 - a command of ours
                command,
                stdin=source,
                stdout=result,
                stderr=subprocess.DEVNULL,
                env={},
                cwd=ROOT,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Unreadable(is_slow=True) from None
        if ended.returncode:
            raise Unreadable(is_slow=ended.returncode < 0)
        result.seek(0)
        return result.read()


def _scratch(content: bytes = b"") -> IO[bytes]:
    """Return a temporary file with the content: in memory if the system can do so, else on disk."""
    if hasattr(os, "memfd_create"):
        file: IO[bytes] = os.fdopen(os.memfd_create("sent"), "w+b")
    else:
        file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    file.write(content)
    file.seek(0)
    return file
