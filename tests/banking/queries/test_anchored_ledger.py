"""The ledger, changed by a person who may write every table, and its anchors."""

import pytest
from django.db import connection

from banking.models import Entry, Posting
from foundation.anchoring.sources import SOURCES
from foundation.database import append_only


@pytest.fixture
def unprotected_ledger(make_transaction):
    make_transaction()
    connection.check_constraints()  # those of PostgreSQL that wait for a commit
    for table in ("banking_entry", "banking_posting"):
        append_only.unprotect(connection, table)
    return SOURCES["ledger"]


@pytest.mark.parametrize(
    "change",
    [
        lambda: Posting.objects.update(description="another"),
        lambda: Entry.objects.filter(amount_cents__gt=0).update(amount_cents=2),
        lambda: Entry.objects.filter(amount_cents__gt=0).delete(),
    ],
)
def test_a_changed_posting_or_entry_is_found(unprotected_ledger, change):
    until = Entry.objects.order_by("pk").last().pk
    records = list(unprotected_ledger.records(after=0, until=until))
    assert list(unprotected_ledger.compare(records)) == []

    change()

    assert len(list(unprotected_ledger.compare(records))) == 1
