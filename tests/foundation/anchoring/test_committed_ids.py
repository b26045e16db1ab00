"""Up to which id the rows of a table are complete."""

import threading

import pytest
from django.db import connection, connections, transaction

from banking.models import Entry, RateWindow
from foundation.anchoring import committed_ids
from onboarding.models import Partner


def test_the_newest_id_is_that_of_the_last_row(make_transaction):
    make_transaction()

    assert committed_ids.newest([Entry, Partner]) == [
        Entry.objects.order_by("pk").last().pk,
        0,
    ]


@pytest.fixture
def unfinished(transactional_db):
    """A transaction elsewhere that has added a partner; it ends with the test, or when it may."""
    added, may_end = threading.Event(), threading.Event()

    def add():
        try:
            with transaction.atomic():
                Partner.objects.create(name="Late")
                added.set()
                may_end.wait(60)
        finally:
            connections.close_all()

    thread = threading.Thread(target=add)
    thread.start()
    assert added.wait(60)
    yield may_end
    may_end.set()
    thread.join()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
def test_a_row_that_may_still_appear_below_the_newest_is_waited_for(unfinished):
    newer = Partner.objects.create(name="Early")

    with pytest.raises(committed_ids.StillWriting, match="onboarding_partner"):
        committed_ids.newest([Partner], seconds=0.2)
    threading.Timer(0.3, unfinished.set).start()
    (until,) = committed_ids.newest([Partner])

    assert until == newer.pk
    assert Partner.objects.filter(pk__lte=until).count() == 2


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
def test_a_transaction_that_writes_to_another_table_is_not_waited_for(unfinished):
    assert committed_ids.newest([RateWindow], seconds=0) == [0]
