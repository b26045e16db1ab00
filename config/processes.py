"""Processes: child processes end when their parent dies (Linux PR_SET_PDEATHSIG)."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # Source: prctl(2)


def end_with(parent: int) -> None:
    """Send SIGTERM to this process when its parent dies, even by SIGKILL. Linux only."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # the parent died before prctl was called
        os.kill(os.getpid(), signal.SIGTERM)
