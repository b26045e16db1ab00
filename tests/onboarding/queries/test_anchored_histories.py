"""Histories that were forged by a person who may write every table, found by their anchors."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from foundation.database import append_only
from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Event, Lead
from onboarding.queries import audit
from onboarding.services.applications import lifecycle
from onboarding.services.events.history import APPLICANT, CLOCK
from onboarding.services.privacy import erasure
from tests.factories import NOON, later, make_transaction

EVENTS = "onboarding_event"
pytestmark = pytest.mark.usefixtures("protected_tables")


@pytest.fixture
def lead(make_application):
    """A lead with three events."""
    application = make_application()
    for hour, status in enumerate([Status.IN_PROGRESS, Status.SUBMITTED, Status.WITHDRAWN]):
        lifecycle.move(application, status, by=APPLICANT, at=later(hours=hour))
    return application.lead


@pytest.fixture
def unprotected():
    """Drop the triggers for a while, as the owner of the tables can."""

    def unprotected(change):
        append_only.unprotect(connection, EVENTS)
        change()
        append_only.protect(connection, EVENTS)

    return unprotected


def forge(lead, number):
    """Rewrite an event, and recompute the digests of all events and the end of the chain."""
    digest = ""
    for event in Event.objects.filter(lead=lead).order_by("number"):
        if event.number == number:
            event.who, event.details = "somebody-else", {"reason": "none"}
        event.previous_digest = digest
        event.digest = digest = event.compute_digest()
        event.save()
    Lead.objects.filter(pk=lead.pk).update(last_digest=digest)


def remove(lead):
    Event.objects.filter(lead=lead).delete()
    Application.objects.filter(lead=lead).delete()
    Lead.objects.filter(pk=lead.pk).delete()


def roll_back(lead):
    """Take the last event back, and everything that says it was there."""
    Event.objects.filter(lead=lead, number=3).delete()
    last = Event.objects.get(lead=lead, number=2)
    Application.objects.filter(lead=lead).update(status=last.status)
    end = {"event_count": 2, "last_sequence": last.sequence, "last_digest": last.digest}
    Lead.objects.filter(pk=lead.pk).update(**end)


def verify(*arguments):
    out = StringIO()
    try:
        call_command("verify_audit", *arguments, stdout=out)
    except CommandError as exc:
        out.write(f"{exc}\n")
    return out.getvalue()


def test_a_forged_chain_is_in_order_by_itself_and_not_what_was_anchored(
    lead, anchor_folder, unprotected
):
    call_command("anchor_audit", stdout=StringIO())
    unprotected(lambda: forge(lead, 2))

    assert list(audit.find_faults()) == []
    assert "no fault" in verify()
    report = verify("--anchors")
    fault = f"lead {lead.external_id}: rewritten: its first 3 events are not those anchored"
    assert fault in report
    assert "2 faults among 3 events" in report


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (remove, "deleted, with its 3 events"),
        (roll_back, "rolled back: its event 3 is gone"),
    ],
)
def test_a_lead_that_is_gone_or_rolled_back_is_named(
    lead, anchor_folder, unprotected, change, fault
):
    call_command("anchor_audit", stdout=StringIO())
    unprotected(lambda: change(lead))

    assert list(audit.find_faults()) == []
    assert f"lead {lead.external_id}: {fault}" in verify("--anchors")


def test_a_database_that_was_rolled_back_to_an_older_copy_is_found(
    lead, make_application, anchor_folder
):
    with transaction.atomic():
        copy = transaction.savepoint()
        later_lead = make_application()
        lifecycle.move(later_lead, Status.IN_PROGRESS, by=APPLICANT, at=NOON)
        make_transaction()
        call_command("anchor_audit", stdout=StringIO())
        transaction.savepoint_rollback(copy)

    report = verify("--anchors")

    assert list(audit.find_faults()) == []
    assert f"lead {later_lead.lead.external_id}: deleted, with its 1 events" in report
    assert "ledger, ids 1 to" in report
    with pytest.raises(CommandError, match="rolled back"):
        call_command("anchor_audit")


def test_a_history_forged_before_its_next_anchor_is_found_by_the_anchor_before(
    lead, make_application, anchor_folder, unprotected
):
    call_command("anchor_audit", stdout=StringIO())
    unprotected(lambda: forge(lead, 1))
    lifecycle.move(make_application(), Status.IN_PROGRESS, by=APPLICANT, at=NOON)
    call_command("anchor_audit", stdout=StringIO())

    assert f"lead {lead.external_id}: rewritten" in verify("--anchors")


@pytest.mark.parametrize(
    ("id_", "fault"),
    [
        (8_999_999_999, "events, ids 1 to 9000000000: 4 rows instead of 3"),
        (0, "events has rows with ids below 1, which no anchor covers"),
    ],
)
def test_an_event_with_an_id_that_no_later_anchor_reaches_is_found(
    lead, make_application, anchor_folder, unprotected, id_, fault
):
    newest = Event.objects.filter(lead=lead, number=3)
    unprotected(lambda: newest.update(id=9_000_000_000))
    call_command("anchor_audit", stdout=StringIO())
    application = make_application()
    lifecycle.move(application, Status.IN_PROGRESS, by=APPLICANT, at=NOON)
    unprotected(lambda: Event.objects.filter(lead=application.lead).update(id=id_))

    assert list(audit.find_faults()) == []
    assert fault in verify("--anchors")


def test_histories_that_go_on_are_in_order_and_later_events_are_not_covered(
    make_application, anchor_folder
):
    application = make_application()
    lifecycle.move(application, Status.IN_PROGRESS, by=APPLICANT, at=NOON)
    call_command("anchor_audit", stdout=StringIO())
    lifecycle.move(application, Status.SUBMITTED, by=APPLICANT, at=NOON)
    call_command("anchor_audit", stdout=StringIO())
    lifecycle.move(application, Status.WITHDRAWN, by=APPLICANT, at=NOON)

    report = verify("--anchors")

    assert "no fault" in report
    assert f"anchors 1 to 2 checked in {anchor_folder.as_uri()}" in report
    assert ": 1 rows of histories" in report


@pytest.mark.usefixtures("own_store")
def test_an_erased_lead_is_not_taken_for_a_forgery(make_application, anchor_folder):
    application = make_application()
    lifecycle.move(application, Status.EXPIRED, by=CLOCK, at=NOON)
    call_command("anchor_audit", stdout=StringIO())

    (outcome,) = erasure.erase_unsubmitted(before=later(days=1), at=later(days=91))

    assert not outcome.fault
    assert Lead.objects.get().erased_at
    assert "no fault" in verify("--anchors")
