"""History: chained, counted without gaps, append-only."""

import pytest
from django.db import IntegrityError, connection, transaction

from banking import append_only
from onboarding.choices import EventType, Role
from onboarding.models import Event, Lead
from onboarding.services import history
from onboarding.services.history import APPLICANT, PARTNER, Actor, History
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

    with pytest.raises(IntegrityError):
        history.record(application, EventType.SUBMITTED, by=APPLICANT, at=NOON)


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
