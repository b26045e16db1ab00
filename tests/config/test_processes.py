"""Calls that run in a fork, and the memory that threads share."""

import os
import platform
import subprocess
import sys
import time

import psutil
import pytest

from config.processes import ARENAS, ForkedCall

TIMEOUT_SECONDS = 60
COUNT_ARENAS = """
import ctypes
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from config.processes import limit_arenas

limit_arenas()
together = Barrier(8)
with ThreadPoolExecutor(8) as pool:
    list(pool.map(lambda _number: (together.wait(), bytes(4096)), range(8)))
ctypes.CDLL(None).malloc_info(0, ctypes.c_void_p.in_dll(ctypes.CDLL(None), "stdout"))
"""


def test_a_call_runs_in_another_process():
    assert ForkedCall(os.getpid).result() != os.getpid()


@pytest.mark.parametrize(("error", "text"), [(ValueError, "no room"), (SystemExit, "no keys")])
def test_what_a_call_raises_is_raised_here(error, text):
    def fail():
        raise error(text)

    with pytest.raises(error, match=text):
        ForkedCall(fail).result()


def test_a_call_whose_process_is_killed_raises():
    with pytest.raises(ChildProcessError, match="was killed"):
        ForkedCall(lambda: os._exit(9)).result()


def test_a_call_ends_with_the_interest_in_it():
    before = set(psutil.Process().children())  # of other tests
    call = ForkedCall(lambda: time.sleep(60))
    [child] = set(psutil.Process().children()) - before

    call.end()

    assert not child.is_running()


@pytest.mark.skipif(sys.platform != "linux", reason="needs PR_SET_PDEATHSIG")
def test_a_call_ends_with_its_parent():
    def parent():
        ForkedCall(lambda: time.sleep(60))
        [child] = psutil.Process().children()
        return child.pid

    child = ForkedCall(parent).result()

    deadline = time.monotonic() + TIMEOUT_SECONDS
    while psutil.pid_exists(child) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not psutil.pid_exists(child)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_threads_share_few_arenas():
    counted = subprocess.run(
        [sys.executable, "-c", COUNT_ARENAS], capture_output=True, text=True, check=True
    )

    assert 1 <= counted.stdout.count("<heap nr=") <= ARENAS
