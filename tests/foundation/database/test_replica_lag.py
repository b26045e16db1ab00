"""How far a replica is behind, from positions alone; `test_replica.py` asks a real one."""

import math
import threading
from collections import deque

import prometheus_client
import pytest

from foundation.database import replica_lag
from foundation.database.replica_lag import Watcher
from foundation.metrics import instruments

pytestmark = pytest.mark.one_database


@pytest.fixture
def watcher(monkeypatch, settings):
    """Return a watcher, and let it look at positions at a time that the test says."""
    settings.REPLICA_LAG_SECONDS = 5
    watcher, positions, now = Watcher(lambda _database: None), deque(), [0.0]
    monkeypatch.setattr(replica_lag, "ask", lambda connection, _query: connection)
    monkeypatch.setattr(replica_lag.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(watcher, "start", lambda: None)

    def look(at, *, primary, replayed, of="server"):
        now[0] = at
        watcher._look(("server", primary), (of, replayed), positions)  # noqa: SLF001 - its thread's step
        watcher._measure()  # noqa: SLF001 - as above
        return watcher.is_near()

    return look


def test_it_is_near_once_it_replayed_a_position_of_the_last_seconds(watcher):
    assert watcher(0, primary=10, replayed=10)
    assert watcher(4, primary=20, replayed=15)
    assert not watcher(6, primary=30, replayed=15)
    assert watcher(8, primary=40, replayed=25)


def test_an_idle_primary_has_no_replica_that_is_behind(watcher):
    assert all(watcher(at, primary=10, replayed=10) for at in (0, 100, 1000))


def test_another_server_and_one_that_is_no_standby_are_left_out(watcher, caplog):
    watcher(0, primary=10, replayed=10)

    assert not watcher(1, primary=10, replayed=10, of="another")
    assert not watcher(2, primary=10, replayed=None)
    assert watcher(3, primary=10, replayed=10)
    assert [line.getMessage() for line in caplog.records] == [
        "the replica is left out: it is away: it is no standby of the primary",
        "the replica is read from again",
    ]


@pytest.fixture
def registry():
    """Count, and return the registry with the metrics."""
    registry = prometheus_client.CollectorRegistry()
    instruments.start(registry)
    yield registry
    instruments.stop()


def test_the_metrics_say_how_late_the_replica_is_and_that_it_is_left_out(watcher, registry):
    def shown():
        names = ("vestibule_replica_lag_seconds", "vestibule_replica_left_out")
        return [registry.get_sample_value(name) for name in names]

    assert shown() == [0, 0]

    watcher(0, primary=10, replayed=10)
    watcher(4, primary=20, replayed=15)
    assert shown() == [4, 0]

    watcher(7, primary=30, replayed=15)
    assert shown() == [7, 1]

    watcher(8, primary=40, replayed=None)
    assert shown() == [math.inf, 1]

    watcher(9, primary=40, replayed=40)
    assert shown() == [0, 0]


@pytest.mark.parametrize("counts", [True, False])
def test_the_thread_goes_on_without_reads_where_metrics_are_served(monkeypatch, counts):
    class Closed:
        def close(self):
            pass

    looked, watcher = threading.Event(), Watcher(lambda _database: Closed())
    monkeypatch.setattr(replica_lag, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(watcher, "_look", lambda *_: looked.set())
    monkeypatch.setattr(instruments, "are_counting", lambda: counts)

    watcher.start()
    thread = watcher._thread  # noqa: SLF001 - there is no other way
    went_on = looked.wait(60) if counts else not thread.join(60) and looked.is_set()
    monkeypatch.setattr(instruments, "are_counting", lambda: False)
    thread.join(60)

    assert went_on is counts
    assert not thread.is_alive()
