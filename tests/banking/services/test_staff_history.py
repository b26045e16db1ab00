"""Staff history: events are numbered, chained and never changed."""

import pytest
from django.db import IntegrityError

from banking.choices import StaffEventType
from banking.models import StaffEvent, StaffHistory, User
from banking.services import staff_history
from tests.factories import NOON

pytestmark = pytest.mark.django_db


def test_each_event_contains_the_digest_of_the_one_before():
    rosa = User.objects.create_user("rosa@example.com", user_type="STAFF")

    staff_history.record(StaffEventType.FIRST_CREATED, by=None, at=NOON, email="rosa@example.com")
    staff_history.record(StaffEventType.PROPOSED, by=rosa, at=NOON)

    first, second = StaffEvent.objects.order_by("number")
    assert (first.number, first.who, first.previous_digest) == (1, "", "")
    assert (second.number, second.who) == (2, str(rosa.external_id))
    assert second.previous_digest == first.digest
    assert second.digest == second.compute_digest()
    end = StaffHistory.objects.get()
    assert (end.event_count, end.last_digest) == (2, second.digest)


def test_the_database_refuses_to_change_or_delete_an_event():
    staff_history.record(StaffEventType.FIRST_CREATED, by=None, at=NOON)

    with pytest.raises(IntegrityError, match="banking_staffevent_no_update"):
        StaffEvent.objects.update(who="x")
