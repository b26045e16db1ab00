"""Staff history: forged events and confirmations are found."""

import pytest
from django.contrib.auth.models import Group
from django.db import connection

from banking.models import StaffChange, StaffEvent, StaffHistory, User
from banking.queries import staff_history
from banking.services import access_changes, staff_changes
from foundation.database import append_only
from tests.factories import NOON

pytestmark = pytest.mark.django_db


@pytest.fixture
def confirmed():
    """A change that two administrators made, and a table of events that can be forged."""
    rosa, sam, dana = (
        User.objects.create_user(f"{name}@example.com", user_type="STAFF")
        for name in ("rosa", "sam", "dana")
    )
    groups = [Group.objects.get(name="Approver")]
    change = access_changes.propose_access(
        dana, values={}, groups=groups, summary=["A role."], by=rosa, at=NOON
    )
    append_only.unprotect(connection, "banking_staffevent")
    return staff_changes.confirm(change, by=sam, at=NOON)


def test_a_bank_without_staff_events_has_no_faults():
    assert list(staff_history.find_faults()) == []


def test_a_whole_history_has_no_faults(confirmed):
    assert list(staff_history.find_faults()) == []


def test_a_changed_event_is_found(confirmed):
    StaffEvent.objects.filter(number=1).update(who="somebody")

    assert list(staff_history.find_faults()) == ["staff event 1 was changed"]


def test_a_deleted_event_is_found(confirmed):
    StaffEvent.objects.filter(number=2).delete()

    assert list(staff_history.find_faults()) == [
        "staff event 2 is missing",
        "staff event 1 is not where the history of staff ends",
        f"proposed change {confirmed.external_id} is confirmed without an event",
    ]


def test_another_second_person_than_the_recorded_one_is_found(confirmed):
    StaffChange.objects.update(settled_by=User.objects.create_user("other@example.com"))

    assert list(staff_history.find_faults()) == [
        f"proposed change {confirmed.external_id} is confirmed without an event"
    ]


def test_an_end_that_was_moved_is_found(confirmed):
    StaffHistory.objects.update(last_digest="0" * 64)

    assert list(staff_history.find_faults()) == [
        "staff event 2 is not where the history of staff ends"
    ]
