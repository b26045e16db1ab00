"""The screens of the record feed."""

import pytest

from banking.feed import batches
from banking.feed.faults import FaultCode, fault
from banking.feed.lines import FeedResult, Outcome
from banking.models import FeedChunk
from tests import factories
from tests.factories import NOON

ROOT = "/admin/banking/feedbatch/"


@pytest.fixture
def batch(db):
    """A batch of which one line was refused."""
    made = factories.make_feed_batch(counts={"created": 1, "refused": 1}, line_count=2)
    refusal = fault(FaultCode.REFERENCE_MISSING, "data", "account", id="A-9", kind="accounts")
    outcomes = [
        Outcome(1, FeedResult.CREATED, "cards", "C-1"),
        Outcome(2, FeedResult.REFUSED, "cards", "C-2", None, (refusal,)),
    ]
    FeedChunk.objects.create(
        batch=made, first_line=1, results=batches.compress(outcomes), created_at=NOON
    )
    return made


def test_the_page_of_a_batch_has_its_refused_lines_with_their_reasons(chief, batch):
    page = chief.get(f"{ROOT}{batch.pk}/change/").content.decode()

    assert "There is no record A-9 of the kind accounts." in page
    assert "/data/account" in page
    assert "C-2" in page
    assert "C-1" not in page


def test_batches_are_filtered_by_refused_lines(chief, batch):
    factories.make_feed_batch(sender="other")

    assert "other" not in chief.get(f"{ROOT}?refused=yes").content.decode()
    assert "other" in chief.get(f"{ROOT}?refused=no").content.decode()
