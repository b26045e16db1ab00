"""Counters, gauges and histograms that cost nothing until `start` is called.

Only `start` imports prometheus_client: a process without metrics is neither larger nor slower.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

Kind = Literal["Counter", "Gauge", "Histogram"]
Merge = Literal["livesum", "livemax"]
Buckets = tuple[float, ...]

OK, FAILED = "ok", "failed"
SHORT: Buckets = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.5, 5.0, 10.0)
LONG: Buckets = (0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0)


class Instrument:
    """A metric of this process.

    The values of labels are few and known in advance: routes, tools, outcomes; never ids, paths or
    addresses. `known` are label values that start at 0, so that a first failure is an increase.
    """

    kind: Kind
    all: list["Instrument"] = []

    def __init__(
        self,
        name: str,
        meaning: str,
        *,
        labels: Sequence[str] = (),
        known: Sequence[tuple[str, ...]] = (),
        buckets: Buckets = SHORT,
        merge: Merge = "livesum",
    ) -> None:
        self.name, self.meaning, self.labels = name, meaning, tuple(labels)
        self.known, self.buckets, self.merge = known, buckets, merge
        self._made: Any = None
        Instrument.all.append(self)

    def make(self, registry: Any) -> None:
        """Create the metric of prometheus_client."""
        import prometheus_client

        special: dict[str, dict[str, Any]] = {
            "Gauge": {"multiprocess_mode": self.merge},
            "Histogram": {"buckets": self.buckets},
        }
        make, options = getattr(prometheus_client, self.kind), special.get(self.kind, {})
        self._made = make(self.name, self.meaning, self.labels, registry=registry, **options)
        for values in self.known:
            self._made.labels(*values)

    @property
    def is_made(self) -> bool:
        """Return whether values are counted."""
        return self._made is not None

    def drop(self) -> None:
        """Forget the metric of prometheus_client; later values are not counted."""
        self._made = None

    def _child(self, labels: tuple[str, ...]) -> Any:
        return self._made.labels(*labels) if labels else self._made


class Counter(Instrument):
    """A number that only grows."""

    kind = "Counter"

    def count(self, *labels: str) -> None:
        """Add one."""
        if self._made is not None:
            self._child(labels).inc()


class Gauge(Instrument):
    """A number of this process now.

    Web adds up the numbers of its processes, or takes the greatest with `merge="livemax"`.
    """

    kind = "Gauge"

    def set(self, number: float) -> None:
        """Replace the number."""
        if self._made is not None:
            self._made.set(number)

    def add(self, number: int) -> None:
        """Add a number, which can be negative."""
        if self._made is not None:
            self._made.inc(number)


class Histogram(Instrument):
    """Durations in buckets. Units: seconds."""

    kind = "Histogram"

    def observe(self, seconds: float, *labels: str) -> None:
        """Add a duration."""
        if self._made is not None:
            self._child(labels).observe(seconds)


class Timed:
    """The outcome of a block under `timed`: `OK`, unless the block sets another."""

    outcome = OK


@contextmanager
def timed(total: Counter, duration: Histogram, *labels: str) -> Iterator[Timed]:
    """Count the block by its outcome, the last label of `total`, and observe its duration.

    An exception is the outcome `FAILED`, unless the block set another.
    """
    block, started = Timed(), time.perf_counter()
    try:
        yield block
    except BaseException:
        block.outcome = FAILED if block.outcome == OK else block.outcome
        raise
    finally:
        total.count(*labels, block.outcome)
        duration.observe(time.perf_counter() - started, *labels)


def start(registry: Any) -> None:
    """Create every instrument in a registry of prometheus_client. Must run before any fork."""
    for instrument in Instrument.all:
        instrument.make(registry)


def stop() -> None:
    """Forget the metrics that `start` created; nothing is counted until it is called again."""
    for instrument in Instrument.all:
        instrument.drop()


def are_counting() -> bool:
    """Return whether `start` was called, and `stop` was not called since."""
    return Instrument.all[0].is_made
