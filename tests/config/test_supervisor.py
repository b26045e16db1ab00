"""Programs that are kept running, and stopped together."""

import os
import signal
import time

import psutil
import pytest

from config import supervisor
from config.supervisor import Program

TIMEOUT_SECONDS = 120


@pytest.fixture
def program():
    """Start a function as a program; what is left of it ends with the test."""
    started = []

    def start(run):
        started.append(Program("web", run))
        return started[-1]

    yield start
    for each in started:
        each.clear()


def fail():
    raise SystemExit(3)


def sleep():
    time.sleep(60)


def tend_until(each, said, count):
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while len(said) < count and time.monotonic() < deadline:
        each.tend(said.append)
        time.sleep(0.01)


def test_a_program_that_keeps_ending_waits_longer_each_time(program, monkeypatch):
    monkeypatch.setattr(supervisor, "FIRST_DELAY", 0.2)
    monkeypatch.setattr(supervisor, "LONGEST_DELAY", 0.5)
    said, delays = [], []
    each = program(fail)

    for count in range(1, 5):
        tend_until(each, said, count)
        delays.append(each.delay)

    assert delays == [0.2, 0.4, 0.5, 0.5]
    assert said[0].startswith("web ended with 3; ")


def test_a_program_that_ran_long_enough_starts_again_soon(program, monkeypatch):
    monkeypatch.setattr(supervisor, "STEADY_SECONDS", -1.0)
    monkeypatch.setattr(supervisor, "FIRST_DELAY", 0.1)
    said = []
    each = program(fail)

    tend_until(each, said, 3)

    assert each.delay == 0.1


def test_a_running_program_is_left_alone(program):
    each = program(sleep)
    pid = each.pid

    each.tend(pytest.fail)

    assert each.pid == pid


def test_a_program_that_will_not_end_is_killed_with_its_children(program, tmp_path):
    def be_stubborn():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if os.fork():
            (tmp_path / "ready").touch()
        sleep()

    each = program(be_stubborn)
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not (tmp_path / "ready").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    family = [psutil.Process(each.pid), *psutil.Process(each.pid).children()]
    assert len(family) == 2

    supervisor.stop([each], patience=0.3)

    assert each.process.exitcode == -signal.SIGKILL
    assert psutil.wait_procs(family, timeout=TIMEOUT_SECONDS)[1] == []


def test_lines_of_a_program_begin_with_its_name(program, capfd):
    each = program(lambda: (os.write(1, b"served\n"), os.write(2, b"cried")))
    each.process.join(TIMEOUT_SECONDS)
    said = []

    deadline = time.monotonic() + TIMEOUT_SECONDS
    while len(said) < 2 and time.monotonic() < deadline:
        said += capfd.readouterr().err.splitlines()
        time.sleep(0.01)

    assert sorted(said) == ["web    | cried", "web    | served"]


def wait_until_named(each):
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while psutil.Process(each.pid).name() != "web" and time.monotonic() < deadline:
        time.sleep(0.01)


def test_a_program_takes_signals_as_if_it_had_no_supervisor(program):
    usual = {number: signal.signal(number, lambda *_: None) for number in supervisor.HANDLERS}
    try:
        each = program(sleep)
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
    wait_until_named(each)

    each.process.terminate()
    each.process.join(TIMEOUT_SECONDS)

    assert each.process.exitcode == -signal.SIGTERM


def test_a_program_starts_while_output_of_others_is_relayed(program):
    writing = program(lambda: [os.write(2, b"busy\n") for _ in range(2000)])

    others = [program(lambda: os.write(2, b"started\n")) for _ in range(10)]

    for each in (writing, *others):
        each.process.join(TIMEOUT_SECONDS)
        assert each.process.exitcode == 0


def test_a_program_shows_its_name(program):
    each = program(sleep)

    wait_until_named(each)

    assert psutil.Process(each.pid).name() == "web"
