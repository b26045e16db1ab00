"""Routing: when a case, a new hit or a customer case comes up, assign it by the rules and notify.

A hit is assigned with the customer's application.
"""

from datetime import datetime

from onboarding.choices import NotificationKind, RoutedWork
from onboarding.event_types import EventType
from onboarding.models import Application, CustomerCase
from onboarding.queries import routing
from onboarding.services.events import history
from onboarding.services.events.history import BANK
from onboarding.services.notifications import notify


def route(application: Application, work: RoutedWork, *, at: datetime) -> None:
    """Assign a case to the person whom the first fitting rule leads to, and notify them.

    A case with an active assignee stays with that person. Without a fitting rule, or if nobody
    whom the rule names is present, nothing is changed. The lead must be locked.
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


def route_customer_case(case: CustomerCase, *, at: datetime) -> None:
    """Assign a new customer case by the rules, as `route` assigns an application.

    While the customer has new screening hits, a review goes to the assignee of the application, who
    judges the hits, or to the assignee's deputy. Without any routing rule, or if nobody is present,
    the case stays unassigned. The lead must be locked.
    """
    if not routing.list_rules().exists():
        return
    application = case.customer.application
    details: dict[str, object] = {"case_id": str(case.external_id), "kind": str(case.kind)}
    person = None
    if case.is_review and application.new_hit_at and application.assignee:
        person = routing.find_present(application.assignee, at=at)
    if person is None:
        work = RoutedWork.REVIEW if case.is_review else RoutedWork.CHANGE
        found = routing.find_route(routing.read_customer_facts(case, work), at=at)
        if found is None or found.person is None:
            return
        person = found.person
        details["rule"] = found.rule.position
    case.assignee = person
    case.save(update_fields=["assignee"])
    details["to"] = str(person.external_id)
    history.record(application, EventType.ASSIGNED, by=BANK, at=at, **details)
    notify(NotificationKind.ASSIGNED, [person], application=application, customer_case=case, at=at)
