"""The figures of a trial: failed requests in each fault, and lost leads and messages at the end."""

import json
import os
import platform
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.trial.faults import WITHOUT_FAILURES, Window

Line = dict[str, Any]
BEGIN, END = "<!-- trial -->", "<!-- end of the trial -->"
CREATED = "application.created"


@dataclass(frozen=True)
class Outcome:
    """The records of the load and of the receiver, and the rows of the database."""

    requests: list[Line]
    received: list[Line]
    stored: set[str]
    replicated: int
    waiting: int
    mails: int

    @property
    def created(self) -> list[Line]:
        """Return the creates that were acknowledged."""
        return [line for line in self.requests if line.get("customer")]

    def delays(self) -> dict[str, float]:
        """Return the seconds from the call to its webhook, by customer."""
        sent = {line["customer"]: line["at"] for line in self.created}
        first: dict[str, float] = {}
        for line in self.received:
            customer = line["customer"]
            if line["type"] == CREATED and customer in sent and line["status"] == 204:
                first.setdefault(customer, line["at"] - sent[customer])
        return first

    def failed_in(self, window: Window) -> list[Line]:
        """Return the requests that failed in a window.

        A request that runs when the next part ends fails by that one.
        """
        failed = (line for line in self.requests if "fault" in line)
        return [line for line in failed if window.begun_at <= line["end"] < window.ended_at]

    def failures(self, windows: Sequence[Window]) -> list[str]:
        """Return a sentence for each window in which no request may fail and some did."""
        counts = {window.name: len(self.failed_in(window)) for window in windows}
        return [
            f"{counts[name]} requests failed: {name}"
            for name in WITHOUT_FAILURES
            if counts.get(name)
        ]

    def faults(self) -> list[str]:
        """Return a sentence for everything that was lost; nothing is expected."""
        created = {line["customer"] for line in self.created}
        orders = defaultdict(list)
        ids = defaultdict(set)
        for line in self.received:
            if line["customer"] and line["sequence"] is not None:
                ids[line["customer"], line["sequence"]].add(line["webhook_id"])
                if line["sequence"] not in orders[line["customer"]]:
                    orders[line["customer"]].append(line["sequence"])
        counts = {
            "acknowledged leads are not in the database": len(created - self.stored),
            "acknowledged leads have no webhook": len(created - self.delays().keys()),
            "leads had webhooks out of order": sum(
                seen != sorted(seen) for seen in orders.values()
            ),
            "events were sent under a second id": sum(len(one) > 1 for one in ids.values()),
            "signatures did not verify": sum(not line["is_verified"] for line in self.received),
            "deliveries still wait": self.waiting,
            "leads are missing in the replica": len(self.stored) - self.replicated,
        }
        return [f"{count} {text}" for text, count in counts.items() if count]


def read(log: Path) -> list[Line]:
    """Return the lines of a log. A last line that is not whole yet is left out."""
    text = log.read_text() if log.exists() else ""
    return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


def describe(outcome: Outcome, windows: Sequence[Window], seconds: float) -> str:
    """Return the report in Markdown."""
    delays = outcome.delays()
    rows = [
        "| fault | requests | failed | last failure | ready again | longest webhook delay |",
        "|---|--:|--:|--:|--:|--:|",
        *(_row(outcome, window, delays) for window in windows),
    ]
    events = {line["webhook_id"] for line in outcome.received}
    created = len(outcome.created)
    faults = outcome.faults()
    end = (
        f"At the end: {len(outcome.requests):,} requests, {created:,} leads acknowledged and "
        f"{len(outcome.stored):,} stored (those whose answer was lost included), {len(events):,} "
        f"webhook messages in {len(outcome.received):,} requests, {outcome.mails:,} mails; "
        f"{outcome.replicated:,} leads in the replica. Lost: {'; '.join(faults) or 'nothing'}."
    )
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}"
    head = f"{datetime.now(UTC):%Y-%m-%d}, {machine}; {seconds:.0f} s in all."
    return "\n".join([head, "", *rows, "", end])


def _row(outcome: Outcome, window: Window, delays: dict[str, float]) -> str:
    lines = [one for one in outcome.requests if window.begun_at <= one["at"] < window.ended_at]
    failed = outcome.failed_in(window)
    kinds = Counter(str(one["status"] or one["fault"]) for one in failed)
    shown = ", ".join(f"{count} of {kind}" for kind, count in kinds.most_common())
    last = max((one["end"] for one in failed), default=window.begun_at) - window.begun_at
    longest = max((delays.get(one.get("customer", ""), 0.0) for one in lines), default=0.0)
    return (
        f"| {window.name} | {len(lines)} | {len(failed)}{f' ({shown})' if shown else ''} "
        f"| {_seconds(last if failed else None)} | {_seconds(window.back_after)} "
        f"| {longest:.1f} s |"
    )


def _seconds(value: float | None) -> str:
    return "" if value is None else f"{value:.1f} s"


def write(page: Path, text: str) -> None:
    """Put the report between its marks on a page."""
    marks = re.compile(f"{re.escape(BEGIN)}.*?{re.escape(END)}", re.DOTALL)
    page.write_text(marks.sub(lambda _: f"{BEGIN}\n{text}\n{END}", page.read_text()))
