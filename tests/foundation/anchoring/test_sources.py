"""Rows of append-only tables as sources of anchors: here the ledger's entries, two to a record."""

import pytest
from django.db import connection

from banking.models import Entry
from foundation.anchoring import sources
from foundation.anchoring.sources import SOURCES, batches
from foundation.anchoring.statements import Record
from foundation.database import append_only


@pytest.fixture
def ledger(make_transaction, monkeypatch):
    monkeypatch.setattr(sources, "ROWS_PER_RECORD", 2)
    for _ in range(3):
        make_transaction()
    connection.check_constraints()  # those of PostgreSQL that wait for a commit
    append_only.unprotect(connection, "banking_entry")
    return SOURCES["ledger"]


@pytest.fixture
def ids(ledger):
    return list(Entry.objects.order_by("pk").values_list("pk", flat=True))


@pytest.fixture
def records(ledger, ids):
    return list(ledger.records(after=0, until=ids[-1]))


def faults(ledger, records):
    return [fault for _, fault in ledger.compare(records)]


def test_ranges_follow_each_other_without_a_gap(ids, records):
    assert [record.name for record in records] == [
        f"1-{ids[1]}",
        f"{ids[1] + 1}-{ids[3]}",
        f"{ids[3] + 1}-{ids[5]}",
    ]
    assert [record.count for record in records] == [2, 2, 2]


def test_a_later_range_begins_after_the_one_before(ledger, ids):
    (record,) = ledger.records(after=ids[4], until=ids[5] + 7)

    assert (record.name, record.count) == (f"{ids[4] + 1}-{ids[5] + 7}", 1)


def test_unchanged_rows_are_in_order(ledger, records):
    assert faults(ledger, records) == []


def test_a_changed_row_is_found_in_its_range(ledger, ids, records):
    Entry.objects.filter(pk=ids[2]).update(amount_cents=1)

    assert faults(ledger, records) == [f"ledger, ids {ids[1] + 1} to {ids[3]}: rows were changed"]


def test_a_deleted_row_is_found_in_its_range(ledger, ids, records):
    Entry.objects.filter(pk=ids[5]).delete()

    assert faults(ledger, records) == [f"ledger, ids {ids[3] + 1} to {ids[5]}: 1 rows instead of 2"]


def test_batches_are_of_one_source_and_as_long_as_it_wants(ledger, monkeypatch):
    monkeypatch.setattr(ledger, "records_at_once", 2)
    one, two, three, other = (Record(name, "1-1", 1, "") for name in (*["ledger"] * 3, "other"))

    assert list(batches(iter([one, two, three, other]))) == [[one, two], [three], [other]]


def make_unreadable(pk):
    value = "infinity" if connection.vendor == "postgresql" else "2026-99-01 00:00:00"
    with connection.cursor() as cursor:
        cursor.execute("UPDATE banking_entry SET posted_at = %s WHERE id = %s", [value, pk])


def test_a_row_that_cannot_be_read_has_a_record_of_its_own(ledger, ids):
    make_unreadable(ids[2])

    records = list(ledger.records(after=0, until=ids[-1]))

    alone = f"{ids[2]}-{ids[2]}"
    around = [f"1-{ids[1]}", alone, f"{ids[2] + 1}-{ids[3]}", f"{ids[3] + 1}-{ids[5]}"]
    assert [record.name for record in records] == around
    assert [record.count for record in records] == [2, 1, 1, 2]
    assert [record.name for record in records if record.digest == sources.UNREADABLE] == [alone]


def test_it_is_named_afterwards_and_the_rows_around_it_are_compared(ledger, ids):
    make_unreadable(ids[2])
    records = list(ledger.records(after=0, until=ids[-1]))
    first = [fault for _, fault in sources.compare(records)]
    make_unreadable(ids[0])
    Entry.objects.filter(pk=ids[3]).update(amount_cents=1)

    then = [fault for _, fault in sources.compare(records)]

    unreadable = f"ledger, id {ids[2]}: could not be read when it was anchored"
    assert first == [unreadable]
    assert then[0].startswith(f"ledger, 1-{ids[1]}: cannot be read")
    assert then[1:] == [unreadable, f"ledger, ids {ids[2] + 1} to {ids[3]}: rows were changed"]


def test_several_rows_that_cannot_be_read_follow_each_other(ledger, ids):
    for pk in (ids[0], ids[1], ids[5]):
        make_unreadable(pk)

    records = list(ledger.records(after=0, until=ids[-1] + 9))

    assert sum(record.count for record in records) == len(ids)
    unreadable = [record for record in records if record.digest == sources.UNREADABLE]
    assert [record.name for record in unreadable] == [f"{n}-{n}" for n in (ids[0], ids[1], ids[5])]


def test_rows_that_cannot_be_read_are_named_and_the_others_compared(ledger, ids, records):
    make_unreadable(ids[2])
    Entry.objects.filter(pk=ids[4]).update(amount_cents=1)

    found = [fault for _, fault in sources.compare(records)]

    assert found[0].startswith(f"ledger, {ids[1] + 1}-{ids[3]}: cannot be read")
    assert found[1] == f"ledger, ids {ids[3] + 1} to {ids[5]}: rows were changed"
