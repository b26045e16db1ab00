"""Audit exports: files that prove themselves."""

import json
from threading import Thread

import pytest
from django.db import connection

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import Role
from onboarding.event_types import EventType
from onboarding.models import Event
from onboarding.queries import audit
from onboarding.services.applications import lifecycle
from onboarding.services.events import audit_exports, history
from onboarding.services.events.history import APPLICANT, CHECKS
from tests import factories
from tests.factories import NOON, later, make_event


@pytest.fixture
def lead(make_application, make_lead):
    application = make_application(make_lead(first_name="Ada", ssn="123-45-6789"))
    lifecycle.move(application, Status.IN_PROGRESS, by=APPLICANT, at=NOON)
    history.record(application, EventType.CHECKED, by=CHECKS, at=later(hours=1), run=1, odd="é 1.5")
    lifecycle.move(application, Status.WITHDRAWN, by=APPLICANT, at=later(hours=2))
    application.lead.refresh_from_db()
    return application.lead


@pytest.fixture
def lines(lead):
    return list(audit_exports.write_lines(lead))


def change(line, **values):
    [(name, was)] = json.loads(line).items()
    return json.dumps({name: {**was, **values}})


def test_a_file_has_the_lead_each_event_in_order_and_a_summary(lead, lines):
    parts = [json.loads(line) for line in lines]

    assert [next(iter(part)) for part in parts] == ["lead", "event", "event", "event", "summary"]
    assert parts[0]["lead"]["id"] == str(lead.external_id)
    assert [part["event"]["number"] for part in parts[1:-1]] == [1, 2, 3]
    assert parts[-1]["summary"] == {
        "events": 3,
        "faults": [],
        "is_whole": True,
        "last_digest": lead.last_digest,
    }


def test_an_event_has_all_that_is_sealed(lines):
    unsealed = {"id", "external_id", "traceparent"}
    columns = {field.name for field in Event._meta.concrete_fields} - unsealed

    assert set(json.loads(lines[1])["event"]) == {*columns, "id"}


def test_no_personal_value_is_in_it(lead, lines):
    text = "".join(lines)

    assert not any(value in text for value in ("Ada", "6789", lead.email, lead.business_name))


def test_a_file_is_whole_by_its_own_words(lines, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert audit_exports.verify_lines(lines) == []


@pytest.mark.parametrize(
    "values",
    [
        {"who": "somebody"},
        {"request_id": "another"},
        {"details": {}},
        {"occurred_at": "2026-03-02T12:00:00.000001+00:00"},
        {"application": "01a201e3-f5d3-77fd-8758-d215d59c8f15"},
    ],
)
def test_a_changed_event_is_found(lines, values):
    lines[2] = change(lines[2], **values)

    assert audit_exports.verify_lines(lines) == ["event 2 was changed"]


def test_a_missing_event_is_found(lines):
    del lines[2]

    faults = audit_exports.verify_lines(lines)

    assert faults[0] == "event 2 is missing"
    assert faults[-1] == "the events do not end where the summary says"


def test_a_last_event_that_is_missing_is_found(lines):
    del lines[3]

    assert audit_exports.verify_lines(lines) == ["the events do not end where the summary says"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda lines: [],
        lambda lines: lines[:-1],
        lambda lines: lines[1:],
        lambda lines: ["[]", *lines],
        lambda lines: ["nonsense"],
        lambda lines: [*lines, lines[-1]],
        lambda lines: [change(lines[0], id="another"), *lines[1:]],
        lambda lines: [lines[0], change(lines[1], id="none"), *lines[2:]],
        lambda lines: ["{}", *lines],
    ],
)
def test_what_is_no_whole_export_is_refused(lines, spoil):
    with pytest.raises(audit_exports.NoAuditFile):
        audit_exports.verify_lines(spoil(lines))


def test_an_export_is_the_last_event_of_the_lead(lead):
    user = factories.make_user(user_type="STAFF")

    audit_exports.record_export(lead, by=user, at=later(hours=3))

    event = Event.objects.get(type=EventType.EXPORTED)
    lead.refresh_from_db()
    assert (event.number, event.role, event.who) == (4, Role.REVIEWER, str(user.external_id))
    assert list(audit.find_faults()) == []
    assert audit_exports.verify_lines(audit_exports.write_lines(lead)) == []


def test_what_is_written_meanwhile_does_not_break_the_file(lead, transactional_db, monkeypatch):
    def write():
        make_event(lead.applications.get(), EventType.NOTED, at=later(hours=4))
        connection.close()

    def find_while_somebody_writes(lead):
        writer.start()
        writer.join(timeout=1)  # SQLite has it wait until all is read
        return find_faults_of(lead)

    writer, find_faults_of = Thread(target=write), audit.find_faults_of
    monkeypatch.setattr(audit, "find_faults_of", find_while_somebody_writes)
    user = factories.make_user(user_type="STAFF")

    lines = audit_exports.export(lead, by=user, at=later(hours=3))

    writer.join()
    assert json.loads(lines[-1])["summary"]["is_whole"] is True
    assert audit_exports.verify_lines(lines) == []
    assert Event.objects.filter(type=EventType.NOTED).exists()


def test_a_lead_whose_chain_is_broken_says_so(lead):
    type(lead).objects.update(last_digest="0" * 64)
    lead.refresh_from_db()

    summary = json.loads(list(audit_exports.write_lines(lead))[-1])["summary"]

    assert summary["is_whole"] is False
    assert len(summary["faults"]) == 1
