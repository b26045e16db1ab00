"""A small demo bank that is loaded already, once for all tests of this module."""

from datetime import timedelta

import pytest
from django.db import transaction

from banking.days import midnight
from banking.demo import bank
from banking.feed.registry import KINDS
from banking.models import FeedBatch, FeedRecord
from banking.queries.ledger import find_differences
from banking.services import settlement
from tests.banking.demo.test_bank import LOOKED_AT, TINY, TODAY, rows


@pytest.fixture(scope="module")
def _loaded(django_db_setup, django_db_blocker):
    """Load the bank, and undo it in the end: each test undoes what it does to it."""
    with django_db_blocker.unblock(), transaction.atomic():
        bank.load(TINY)
        yield
        transaction.set_rollback(True)


pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("_loaded")]


def test_all_of_it_came_by_the_feed_and_nothing_was_refused():
    batch = FeedBatch.objects.get()
    assert set(batch.counts) <= {"created", "updated"}
    assert batch.line_count == FeedRecord.objects.count()
    kinds = set(FeedRecord.objects.values_list("kind", flat=True))
    assert set(KINDS) - kinds == {"payment-rules"}  # a migration makes these
    assert FeedRecord.objects.filter(kind="transactions").count() > 100


def test_a_second_load_changes_nothing():
    before = {model: rows(model) for model in LOOKED_AT}

    with pytest.raises(bank.AlreadyLoaded):
        bank.load(bank.Wanted(until=TODAY, businesses=2, seed=8))

    assert {model: rows(model) for model in LOOKED_AT} == before


def test_what_is_pending_settles_when_it_is_due():
    outcomes = list(settlement.settle_due(at=midnight(TODAY + timedelta(days=3))))

    assert len(outcomes) >= 5
    assert not [outcome.fault for outcome in outcomes if outcome.fault]
    assert not list(find_differences())
