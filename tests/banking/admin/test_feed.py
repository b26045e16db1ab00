"""The screens of the record feed."""

import pytest

from banking.feed import batches
from banking.feed.faults import FaultCode, fault
from banking.feed.lines import FeedResult, Outcome
from banking.models import FeedChunk
from tests import factories
from tests.factories import NOON
from tests.staff import text_of

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
    assert "No line waits." in page


def test_the_page_of_a_batch_of_csv_has_rows_and_columns(chief, batch):
    batch.source, batch.sender = "COMMAND", "cards.csv"
    batch.save()

    page = text_of(chief.get(f"{ROOT}{batch.pk}/change/"))

    assert "column" in page
    assert "/data/account" not in page


def test_the_page_of_a_batch_has_its_waiting_lines_with_what_they_wait_for(chief, batch):
    waits = factories.make_feed_inbox_line(batch, line_number=7, missing_id="A-77")
    factories.make_feed_inbox_line(batch, line_number=8, missing_id="A-88", fault="It came late.")

    page = chief.get(f"{ROOT}{batch.pk}/change/").content.decode()

    assert "A-77" in page
    assert "Mar 2, 2026" in page
    assert f"/admin/banking/feedinboxline/{waits.pk}/change/" in page
    assert "A-88" not in page


def test_waiting_lines_are_filtered_by_those_that_were_refused(chief, db):
    factories.make_feed_inbox_line(external_id="C-waits")
    factories.make_feed_inbox_line(external_id="C-refused", fault="It came late.")
    root = "/admin/banking/feedinboxline/"

    waiting = chief.get(f"{root}?state=waiting").content.decode()
    refused = chief.get(f"{root}?state=refused").content.decode()

    assert ("C-waits" in waiting, "C-refused" in waiting) == (True, False)
    assert ("C-waits" in refused, "C-refused" in refused) == (False, True)


def test_batches_are_filtered_by_refused_lines(chief, batch):
    factories.make_feed_batch(sender="other")

    assert "other" not in chief.get(f"{ROOT}?refused=yes").content.decode()
    assert "other" in chief.get(f"{ROOT}?refused=no").content.decode()
