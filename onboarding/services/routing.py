"""Routing: assigns unassigned cases, and customers with new hits, by the rules."""

from datetime import datetime

from onboarding.choices import NotificationKind, RoutedWork
from onboarding.event_types import EventType
from onboarding.models import Application
from onboarding.queries import routing
from onboarding.services.events import history
from onboarding.services.events.history import BANK
from onboarding.services.notifications import notify


def route(application: Application, work: RoutedWork, *, at: datetime) -> None:
    """Assign a case to the person whom the first fitting rule leads to, and notify them.

    A case with an active assignee keeps it. Without a fitting rule, or if
    nobody whom the rule names is present, the case stays unassigned. The lead must be locked.
    """
    if application.assignee and application.assignee.is_active:
        return
    if not routing.list_rules().exists():
        return
    found = routing.find_route(routing.read_facts(application, work), at=at)
    if found is None or found.person is None:
        return
    application.assignee = found.person
    application.save(update_fields=["assignee"])
    details = {"to": str(found.person.external_id), "rule": found.rule.position}
    history.record(application, EventType.ASSIGNED, by=BANK, at=at, **details)
    notify(NotificationKind.ASSIGNED, [found.person], application=application, at=at)
