"""The page "State of the deployment" in the back office, for staff without Grafana.

Shows the figures of `/status` with the thresholds of docs/production.md, "Watching".
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from config import status
from config.figures import Facts, fact
from foundation.backoffice.screens import badge
from foundation.backoffice.site import Figure, figures

PERMISSION = "banking.view_job"
PRODUCTION, RUNBOOK = "docs/production.md", "docs/runbook.md"
SCREENING = "docs/screening.md"
WATCHING = (PRODUCTION, "Watching")


@dataclass(frozen=True)
class Watched:
    """A figure of `/status` that staff look at when it is above `most`.

    `page` names the document and its section that say what to do. An unknown figure is above.
    """

    label: str
    path: tuple[str, ...]
    most: int
    unit: str = ""
    page: tuple[str, str] = WATCHING

    def value(self, facts: Facts) -> float | None:
        """Return the figure, or None if it is unknown."""
        return fact(*self.path)(facts)[""]

    def is_above(self, facts: Facts) -> bool:
        """Return whether the figure is unknown or above `most`, so that staff should look."""
        value = self.value(facts)
        return value is None or value > self.most

    def row(self, facts: Facts) -> list[Any]:
        """Return the table cells of the figure: label, state, value, `most` and page to read."""
        value = self.value(facts)
        shown = "unknown" if value is None else f"{value:,} {self.unit}".rstrip()
        state = _mark("Look" if self.is_above(facts) else "OK", is_fine=not self.is_above(facts))
        return [
            self.label,
            state,
            shown,
            f"{self.most:,} {self.unit}".rstrip(),
            ", ".join(self.page),
        ]


def _work(kind: str, name: str) -> tuple[str, ...]:
    return ("work", kind, name)


MAIL, SCANS = (RUNBOOK, "Mail"), (PRODUCTION, "Malware")
WATCHED = [
    Watched("Last heartbeat of beat, broker and worker", ("work", "heartbeatSeconds"), 150, "s"),
    Watched("Messages in the broker", ("brokerMessages",), 500),
    Watched("Oldest event to be published", _work("events", "oldestSeconds"), 60, "s"),
    Watched("Oldest delivery to a webhook", _work("deliveries", "oldestSeconds"), 3600, "s"),
    Watched("Deliveries given up today", _work("deliveries", "failedToday"), 0),
    Watched("Disabled webhooks", _work("webhooks", "disabled"), 0),
    Watched("Oldest mail", _work("mails", "oldestSeconds"), 600, "s", MAIL),
    Watched("Mails given up today", _work("mails", "failedToday"), 0, "", MAIL),
    Watched("Oldest file to be scanned", _work("scans", "oldestSeconds"), 60, "s", SCANS),
    Watched("Files with malware today", _work("scans", "malwareToday"), 0, "", SCANS),
    Watched("Oldest job that is due", _work("jobs", "oldestSeconds"), 60, "s"),
    Watched("Failed jobs today", _work("jobs", "failedToday"), 0),
    Watched("Oldest question to a provider", _work("verifications", "oldestSeconds"), 3600, "s"),
    Watched("Questions without an answer today", _work("verifications", "failedToday"), 0),
    Watched("Overdue lists", _work("lists", "overdue"), 0, "", (RUNBOOK, "The sanctions lists")),
    Watched(
        "Parties whose comparison with the lists failed",
        _work("parties", "notCompared"),
        0,
        "",
        (SCREENING, "When a comparison fails"),
    ),
]
COMPONENTS: dict[str, str] = {
    "database": "Database",
    "store": "Document store",
    "broker": "Broker",
    "mail": "Mail server",
}


@require_safe
def show(request: HttpRequest) -> TemplateResponse:
    """Show the state. Raises: PermissionDenied."""
    if not request.user.has_perm(PERMISSION):
        raise PermissionDenied
    facts = status.current_facts()
    context = {
        **admin.site.each_context(request),
        "title": "State of the deployment",
        "tables": [_components(facts), _figures(facts)],
        "seconds": int(status.CACHE_SECONDS),
    }
    return TemplateResponse(request, "admin/state.html", context)


def _components(facts: Facts) -> dict[str, Any]:
    up = facts["components"]
    rows = [
        [label, _mark("Answers" if up[name] else "Away", is_fine=up[name])]
        for name, label in COMPONENTS.items()
    ]
    return _table("Components", ["Component", "State"], rows)


def _mark(text: str, *, is_fine: bool) -> Any:
    return badge("done" if is_fine else "failed", text)  # type: ignore[no-untyped-call]  # a screen


def _figures(facts: Facts) -> dict[str, Any]:
    columns = ["Figure", "State", "Now", "Look when above", "What to do"]
    return _table("Waiting and failed work", columns, [figure.row(facts) for figure in WATCHED])


def _table(title: str, columns: list[str], rows: list[list[Any]]) -> dict[str, Any]:
    return {"title": title, "columns": [{"label": label} for label in columns], "rows": rows}


@figures("Operations")
def link(request: HttpRequest) -> list[Figure]:
    """Return the link to the page, for users who may see jobs; an empty list for others.

    Measures nothing, since a measurement may be slow.
    """
    if not request.user.has_perm(PERMISSION):
        return []
    return [Figure("State of the deployment", "State", reverse("state"))]


view: Callable[..., Any] = admin.site.admin_view(show)
