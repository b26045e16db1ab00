"""Figures: metrics that are read from facts at each scrape, instead of being counted."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from prometheus_client.metrics_core import GaugeMetricFamily

Facts = dict[str, Any]
Values = dict[str, float | None]  # by the value of the label; None is left out


@dataclass(frozen=True)
class Figure:
    """A metric whose `values` are read from facts. `label` is the name of its label, if any."""

    name: str
    meaning: str
    values: Callable[[Facts], Values]
    label: str = ""

    def family(self, facts: Facts) -> "GaugeMetricFamily":
        """Return the metric with its present values."""
        from prometheus_client.metrics_core import GaugeMetricFamily

        labels = [self.label] * bool(self.label)
        family = GaugeMetricFamily(self.name, self.meaning, labels=labels)
        for key, value in self.values(facts).items():
            if value is not None:
                family.add_metric([key] * len(labels), float(value))
        return family


def fact(*path: str) -> Callable[[Facts], Values]:
    """Return a function that reads one fact: the value under the nested keys of `path`.

    It returns the value under the key "", or None there if a key is missing.
    """

    def read(facts: Facts) -> Values:
        found: Any = facts
        for name in path:
            found = None if found is None else found.get(name)
        return {"": found}

    return read
