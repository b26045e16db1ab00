"""The limits of the child process, tried from inside of one."""

import platform
import subprocess
import sys

import pytest

from foundation.pdf import confinement

ATTEMPTS = {
    "a connection": "socket.socket()",
    "a file": "open('/etc/passwd')",
    "a program": "subprocess.Popen(['/bin/true'])",
    "a child": "os.fork()",
    "a signal": "os.kill(os.getppid(), 0)",
    "a look at a folder": "os.listdir('/')",
}


def run(code):
    """Run code in a process that has confined itself."""
    start = (
        "import os, socket, subprocess\n"
        "from foundation.pdf import confinement\n"
        "confinement.limit_resources()\nconfinement.forbid_system_calls()\n"
    )
    return subprocess.run(
        [sys.executable, "-c", start + code], capture_output=True, text=True, check=False
    )


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in confinement.ARCHITECTURES,
    reason="system calls are forbidden on Linux on x86-64 and arm64 only",
)
@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_nothing_outside_is_reached(attempt):
    ended = run(f"print('before', flush=True)\n{ATTEMPTS[attempt]}\nprint('after')")

    assert ended.stdout == "before\n"
    assert "PermissionError" in ended.stderr


def test_memory_is_limited():
    ended = run(f"bytes({confinement.MEMORY_BYTES})")

    assert "MemoryError" in ended.stderr


def test_processor_time_is_limited():
    ended = run("import resource; print(resource.getrlimit(resource.RLIMIT_CPU))")

    assert ended.returncode == 1  # asking for the limits is forbidden, too
    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            "from foundation.pdf import confinement\nconfinement.CPU_SECONDS = 1\n"
            "confinement.limit_resources()\nconfinement.forbid_system_calls()\nwhile True: pass",
        ],
        check=False,
        timeout=30,
    )
    assert ended.returncode < 0
