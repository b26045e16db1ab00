"""The metrics of each process."""

import re

import prometheus_client

from foundation.metrics import declared, instruments

METRICS = [one for one in vars(declared).values() if isinstance(one, instruments.Instrument)]


def test_each_metric_has_a_name_of_its_own_and_a_meaning():
    assert len({one.name for one in METRICS}) == len(METRICS)
    assert all(re.fullmatch(r"vestibule_[a-z_]+", one.name) for one in METRICS)
    assert all(one.meaning.endswith(".") for one in METRICS)


def test_names_end_as_the_format_wants():
    assert all(one.name.endswith("_total") for one in METRICS if one.kind == "Counter")
    assert all(one.name.endswith("_seconds") for one in METRICS if one.kind == "Histogram")


def test_the_client_takes_them_all():
    registry = prometheus_client.CollectorRegistry()
    try:
        instruments.start(registry)
        text = prometheus_client.generate_latest(registry).decode()
    finally:
        instruments.stop()

    assert all(f"# TYPE {one.name} " in text for one in METRICS)
