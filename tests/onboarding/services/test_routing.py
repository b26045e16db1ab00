"""Routing: cases of nobody are assigned by the rules when they become ready for review."""

from datetime import timedelta

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import NotificationKind, RoutedWork
from onboarding.event_types import EventType
from onboarding.models import Absence, Application, Notification, RoutingRule, Team
from onboarding.queries import audit
from onboarding.services import routing
from onboarding.services.applications import lifecycle
from onboarding.services.checks import hit_alerts
from onboarding.services.customers import changes
from onboarding.services.events.history import CHECKS
from tests.factories import NOON
from tests.onboarding.cases import load, make_case, make_reviewer
from tests.onboarding.customers import cases_of, make_customer, make_review, reload
from tests.onboarding.hits import make_hit


@pytest.fixture
def ada(db):
    return make_reviewer()


@pytest.fixture
def bob(db):
    return make_reviewer()


def make_rule(goal, position=1, **values):
    to = {"team": goal} if isinstance(goal, Team) else {"person": goal}
    return RoutingRule.objects.create(position=position, **to, **values)


def test_a_case_is_assigned_when_it_becomes_ready_for_review(ada):
    make_rule(ada)
    case = load(make_case(Status.SUBMITTED))

    lifecycle.move(case, Status.IN_REVIEW, by=CHECKS, at=NOON)

    assert load(case).assignee == ada
    event = case.events.get(type=EventType.ASSIGNED)
    assert event.details == {"to": str(ada.external_id), "rule": 1}
    assert Notification.objects.get().kind == NotificationKind.ASSIGNED
    assert list(audit.find_faults()) == []


def test_an_assignee_keeps_the_case_and_one_who_left_does_not(ada, bob):
    make_rule(ada)
    case = make_case()
    Application.objects.update(assignee=bob)

    routing.route(load(case), RoutedWork.CASE, at=NOON)
    assert load(case).assignee == bob
    bob.is_active = False
    bob.save()
    routing.route(load(case), RoutedWork.CASE, at=NOON)

    assert load(case).assignee == ada


def test_without_a_rule_that_fits_nobody_gets_the_case(ada):
    make_rule(ada, risk="HIGH")
    case = make_case(Status.SUBMITTED)

    routing.route(load(case), RoutedWork.CASE, at=NOON)

    assert load(case).assignee is None


def test_new_hits_of_a_customer_have_rules_of_their_own(ada, bob):
    make_rule(ada, 1, work=RoutedWork.CASE)
    make_rule(bob, 2, work=RoutedWork.HIT)
    customer = make_case(Status.APPROVED)
    make_hit(customer)

    hit_alerts.update_alert(load(customer), is_alert=True, at=NOON)

    assert load(customer).assignee == bob


def test_a_deputy_gets_what_would_be_assigned_to_who_is_absent(ada, bob):
    make_rule(ada)
    today = NOON.date()
    Absence.objects.create(user=ada, deputy=bob, first_day=today, last_day=today)
    first, second = make_case(), make_case()

    routing.route(load(first), RoutedWork.CASE, at=NOON)
    routing.route(load(second), RoutedWork.CASE, at=NOON + timedelta(days=1))

    assert (load(first).assignee, load(second).assignee) == (bob, ada)


def test_a_review_and_a_requested_change_are_assigned_by_the_rules(ada, bob):
    make_rule(ada, 1, work=RoutedWork.REVIEW, risk="LOW")
    make_rule(bob, 2, work=RoutedWork.CHANGE)
    customer = make_customer(risk="LOW")
    review = make_review(customer)
    change = changes.request_by_staff(
        customer, {"business_name": "Harbor Tea"}, text="A letter.", by=ada, at=NOON
    )

    assert (reload(review).assignee, reload(change).assignee) == (ada, bob)
    events = customer.lead.events.filter(type=EventType.ASSIGNED).order_by("number")
    assert [event.details for event in events] == [
        {"case_id": str(one.external_id), "kind": one.kind, "rule": rule, "to": str(to.external_id)}
        for one, rule, to in ((review, 1, ada), (change, 2, bob))
    ]
    told = Notification.objects.filter(kind=NotificationKind.ASSIGNED).order_by("pk")
    assert [(one.user, one.customer_case) for one in told] == [(ada, review), (bob, change)]
    assert list(audit.find_faults()) == []


def test_rules_go_by_the_risk_of_the_customer_and_leave_others_unassigned(ada):
    make_rule(ada, work=RoutedWork.REVIEW, risk="HIGH")

    low, high = (make_review(make_customer(risk=risk)) for risk in ("LOW", "HIGH"))

    assert (reload(low).assignee, reload(high).assignee) == (None, ada)


def test_the_review_for_a_new_hit_goes_to_who_has_the_hit(ada, bob):
    make_rule(bob, 1, work=RoutedWork.REVIEW)
    make_rule(ada, 2, work=RoutedWork.HIT)
    customer = make_customer()
    make_hit(customer.application)

    hit_alerts.update_alert(load(customer.application), is_alert=True, at=NOON)

    [review] = cases_of(customer)
    assert (load(customer.application).assignee, review.assignee) == (ada, ada)


def test_a_deputy_gets_the_review_of_a_colleague_who_is_absent(ada, bob):
    make_rule(ada, work=RoutedWork.REVIEW)
    today = NOON.date()
    Absence.objects.create(user=ada, deputy=bob, first_day=today, last_day=today)

    assert reload(make_review()).assignee == bob
