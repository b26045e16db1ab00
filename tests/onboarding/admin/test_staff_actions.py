"""What a member of staff did: lists by person, the page of one, the log and the export."""

import json
import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.db import connection
from django.test.utils import CaptureQueriesContext

from banking.choices import StaffEventType
from banking.models import StaffEvent, User
from onboarding.event_types import EventType
from onboarding.services.events import history, person_exports
from onboarding.services.reviews import cases
from tests.factories import later
from tests.onboarding.staff_actions import dana, done, other
from tests.staff import sign_in, text_of

__all__ = ["dana", "done", "other"]
EVENTS = "/admin/onboarding/event/"
LOG = "/admin/admin/logentry/"


@pytest.fixture
def auditor(db):
    user = User.objects.create_user("otto@example.com", user_type="STAFF")
    user.groups.set(Group.objects.filter(name="Auditor"))
    return sign_in(user)


def listed(client, path, **query):
    return re.findall(rf'href="{EVENTS}(\d+)/change/', client.get(path, query).content.decode())


@pytest.mark.parametrize("term", ["dana", "Reyes Dana", "dana@example.com"])
def test_events_are_found_by_the_name_and_the_email_of_staff(done, auditor, term):
    assert len(listed(auditor, EVENTS, q=term)) == 2


def test_events_are_filtered_by_person_and_name_the_person(done, dana, auditor):
    page = auditor.get(EVENTS, {"person": dana.pk}).content.decode()

    assert len(listed(auditor, EVENTS, person=dana.pk)) == 2
    assert f'href="{EVENTS}by/{dana.pk}/">Dana Reyes</a>' in page


@pytest.mark.parametrize("person", ["0", "x", "9" * 30])
def test_nobody_did_nothing(done, auditor, person):
    assert listed(auditor, EVENTS, person=person) == []


def test_a_list_of_events_takes_as_many_statements_for_many_people(done, dana, count_queries):
    few = count_queries(EVENTS)
    for number in range(20):
        user = User.objects.create_user(f"s{number}@example.com", user_type="STAFF")
        history.record(done, EventType.NOTED, by=cases.actor(user), at=later(hours=4))

    assert count_queries(EVENTS) == few


def count_export(client):
    """Return how many statements the file of all events takes, and its text."""
    with CaptureQueriesContext(connection) as statements:
        text = b"".join(client.post(f"{EVENTS}export/").streaming_content).decode()
    return len(statements), text


def test_a_file_of_events_takes_as_many_statements_for_many_people(done, chief):
    count_export(chief)  # what a process looks up once is not counted
    few, _ = count_export(chief)
    for number in range(20):
        user = User.objects.create_user(f"s{number}@example.com", user_type="STAFF")
        history.record(done, EventType.NOTED, by=cases.actor(user), at=later(hours=4))

    many, text = count_export(chief)

    assert many == few
    assert all(f"s{number}" in text for number in range(20))


def test_the_log_of_the_back_office_names_people_and_is_read_only(done, dana, auditor, chief):
    page = text_of(auditor.get(LOG))
    entry = LogEntry.objects.get(user=dana)

    assert "Dana Reyes" in page
    assert "dana@example.com" in page
    assert "Suspended by Dana Reyes." in page
    assert "Acme" in text_of(auditor.get(LOG, {"q": "iris"}))
    assert "Suspended by Dana" not in text_of(auditor.get(LOG, {"q": "iris"}))
    assert "Suspended by Iris" not in text_of(auditor.get(LOG, {"person": dana.pk}))
    assert auditor.get(f"{LOG}{entry.pk}/change/").status_code == 200
    assert chief.post(f"{LOG}{entry.pk}/change/", {"change_message": "x"}).status_code == 403
    assert chief.get(f"{LOG}add/").status_code == 403


def test_staff_events_are_filtered_by_person(done, dana, other, auditor):
    page = "/admin/banking/staffevent/"

    assert "Name changed" in text_of(auditor.get(page, {"person": dana.pk})).partition("Filter")[0]
    shown = auditor.get(page, {"person": other.pk}).content.decode()
    assert "0 results" in shown or "result_list" not in shown


def test_one_page_has_all_that_a_person_did(done, dana, auditor):
    page = text_of(auditor.get(f"{EVENTS}by/{dana.pk}/"))

    for said in ("Actions of Dana Reyes", "Case claimed", "Note added", "Harbor Coffee"):
        assert said in page
    assert "Name changed" in page
    assert "Suspended by Dana Reyes." in page
    assert "Case released" not in page
    assert "Suspended by Iris" not in page


def test_who_may_not_view_all_of_it_sees_and_exports_nothing(done, dana, make_staff):
    staff = make_staff("view_event", "view_staffevent")

    assert staff.get(f"{EVENTS}by/{dana.pk}/").status_code == 403
    assert staff.post(f"{EVENTS}by/{dana.pk}/export/").status_code == 403
    assert not StaffEvent.objects.filter(type=StaffEventType.AUDIT_EXPORTED).exists()


def test_customers_have_no_page(done, auditor):
    customer = User.objects.create_user("customer@example.com")

    assert auditor.get(f"{EVENTS}by/{customer.pk}/").status_code == 404


def test_an_auditor_exports_what_a_person_did(done, dana, auditor):
    answer = auditor.post(f"{EVENTS}by/{dana.pk}/export/")
    written = b"".join(answer.streaming_content).decode().splitlines()

    parts = [json.loads(line) for line in written]
    kinds = [next(iter(part)) for part in parts]
    assert kinds == ["person", "event", "event", "staff_event", "log_entry", "summary"]
    assert parts[0]["person"]["email"] == "dana@example.com"
    assert {part["event"]["type"] for part in parts[1:3]} == {"case.claimed", "note.added"}
    assert "attachment" in answer["Content-Disposition"]
    assert person_exports.verify_lines(written) == []
    exported = StaffEvent.objects.get(type=StaffEventType.AUDIT_EXPORTED)
    assert exported.details["email"] == "dana@example.com"
    assert exported.details["by"] == "otto@example.com"
