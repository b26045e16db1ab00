"""Metrics of the whole deployment: the figures of `/status` in another form, served by workers."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from django.db import connections
from django.utils import timezone

from config import status
from config.figures import Facts, Figure, Values, fact

if TYPE_CHECKING:
    from prometheus_client.metrics_core import GaugeMetricFamily

ANSWER_SECONDS = 3.0  # that a scrape waits for a part; Prometheus gives up after 10
KINDS = ["events", "deliveries", "mails", "scans", "jobs", "verifications"]  # of waiting work


def _per_kind(name: str) -> Callable[[Facts], Values]:
    """Return the function that reads a figure of each kind of work that has it."""
    return lambda facts: {kind: (facts["work"] or {}).get(kind, {}).get(name) for kind in KINDS}


FIGURES = [
    Figure("vestibule_work_waiting", "Rows that wait for a worker.", _per_kind("waiting"), "kind"),
    Figure(
        "vestibule_work_oldest_seconds",
        "Age of the oldest row that waits; 0 if none does.",
        _per_kind("oldestSeconds"),
        "kind",
    ),
    Figure(
        "vestibule_work_failed_today",
        "Rows that failed for good within 24 hours.",
        _per_kind("failedToday"),
        "kind",
    ),
    Figure(
        "vestibule_webhooks_disabled",
        "Webhooks that are disabled.",
        fact("work", "webhooks", "disabled"),
    ),
    Figure(
        "vestibule_lanes_leased",
        "Lanes of webhooks that a worker serves now.",
        fact("work", "lanes", "leased"),
    ),
    Figure(
        "vestibule_heartbeat_age_seconds",
        "Time since beat, broker and a worker together ran the heartbeat; none before the first.",
        fact("work", "heartbeatSeconds"),
    ),
    Figure(
        "vestibule_broker_messages", "Messages that wait in the broker.", fact("brokerMessages")
    ),
    Figure(
        "vestibule_lists_overdue",
        "Sanctions and PEP lists that are older than allowed.",
        fact("work", "lists", "overdue"),
    ),
    Figure(
        "vestibule_component_up",
        "1 if the database, store, broker or mail server answers in time, else 0.",
        lambda facts: dict(facts["components"]),
        "component",
    ),
    Figure(
        "vestibule_secrets_match",
        "1 if the secrets of this program are those of the database, else 0.",
        fact("secretsMatch"),
    ),
    Figure(
        "vestibule_migrations_pending",
        "1 if the database lacks migrations of this release, else 0.",
        fact("migrationsPending"),
    ),
    Figure(
        "vestibule_database_round_trip_seconds",
        "Duration of SELECT 1 on an open connection.",
        fact("roundTripSeconds"),
    ),
]


class DeploymentFacts:
    """Collector of FIGURES.

    Each part is measured in a thread of its own, and a scrape waits ANSWER_SECONDS at most: a
    database that hangs is then reported as down. A part that hangs is not started again.
    """

    def __init__(self) -> None:
        self._runs = {name: _Run(part) for name, part in status.PARTS.items()}
        self._begin()  # the first measurement takes longest

    def collect(self) -> Iterator["GaugeMetricFamily"]:
        """Yield the metrics."""
        facts = self.facts()
        for figure in FIGURES:
            yield figure.family(facts)

    def facts(self) -> Facts:
        """Return the figures of `/status`, at most `status.CACHE_SECONDS` old."""
        self._begin()
        return status.combine({name: run.answer() for name, run in self._runs.items()})

    def _begin(self) -> None:
        for run in self._runs.values():
            run.begin()


class _Run:
    """The newest measurement of a part, which may still run."""

    def __init__(self, part: status.Part) -> None:
        self.part = part
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.began_at: float | None = None
        self.result: Any = part.silent

    def begin(self) -> None:
        """Measure in a new thread, unless a measurement is running or new enough."""
        with self.lock:
            if self.began_at is not None:
                is_new = time.monotonic() - self.began_at < status.CACHE_SECONDS
                if is_new or not self.ended.is_set():
                    return
            self.began_at = time.monotonic()
            self.ended.clear()
            threading.Thread(target=self._measure, name="metrics-part", daemon=True).start()

    def answer(self) -> Any:
        """Return the result, or the `silent` value of the part if it has none in time."""
        began_at = self.began_at or 0.0
        left = began_at + ANSWER_SECONDS - time.monotonic()
        return self.result if self.ended.wait(max(left, 0)) else self.part.silent

    def _measure(self) -> None:
        try:
            self.result = self.part.measure(timezone.now())
        except Exception:  # noqa: BLE001 - the errors of the parts share no base class
            status.logger.exception("a part of the metrics cannot be measured")
            self.result = self.part.silent
        finally:
            connections.close_all()
            self.ended.set()
