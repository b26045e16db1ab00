"""Confinement: limits that a process sets for itself, for good, before it reads a hostile file."""

import ctypes
import os
import platform
import resource
import struct
import sys
from typing import Final

MEMORY_BYTES = 512 * 1024**2
CPU_SECONDS = 10
RESULT_BYTES = 16 * 1024**2
CALLS: Final = {  # allowed system calls: numbers on x86-64 and on arm64
    "read": (0, 63), "write": (1, 64), "close": (3, 57), "fstat": (5, 80), "lseek": (8, 62),
    "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215), "brk": (12, 214),
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "pread64": (17, 67), "sched_yield": (24, 124), "mremap": (25, 216), "madvise": (28, 233),
    "getpid": (39, 172), "exit": (60, 93), "gettimeofday": (96, 169), "futex": (202, 98),
    "clock_gettime": (228, 113), "exit_group": (231, 94), "getrandom": (318, 278),
}  # fmt: skip
# Source: linux/audit.h, linux/seccomp.h, linux/bpf_common.h, prctl(2)
ARCHITECTURES: Final = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050001  # to refuse is to answer EPERM
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
NUMBER_AT, ARCHITECTURE_AT = 0, 4  # in what the filter is asked about


def limit_resources() -> None:
    """Limit memory, CPU time and the size of the result, and forbid child processes."""
    os.nice(10)
    for limit, most in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, RESULT_BYTES),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (most, most))


def forbid_system_calls() -> None:
    """Forbid all system calls but those on memory and open files: no network, no file, no program.

    Call this after all imports. Other systems than Linux on x86-64 and arm64 keep the limits of
    `limit_resources` only. Raises: OSError if the kernel refuses.
    """
    if sys.platform != "linux" or platform.machine() not in ARCHITECTURES:
        return
    steps = _filter(*ARCHITECTURES[platform.machine()])
    program = ctypes.create_string_buffer(b"".join(steps))
    header = struct.pack("HP", len(steps), ctypes.addressof(program))
    libc = ctypes.CDLL(None, use_errno=True)
    for arguments in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, MODE_FILTER, header)):
        if libc.prctl(*arguments):
            raise OSError(ctypes.get_errno(), "prctl")


def _filter(column: int, architecture: int) -> list[bytes]:
    """Return a seccomp filter that allows CALLS."""
    steps = [_step(LOAD, ARCHITECTURE_AT), _step(JUMP_IF_EQUAL, architecture, 1)]
    steps += [_step(RETURN, KILL), _step(LOAD, NUMBER_AT)]
    for numbers in CALLS.values():
        steps += [_step(JUMP_IF_EQUAL, numbers[column], 0, 1), _step(RETURN, ALLOW)]
    return [*steps, _step(RETURN, REFUSE)]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)
