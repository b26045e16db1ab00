"""The state of the deployment as metrics."""

import re
import threading
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from config import deployment_metrics, metrics_server, status
from config.deployment_metrics import FIGURES, DeploymentFacts
from foundation.metrics.instruments import Instrument

PAGE = Path(__file__).parents[2] / "docs" / "production.md"
ANSWERS = {name: {"fault": ""} for name in ("store", "mail")} | {
    "database": {"fault": "", "roundTripSeconds": 0.001, "secretsMatch": True},
    "broker": {"fault": "", "messages": 7},
    "work": {
        "heartbeatSeconds": 12,
        "deliveries": {"waiting": 3, "oldestSeconds": 60},
        "mails": {"waiting": 0, "oldestSeconds": 0, "failedToday": 2},
        "webhooks": {"disabled": 1},
        "lanes": {"leased": 4},
        "lists": {"overdue": 0},
    },
}


def part(name, measure=None):
    return status.Part(measure or (lambda _at: ANSWERS[name]), status.PARTS[name].silent)


@pytest.fixture
def parts(monkeypatch):
    """Return the parts, which a test may replace, without a database."""
    parts = {name: part(name) for name in status.PARTS}
    monkeypatch.setattr(status, "PARTS", parts)
    monkeypatch.setattr(deployment_metrics.connections, "close_all", lambda: None)
    return parts


def scrape():
    registry = CollectorRegistry()
    registry.register(DeploymentFacts())
    return generate_latest(registry).decode()


def test_the_figures_are_those_of_the_status(parts):
    text = scrape()

    assert 'vestibule_work_waiting{kind="deliveries"} 3.0' in text
    assert 'vestibule_work_oldest_seconds{kind="deliveries"} 60.0' in text
    assert 'vestibule_work_failed_today{kind="mails"} 2.0' in text
    assert 'vestibule_component_up{component="store"} 1.0' in text
    for line in ("heartbeat_age_seconds 12.0", "broker_messages 7.0", "webhooks_disabled 1.0"):
        assert f"vestibule_{line}" in text
    for line in ("lanes_leased 4.0", "secrets_match 1.0", "migrations_pending 0.0"):
        assert f"vestibule_{line}" in text


def test_a_database_that_hangs_is_down_and_the_others_are_told(parts, monkeypatch):
    monkeypatch.setattr(deployment_metrics, "ANSWER_SECONDS", 0.5)
    answers = threading.Event()
    parts["database"] = part("database", lambda _at: answers.wait(600) and ANSWERS["database"])
    parts["work"] = part("work", lambda _at: answers.wait(600) and ANSWERS["work"])
    try:
        text = scrape()
    finally:
        answers.set()

    assert 'vestibule_component_up{component="database"} 0.0' in text
    assert 'vestibule_component_up{component="broker"} 1.0' in text
    assert "vestibule_work_waiting{" not in text


def test_a_part_that_hangs_is_not_started_again(parts, monkeypatch):
    monkeypatch.setattr(deployment_metrics, "ANSWER_SECONDS", 0.1)
    monkeypatch.setattr(status, "CACHE_SECONDS", 0.0)
    answers, starts = threading.Event(), []

    def hang(_at):
        starts.append(1)
        answers.wait(600)
        return ANSWERS["store"]

    parts["store"] = part("store", hang)
    collector = DeploymentFacts()
    try:
        told = [collector.facts()["components"]["store"] for _ in range(3)]
    finally:
        answers.set()

    assert (told, len(starts)) == ([False] * 3, 1)


def test_figures_are_measured_again_only_after_a_while(parts):
    measured = []
    parts["mail"] = part("mail", lambda at: measured.append(at) or ANSWERS["mail"])
    collector = DeploymentFacts()

    for _ in range(3):
        collector.facts()

    assert len(measured) == 1


def test_a_part_that_raises_is_told_as_silent(parts):
    def fail(_at):
        raise RuntimeError

    parts["store"] = part("store", fail)

    assert 'vestibule_component_up{component="store"} 0.0' in scrape()


def test_each_metric_is_in_the_table_of_the_documentation_and_no_other():
    declared = {one.name: one.labels for one in Instrument.all}
    declared |= {one.name: (one.label,) * bool(one.label) for one in FIGURES}
    declared |= {one.name: () for one in metrics_server.DISK}
    declared[f"{metrics_server.BUILD}_info"] = ("version", "program")

    rows = re.findall(r"^\| `(vestibule_\w+)(?:\{([\w, ]+)\})?` \|", PAGE.read_text(), re.MULTILINE)

    written = {name: tuple(labels.split(", ")) if labels else () for name, labels in rows}
    assert written == declared
