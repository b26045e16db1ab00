"""Changes made here are told under the sender's id, or the row's own; the feed tests go on."""

import pytest

from banking.choices import FeedResult
from banking.models import FeedChange, FeedRecord
from banking.services import feed_changes
from tests.factories import NOON, make_access

pytestmark = pytest.mark.django_db


def told(access):
    """Announce an access, and return the change that it makes."""
    feed_changes.announce("client-accesses", [access], FeedResult.UPDATED, at=NOON)
    return FeedChange.objects.values_list("external_id", "version", "result").get()


def test_a_row_that_came_from_here_has_its_own_id_and_no_version():
    access = make_access()

    assert told(access) == (str(access.external_id), 0, "updated")


def test_a_row_that_was_sent_has_the_senders_id_and_version():
    access = make_access()
    names = {"kind": "client-accesses", "external_id": "X-1", "row_id": access.pk}
    FeedRecord.objects.create(**names, version=7, digest="sent", updated_at=NOON)

    assert told(access) == ("X-1", 7, "updated")
    assert FeedRecord.objects.get().digest != "sent"  # the same line is stale from now on
