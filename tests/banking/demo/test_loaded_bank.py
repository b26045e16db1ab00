"""A small demo bank that is loaded already, once for all tests of this module."""

from datetime import timedelta
from functools import partial
from io import StringIO

import pytest
from django.core.management import call_command
from django.db import transaction

from banking.days import midnight
from banking.demo import bank
from banking.demo.scale import Scale
from banking.feed.registry import KINDS
from banking.management.commands import load_demo_bank
from banking.models import Business, FeedBatch, FeedRecord, Transaction
from banking.queries.ledger import find_differences
from banking.services import settlement
from tests.banking.demo.test_bank import LOOKED_AT, TINY, TODAY, rows

SMALL = ["--businesses", "1", "--months", "1", "--until", "2026-03-02"]


def said(*words):
    output = StringIO()
    call_command(*words, stdout=output)
    return output.getvalue()


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
    assert said("load_demo_bank", *SMALL) == "the demo bank is there already\n"

    assert {model: rows(model) for model in LOOKED_AT} == before


def test_what_is_pending_settles_when_it_is_due():
    outcomes = list(settlement.settle_due(at=midnight(TODAY + timedelta(days=3))))

    assert len(outcomes) >= 5
    assert not [outcome.fault for outcome in outcomes if outcome.fault]
    assert not list(find_differences())


def test_its_ledger_is_clean():
    assert "the ledger is clean" in said("verify_ledger")


def test_transactions_for_trials_of_speed_come_on_top(monkeypatch):
    monkeypatch.setattr(load_demo_bank, "Scale", partial(Scale, businesses=20))
    before = Transaction.objects.count()

    words = said("load_demo_bank", *SMALL, "--scale", "3000")

    assert words.startswith("3,000 transactions of 20 businesses in ")
    assert "a second\n" in words
    assert Transaction.objects.count() == before + 3_000
    assert "the ledger is clean" in said("verify_ledger")
    said("load_demo_bank", *SMALL, "--scale", "10")
    assert Business.objects.filter(legal_name__startswith="Scale").count() == 2 * 20
