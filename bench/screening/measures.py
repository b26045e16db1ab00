"""Counts of found and wrongly found names by class, as a table."""

import csv
import statistics
from dataclasses import dataclass, field
from pathlib import Path

from bench.screening.labelled import Query

FORMER = Path(__file__).parent / "before.csv"
RECALL, EACH_CLASS, FALSE_ALARMS = 97, 90, 2  # percent
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"


@dataclass
class Result:
    """Counts by label: queries, and queries with the expected answer (of negatives: any hit)."""

    entries: int
    names: int
    asked: dict[str, int] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)
    negatives: set[str] = field(default_factory=set)
    times: list[float] = field(default_factory=list)  # milliseconds
    wrong: list[Query] = field(default_factory=list)

    def add(self, query: Query, entries: set[int], taken: float) -> None:
        """Count a query."""
        is_negative = query.entry is None
        is_found = bool(entries) if is_negative else query.entry in entries
        self.asked[query.label] = self.asked.get(query.label, 0) + 1
        self.found[query.label] = self.found.get(query.label, 0) + is_found
        self.times.append(taken)
        if is_negative:
            self.negatives.add(query.label)
        if is_found == is_negative:
            self.wrong.append(query)

    def percent(self, *labels: str) -> float:
        """Return the share of queries of these labels that found something. Unit: percent."""
        return 100 * sum(self.found[one] for one in labels) / sum(self.asked[one] for one in labels)

    @property
    def positives(self) -> list[str]:
        """Return the classes of listed names."""
        return [label for label in self.asked if label not in self.negatives]


def holds(result: Result) -> bool:
    """Return whether the goals hold."""
    classes = [result.percent(label) for label in result.positives]
    return (
        result.percent(*result.positives) >= RECALL
        and result.percent(*result.negatives) <= FALSE_ALARMS
        and min(classes) >= EACH_CLASS
    )


def to_table(result: Result, former: dict[str, str]) -> str:
    """Return the table in Markdown."""
    positives, negatives = result.positives, sorted(result.negatives)
    lines = [
        f"{result.entries:,} entries with {result.names:,} names; "
        f"{sum(result.asked[one] for one in positives):,} queries of listed names, "
        f"{sum(result.asked[one] for one in negatives):,} of names that are on no list; "
        f"{statistics.median(result.times):.1f} ms of CPU a search in the median, "
        f"{statistics.quantiles(result.times, n=100)[98]:.1f} ms for 99 of 100.",
        "",
        "| class | queries | found before | found | goal |",
        "|---|--:|--:|--:|--:|",
    ]
    lines += [_row(result, former, label, f"≥ {EACH_CLASS} %") for label in positives]
    lines += [_sum(result, former, "all listed names", positives, f"≥ {RECALL} %")]
    lines += [
        "",
        "| on no list | queries | alarms before | alarms | goal |",
        "|---|--:|--:|--:|--:|",
    ]
    lines += [_row(result, former, label, "") for label in negatives]
    lines += [_sum(result, former, "all names on no list", negatives, f"≤ {FALSE_ALARMS} %")]
    return "\n".join(lines) + "\n"


def keep(result: Result, path: Path) -> None:
    """Write the counts into a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["label", "asked", "found"])
        writer.writerows((one, result.asked[one], result.found[one]) for one in result.asked)


def read_former() -> dict[str, str]:
    """Return the found counts of the earlier matching by label; empty without a file."""
    if not FORMER.exists():
        return {}
    with FORMER.open(encoding="utf-8", newline="") as file:
        return {row["label"]: row["found"] for row in csv.DictReader(file)}


def write_table(document: Path, text: str) -> None:
    """Replace the table between the marks of a document."""
    before, _, rest = document.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    document.write_text(f"{before}{BEGIN}\n{text}{END}{after}", encoding="utf-8")


def _row(result: Result, former: dict[str, str], label: str, goal: str) -> str:
    asked = result.asked[label]
    before = f"{100 * int(former[label]) / asked:.1f} %" if label in former else ""
    return f"| {label} | {asked:,} | {before} | {result.percent(label):.1f} % | {goal} |"


def _sum(result: Result, former: dict[str, str], label: str, labels: list[str], goal: str) -> str:
    asked = sum(result.asked[one] for one in labels)
    known = sum(int(former[one]) for one in labels) if former else 0
    before = f"{100 * known / asked:.1f} %" if former else ""
    return f"| **{label}** | {asked:,} | {before} | **{result.percent(*labels):.1f} %** | {goal} |"
