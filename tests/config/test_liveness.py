"""The progress that programs report to systemd and container engines."""

import socket
import threading

import pytest

from config import liveness

SECONDS = 60.0


@pytest.fixture
def supervisor(monkeypatch, tmp_path):
    """Return a socket that gets what a program reports, as systemd's does."""
    monkeypatch.setattr(liveness, "_reported_at", None)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "notify"))
        listener.settimeout(SECONDS)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield listener
        for thread in threading.enumerate():
            if thread.name == "liveness":  # it would report to the supervisor of the next test
                thread.join(SECONDS)


def test_the_first_report_says_ready_and_later_ones_that_there_is_progress(supervisor, monkeypatch):
    liveness.report()
    liveness.report()  # too early to be sent
    monkeypatch.setattr(liveness, "INTERVAL_SECONDS", 0.0)
    liveness.report()
    liveness.report_stop()

    reports = [supervisor.recv(100) for _ in range(3)]

    assert reports == [b"READY=1\nWATCHDOG=1", b"WATCHDOG=1", b"STOPPING=1"]


def test_a_supervisor_without_a_file_is_told_too(supervisor, monkeypatch):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind("")  # Linux chooses an address without a file
        listener.settimeout(SECONDS)
        monkeypatch.setenv("NOTIFY_SOCKET", f"@{listener.getsockname()[1:].decode()}")

        liveness.report()

        assert listener.recv(100) == b"READY=1\nWATCHDOG=1"


def test_a_program_without_progress_reports_nothing(supervisor):
    calls, end = [], threading.Event()

    liveness.report_while(lambda: len(calls) > 2 or bool(calls.append(None)), every=0.01, until=end)
    report = supervisor.recv(100)
    end.set()

    assert report == b"READY=1\nWATCHDOG=1"
    assert len(calls) == 3


def test_a_program_that_waits_for_another_one_reports_progress(supervisor, monkeypatch):
    monkeypatch.setattr(liveness, "INTERVAL_SECONDS", 0.01)

    with liveness.waiting():
        assert supervisor.recv(100) == b"READY=1\nWATCHDOG=1"
        assert supervisor.recv(100) == b"WATCHDOG=1"


def test_without_a_supervisor_nothing_happens(monkeypatch, tmp_path):
    monkeypatch.setattr(liveness, "_reported_at", None)
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    liveness.report()
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "nobody"))

    liveness.report_stop()


def test_a_file_tells_container_engines_of_progress(monkeypatch, tmp_path):
    monkeypatch.setattr(liveness, "_reported_at", None)
    monkeypatch.delenv("ALIVE_FILE", raising=False)
    assert not liveness.is_fresh()
    monkeypatch.setenv("ALIVE_FILE", str(tmp_path / "alive"))
    assert not liveness.is_fresh()

    liveness.report()

    assert liveness.is_fresh()
    monkeypatch.setattr(liveness, "FRESH_SECONDS", -1.0)
    assert not liveness.is_fresh()
