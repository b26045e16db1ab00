"""Staff events, chained anew by a person who may write every table, and their anchors."""

import pytest
from django.db import connection

from banking.choices import StaffEventType
from banking.models import StaffEvent, StaffHistory
from banking.queries import staff_history as verification
from banking.services import staff_history
from foundation.anchoring.sources import SOURCES
from foundation.database import append_only
from tests.factories import NOON

pytestmark = pytest.mark.django_db


def test_a_chain_that_was_made_anew_is_found():
    staff_history.record(StaffEventType.PROPOSED, by=None, at=NOON, name="Dana")
    append_only.unprotect(connection, "banking_staffevent")
    source = SOURCES["staff_events"]
    records = list(source.records(after=0, until=StaffEvent.objects.get().pk))
    assert list(source.compare(records)) == []

    forged = StaffEvent.objects.get()
    forged.details = {"name": "Eve"}
    forged.digest = forged.compute_digest()
    forged.save()
    StaffHistory.objects.update(last_digest=forged.digest)

    assert list(verification.find_faults()) == []
    assert len(list(source.compare(records))) == 1
