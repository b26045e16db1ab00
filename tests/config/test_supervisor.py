"""Programs that are kept running, and stopped together."""

import signal
import sys
import time

import psutil
import pytest

from config import supervisor
from config.supervisor import Program

TIMEOUT_SECONDS = 120
STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open("ready", "w").close()
time.sleep(60)
"""


@pytest.fixture
def program(tmp_path):
    """Start a Python program; what is left of it ends with the test."""
    started = []

    def start(source):
        started.append(Program("web", [sys.executable, "-c", source], folder=tmp_path))
        return started[-1]

    yield start
    for each in started:
        each.clear()


def tend_until(each, said, count):
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while len(said) < count and time.monotonic() < deadline:
        each.tend(said.append)
        time.sleep(0.01)


def test_a_program_that_keeps_ending_waits_longer_each_time(program, monkeypatch):
    monkeypatch.setattr(supervisor, "FIRST_DELAY", 0.2)
    monkeypatch.setattr(supervisor, "LONGEST_DELAY", 0.5)
    said, delays = [], []
    each = program("raise SystemExit(3)")

    for count in range(1, 5):
        tend_until(each, said, count)
        delays.append(each.delay)

    assert delays == [0.2, 0.4, 0.5, 0.5]
    assert said[0].startswith("web ended with 3; ")


def test_a_program_that_ran_long_enough_starts_again_soon(program, monkeypatch):
    monkeypatch.setattr(supervisor, "STEADY_SECONDS", -1.0)
    monkeypatch.setattr(supervisor, "FIRST_DELAY", 0.1)
    said = []
    each = program("raise SystemExit(3)")

    tend_until(each, said, 3)

    assert each.delay == 0.1


def test_a_running_program_is_left_alone(program):
    each = program("import time; time.sleep(60)")
    pid = each.process.pid

    each.tend(pytest.fail)

    assert each.process.pid == pid


def test_a_program_that_will_not_end_is_killed_with_its_children(program, tmp_path):
    each = program(STUBBORN)
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not (tmp_path / "ready").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    family = [psutil.Process(each.process.pid), *psutil.Process(each.process.pid).children()]
    assert len(family) == 2

    supervisor.stop([each], patience=0.3)

    assert each.process.returncode == -signal.SIGKILL
    assert psutil.wait_procs(family, timeout=TIMEOUT_SECONDS)[1] == []


def test_lines_of_a_program_begin_with_its_name(program, capfd):
    each = program("import sys; print('served'); print('cried', file=sys.stderr, end='')")
    each.process.wait(TIMEOUT_SECONDS)
    said = []

    deadline = time.monotonic() + TIMEOUT_SECONDS
    while len(said) < 2 and time.monotonic() < deadline:
        said += capfd.readouterr().err.splitlines()
        time.sleep(0.01)

    assert sorted(said) == ["web    | cried", "web    | served"]
