"""History: chained, counted without gaps, append-only."""

import pytest
from django.db import IntegrityError, connection, transaction

from foundation.database import append_only
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import ProposalStatus, Role
from onboarding.event_types import EventType
from onboarding.models import Event, Lead
from onboarding.queries import audit, fixed_rows
from onboarding.services.events import history
from onboarding.services.events.history import APPLICANT, PARTNER, Actor, History
from tests.factories import NOON, later


def test_an_event_says_who_did_what_and_where_the_application_stands(make_application):
    application = make_application()
    reviewer = Actor(Role.REVIEWER, "a-person")

    event = history.record(application, EventType.REOPENED, by=reviewer, at=NOON, reason="error")

    event.refresh_from_db()
    assert (event.role, event.who, event.status) == ("REVIEWER", "a-person", "CREATED")
    assert (event.details, event.occurred_at) == ({"reason": "error"}, NOON)


def test_what_the_partner_is_not_told_takes_no_sequence(make_application):
    application = make_application()
    log = History(application.lead, by=APPLICANT, at=NOON)

    for event_type in (EventType.STARTED, EventType.CHANGED, EventType.SUBMITTED):
        log.add(event_type, application)
    log.save_with_lead()

    counted = list(Event.objects.values_list("number", "sequence"))
    assert counted == [(1, 1), (2, None), (3, 2)]
    lead = Lead.objects.get()
    assert (lead.event_count, lead.last_sequence) == (3, 2)


def test_each_event_is_sealed_to_the_one_before(make_application):
    application = make_application()

    first = history.record(application, EventType.STARTED, by=APPLICANT, at=NOON)
    second = history.record(application, EventType.CHANGED, by=PARTNER, at=later(hours=1))

    assert (first.previous_digest, second.previous_digest) == ("", first.digest)
    assert Lead.objects.get().last_digest == second.digest
    for event in Event.objects.all():
        assert event.digest == event.compute_digest()


def test_two_events_with_one_number_are_refused(make_application):
    application = make_application()
    stale = Lead.objects.get()
    history.record(application, EventType.STARTED, by=APPLICANT, at=NOON)
    application.lead = stale

    with pytest.raises(IntegrityError), transaction.atomic():
        history.record(application, EventType.SUBMITTED, by=APPLICANT, at=NOON)


@pytest.mark.parametrize("event_type", [one for one in EventType if one.spec.effect])
def test_what_changes_the_evidence_voids_the_open_proposal(
    make_application, make_proposal, event_type
):
    application = make_application(status=Status.IN_REVIEW)
    proposal = make_proposal(application)
    other = make_proposal(make_application(status=Status.IN_REVIEW))

    event = history.record(application, event_type, by=PARTNER, at=later(hours=1))

    proposal.refresh_from_db()
    other.refresh_from_db()
    assert (proposal.status, other.status) == (ProposalStatus.VOIDED, ProposalStatus.OPEN)
    assert (proposal.settled_at, proposal.settled_note) == (later(hours=1), event_type.label)
    voided = application.events.get(number=2)
    assert (voided.type, voided.role) == (EventType.PROPOSAL_VOIDED, Role.PARTNER)
    assert (voided.sequence, voided.previous_digest) == (None, event.digest)
    named = {"proposal_id": str(proposal.external_id), "kind": "APPROVE"}
    named |= fixed_rows.fix_settled(proposal)
    assert voided.details == {**named, "cause": event_type.label}
    assert list(audit.find_faults()) == []


def test_a_change_of_several_things_voids_once(make_application, make_proposal):
    application = make_application(status=Status.DENIED)
    make_proposal(application)
    log = History(application.lead, by=PARTNER, at=NOON)

    log.add(EventType.CHANGED, application)
    log.add(EventType.DOCUMENT_RECEIVED, application)
    log.save_with_lead()

    written = list(Event.objects.order_by("number").values_list("type", flat=True))
    assert written == [EventType.CHANGED, EventType.PROPOSAL_VOIDED, EventType.DOCUMENT_RECEIVED]


@pytest.mark.parametrize("event_type", [EventType.NOTED, EventType.CLAIMED, EventType.ENTERED])
def test_what_changes_no_evidence_voids_nothing(
    make_application, make_proposal, event_type, django_assert_num_queries
):
    application = make_application(status=Status.IN_REVIEW)
    proposal = make_proposal(application)

    with django_assert_num_queries(2):  # the event, and the end of the chain
        history.record(application, event_type, by=PARTNER, at=NOON)

    proposal.refresh_from_db()
    assert proposal.status == ProposalStatus.OPEN


@pytest.mark.parametrize("status", sorted(set(Status) - history.PROPOSED_IN))
def test_where_nothing_is_proposed_nobody_looks_for_proposals(
    make_application, status, django_assert_num_queries
):
    application = make_application(status=status)

    with django_assert_num_queries(2):
        history.record(application, EventType.CHANGED, by=PARTNER, at=NOON)


@pytest.mark.parametrize("table", ["onboarding_event", "onboarding_consent"])
def test_the_database_keeps_what_happened(make_application, table):
    application = make_application()
    history.record(application, EventType.STARTED, by=APPLICANT, at=NOON)
    application.consents.create(
        text="PRIVACY_NOTICE", version="1", language="en", signed_name="A", agreed_at=NOON
    )
    append_only.protect_from_deletion(connection, table)

    for statement in (f"UPDATE {table} SET id = id", f"DELETE FROM {table}"):
        with (
            pytest.raises(IntegrityError, match=f"{table}_no_"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
