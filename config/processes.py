"""Processes: forks of this process, and child processes that end when their parent dies."""

import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, Generic, TypeVar

PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15  # Source: prctl(2)
M_ARENA_MAX, ARENAS = -8, 2  # Source: mallopt(3)
T = TypeVar("T")
FORKING = multiprocessing.get_context("fork")


class ForkedCall(Generic[T]):
    """A call that runs in a fork of this process, so that the memory it takes ends with it.

    What the call returns or raises must be picklable.
    """

    def __init__(self, call: Callable[[], T]) -> None:
        self._receiver, sender = FORKING.Pipe(duplex=False)
        arguments = (call, sender, os.getpid())
        self._process = FORKING.Process(target=_answer, args=arguments)
        with sender:
            self._process.start()

    def result(self) -> T:
        """Wait for the call, and return its value.

        Raises: the exception of the call; ChildProcessError if its process was killed.
        """
        try:
            value, error = self._receiver.recv()
        except EOFError:
            raise ChildProcessError("The process was killed before it had an answer.") from None
        finally:
            self.end()
        if error is not None:
            raise error
        return value  # type: ignore[no-any-return]  # a pipe has no types

    def end(self) -> None:
        """End the process of the call, if it still runs."""
        self._process.terminate()
        self._process.join()


def _answer(call: Callable[[], Any], sender: Any, parent: int) -> None:
    end_with(parent)
    answer: tuple[Any, BaseException | None]
    try:
        answer = call(), None
    except (Exception, SystemExit) as exc:  # noqa: BLE001 - the parent raises it
        answer = None, exc
    sender.send(answer)


def end_with(parent: int) -> None:
    """Send SIGTERM to this process when its parent dies, even by SIGKILL. Linux only."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # the parent died before prctl was called
        os.kill(os.getpid(), signal.SIGTERM)


def take_name(name: str) -> None:
    """Set the name of this process in `top` and `ps -o comm`, of up to 15 bytes. Linux only."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode())


def limit_arenas() -> None:
    """Let the threads of this process allocate from few arenas. For the C library of GNU only.

    Each thread has an arena of its own otherwise, with free memory that no other thread uses.
    """
    if mallopt := getattr(ctypes.CDLL(None), "mallopt", None):
        mallopt(M_ARENA_MAX, ARENAS)
