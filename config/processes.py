"""Ends of processes: none of ours outlives the one that started it."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # Source: prctl(2)


def end_with(parent: int) -> None:
    """Have Linux end this process when its parent ends, be it by SIGKILL; elsewhere, do nothing."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it ended before we asked
        os.kill(os.getpid(), signal.SIGTERM)
