"""The audit: what a change behind the house's back leaves."""

import pytest
from django.db import connection

from foundation.database import append_only
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import ProposalKind, Role
from onboarding.event_types import EventType
from onboarding.models import Application, Event, Lead, Proposal
from onboarding.queries import audit
from onboarding.services.applications import lifecycle
from onboarding.services.events.history import APPLICANT, CHECKS, CLOCK, Actor
from tests.factories import NOON, later
from tests.onboarding.services.leads import test_submissions as submissions


@pytest.fixture
def tamper(make_application):
    """Change the events of a lead with three of them; say what the audit finds."""
    application = make_application()
    steps = [Status.IN_PROGRESS, Status.SUBMITTED, Status.WITHDRAWN]
    for hour, target in enumerate(steps):
        lifecycle.move(application, target, by=APPLICANT, at=later(hours=hour))
    assert list(audit.find_faults()) == []
    append_only.unprotect(connection, "onboarding_event")

    def tamper(change):
        change(Event.objects)
        return [(finding.number, finding.fault) for finding in audit.find_faults()]

    return tamper


@pytest.mark.parametrize(
    "values",
    [
        {"who": "somebody"},
        {"details": {"reason": "none"}},
        {"status": "DENIED"},
        {"occurred_at": NOON},
        {"type": "application.in_review"},
    ],
)
def test_a_changed_event_is_found(tamper, values):
    found = tamper(lambda events: events.filter(number=2).update(**values))

    assert found == [(2, "was changed")]


def test_an_event_changed_with_its_digest_is_found_by_the_next(tamper):
    def forge(events):
        event = events.select_related("lead", "application").get(number=2)
        event.who = "somebody"
        event.digest = event.compute_digest()
        event.save()

    assert tamper(forge) == [(3, "does not follow the one before")]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_missing_event_is_found_and_named(tamper, number):
    found = tamper(lambda events: events.filter(number=number).delete())

    assert (number, "is missing") in found


def test_a_lead_whose_events_are_all_gone_is_found(tamper):
    found = tamper(lambda events: events.all().delete())

    assert [number for number, fault in found if fault == "is missing"] == [1, 2, 3]


def test_an_application_moved_without_an_event_is_found(tamper):
    found = tamper(lambda events: Application.objects.update(status=Status.APPROVED))

    assert found == [(3, "left the application WITHDRAWN, which is elsewhere now")]


def test_an_end_that_the_lead_does_not_know_is_found(tamper):
    found = tamper(lambda events: Lead.objects.update(event_count=2))

    assert found == [(2, "is not where the lead says that its events end")]


DECISIONS = {
    EventType.APPROVED: (Status.APPROVED, ProposalKind.APPROVE),
    EventType.APPROVED_TEMPORARY: (Status.APPROVED_TEMPORARY, ProposalKind.APPROVE_TEMPORARILY),
    EventType.DENIED: (Status.DENIED, ProposalKind.DENY),
    EventType.REOPENED: (Status.CREATED, ProposalKind.REOPEN),
}


@pytest.fixture
def decided(make_application, make_proposal, make_event, make_user):
    """Decide what one person proposed; another one may have confirmed it."""

    def make(decision=EventType.DENIED, *, kind=None, digest="0" * 64, **settled):
        first, second = make_user(user_type="STAFF"), make_user(user_type="STAFF")
        status, usual = DECISIONS[decision]
        application, kind = make_application(status=status), kind or usual
        values = {"status": "CONFIRMED", "settled_by": second, "settled_at": NOON, **settled}
        proposal = make_proposal(application, kind=kind, proposed_by=first, **values)
        actor = Actor(Role.REVIEWER, str(second.external_id))
        named = {"proposal_id": str(proposal.external_id), "evidence_digest": digest}
        make_event(application, decision, by=actor, **named)
        return proposal

    return make


@pytest.mark.parametrize("decision", DECISIONS)
def test_a_decision_by_two_people_is_in_order(decided, decision):
    decided(decision)

    assert list(audit.find_faults()) == []


