"""Metrics on a port of their own."""

import os
import subprocess
import sys

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.mmap_dict import MmapedDict, mmap_key
from prometheus_client.multiprocess import MultiProcessCollector

from config import metrics_server


def write(folder, kind, pid, value):
    """Write a file as a process does that counts `value`."""
    values = MmapedDict(str(folder / f"{kind}_{pid}.db"))
    name = f"tries_{kind.split('_')[0]}"
    values.write_value(mmap_key(name, name, ["of"], ["a"], "Tries."), value, 0.0)
    values.close()


@pytest.fixture
def dead():
    """Return the id of a process that ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def shown(folder):
    registry = CollectorRegistry()
    registry.register(MultiProcessCollector(None, path=str(folder)))
    return generate_latest(registry).decode()


def test_files_of_dead_processes_become_one_and_their_counts_stay(tmp_path, dead):
    write(tmp_path, "counter", dead, 3.0)
    write(tmp_path, "gauge_livesum", dead, 8.0)
    write(tmp_path, "gauge_livemax", dead, 8.0)
    write(tmp_path, "counter", metrics_server.DEAD, 2.0)
    write(tmp_path, "counter", os.getpid(), 1.0)

    metrics_server.fold_dead(tmp_path)

    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"counter_0.db", f"counter_{os.getpid()}.db"}
    assert 'tries_counter{of="a"} 6.0' in shown(tmp_path)


def test_the_id_of_a_dead_process_may_belong_to_another_user_now(tmp_path, dead, monkeypatch):
    def refuse(_pid, _signal):
        raise PermissionError

    write(tmp_path, "counter", dead, 3.0)
    monkeypatch.setattr(metrics_server.os, "kill", refuse)

    metrics_server.fold_dead(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["counter_0.db"]


def test_without_a_port_nothing_is_served(settings, monkeypatch):
    settings.METRICS_PORT = 0
    monkeypatch.setattr(metrics_server, "_listen", lambda _: pytest.fail("it listened"))

    metrics_server.start("web", forks=True)
    metrics_server.join()


def test_the_version_is_that_of_the_release(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    registry = CollectorRegistry()
    registry.register(metrics_server.ProgramFacts("beat"))

    text = generate_latest(registry).decode()

    assert f'vestibule_build_info{{program="beat",version="{settings.VERSION}"}} 1.0' in text
    assert f'version = "{settings.VERSION}"' in (settings.BASE_DIR / "pyproject.toml").read_text()
    assert "vestibule_disk_free_bytes" in text
