"""Counters, gauges and histograms of this process."""

import subprocess
import sys

import prometheus_client
import pytest

from foundation.metrics import instruments
from foundation.metrics.instruments import Counter, Gauge, Histogram, timed


@pytest.fixture
def declared(monkeypatch):
    """Let a test declare instruments of its own."""
    monkeypatch.setattr(instruments.Instrument, "all", [])


@pytest.fixture
def registry():
    return prometheus_client.CollectorRegistry()


def declare():
    total = Counter("tries_total", "Tries.", labels=["of", "outcome"], known=[("a", "ok")])
    return total, Histogram("tries_seconds", "Durations.", labels=["of"]), Gauge("busy", "Now.")


def test_nothing_is_counted_before_the_start(declared, registry):
    total, duration, busy = declare()
    total.count("a", "ok")
    duration.observe(1, "a")
    busy.add(1)
    assert not instruments.are_counting()

    instruments.start(registry)

    assert instruments.are_counting()
    assert registry.get_sample_value("tries_total", {"of": "a", "outcome": "ok"}) == 0
    assert registry.get_sample_value("busy") == 0


def test_a_block_is_counted_by_its_outcome_and_observed(declared, registry):
    total, duration, _ = declare()
    instruments.start(registry)

    with timed(total, duration, "a"):
        pass
    with timed(total, duration, "a") as block:
        block.outcome = "missing"
    with pytest.raises(ValueError), timed(total, duration, "a"):  # noqa: PT011 - ours
        raise ValueError

    for outcome in ("ok", "missing", "failed"):
        labels = {"of": "a", "outcome": outcome}
        assert registry.get_sample_value("tries_total", labels) == 1
    assert registry.get_sample_value("tries_seconds_count", {"of": "a"}) == 3


def test_nothing_is_counted_after_the_stop(declared, registry):
    _, _, busy = declare()
    instruments.start(registry)
    busy.add(2)

    instruments.stop()
    busy.add(1)

    assert registry.get_sample_value("busy") == 2


def test_a_process_without_metrics_does_not_load_the_client():
    code = (
        "import sys; import foundation.metrics.declared; print('prometheus_client' in sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"