@pytest.mark.parametrize("decision", DECISIONS)
@pytest.mark.parametrize(
    "settled",
    [
        {"status": "OPEN", "settled_by": None, "settled_at": None},
        {"status": "REFUSED"},
    ],
)
def test_a_decision_by_one_person_is_found(decided, decision, settled):
    decided(decision, **settled)

    assert [finding.fault for finding in audit.find_faults()] == [
        "has not the two people that it needs"
    ]


def test_a_decision_on_what_was_proposed_otherwise_is_found(decided):
    decided(kind=ProposalKind.APPROVE)

    assert len(list(audit.find_faults())) == 1


@pytest.mark.parametrize("decision", DECISIONS)
def test_a_decision_on_other_evidence_than_was_proposed_is_found(decided, decision):
    decided(decision, digest="1" * 64)

    assert [finding.fault for finding in audit.find_faults()] == [
        "rests on other evidence than its proposal"
    ]


def test_a_proposal_about_another_lead_does_not_count(decided, make_application):
    proposal = decided()
    Proposal.objects.filter(pk=proposal.pk).update(application=make_application())

    assert len(list(audit.find_faults())) == 1


def test_an_approval_that_was_not_proposed_needs_no_second(make_application, make_event, make_user):
    actor = Actor(Role.REVIEWER, str(make_user(user_type="STAFF").external_id))
    make_event(make_application(status=Status.APPROVED), EventType.APPROVED, by=actor)

    assert list(audit.find_faults()) == []


def test_a_denial_that_somebody_else_confirmed_than_the_event_says_is_found(decided, make_user):
    proposal = decided()
    Proposal.objects.filter(pk=proposal.pk).update(settled_by=make_user(user_type="STAFF"))

    assert len(list(audit.find_faults())) == 1


@pytest.mark.parametrize("actor", [CHECKS, CLOCK, Actor(Role.REVIEWER, "sandbox")])
def test_nobody_of_staff_needs_no_second_person(make_application, make_event, actor):
    make_event(make_application(status=Status.DENIED), EventType.DENIED, by=actor)

    assert list(audit.find_faults()) == []


def test_a_proposal_that_is_open_though_all_is_decided_is_found(
    make_application, make_proposal, make_event
):
    application = make_application(status=Status.APPROVED)
    make_proposal(application)
    make_event(application, EventType.PROPOSED)

    assert [finding.fault for finding in audit.find_faults()] == [
        "left a proposal open that nobody can confirm"
    ]


def test_a_lead_that_cannot_be_read_is_named_and_ends_no_audit(make_lead, make_application):
    signed = submissions.make_complete()
    submissions.submit(signed)
    forged = make_application(make_lead(email="grace@example.com"))
    lifecycle.move(forged, Status.IN_PROGRESS, by=APPLICANT, at=NOON)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE onboarding_lead SET ssn = ein WHERE id = %s", [signed.lead_id])
    Application.objects.filter(pk=forged.pk).update(status=Status.DENIED)

    found = {finding.customer_id: finding.fault for finding in audit.find_faults()}

    assert "cannot be read" in found[signed.lead.external_id]
    assert "is elsewhere now" in found[forged.lead.external_id]


@pytest.mark.parametrize("details", ["[]", "null", "1"])
def test_an_event_whose_details_are_no_object_is_named(make_application, details):
    application = make_application()
    lifecycle.move(application, Status.IN_PROGRESS, by=APPLICANT, at=NOON)
    append_only.unprotect(connection, "onboarding_event")
    with connection.cursor() as cursor:
        cursor.execute("UPDATE onboarding_event SET details = %s", [details])

    assert (1, "was changed") in [(one.number, one.fault) for one in audit.find_faults()]


def test_ids_that_were_never_used_cost_no_statement(make_lead):
    first, last = make_lead(), make_lead(pk=10**9)
    tasks = []

    list(audit.find_faults(map_ranges=lambda work, ranges: tasks.extend(ranges) or []))

    assert tasks == [(first.pk, last.pk, 0)]


def test_only_leads_with_newer_events_are_ranges_of_an_incremental_audit(
    make_application, make_event
):
    before = make_event(make_application())
    lead = make_event(make_application()).lead
    tasks = []

    def map_ranges(_work, ranges):
        tasks.extend(ranges)
        return []

    list(audit.find_faults(map_ranges=map_ranges, since=before.pk))

    assert tasks == [(lead.pk, lead.pk, before.pk)]
