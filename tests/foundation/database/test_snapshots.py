"""A snapshot does not see what others commit while it is read."""

import pytest
from django.db import Error, connection, transaction

from banking.models import User
from foundation.database.snapshots import snapshot

SHARED = pytest.mark.django_db(transaction=True)


@SHARED
def test_a_row_that_is_committed_meanwhile_is_not_seen(in_threads):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite lets one connection at a time write")
    with snapshot():
        before = User.objects.count()
        in_threads(User.objects.create_user, ["eva@example.com"])
        assert User.objects.count() == before

    assert User.objects.count() == before + 1


@SHARED
def test_nothing_can_be_written_in_a_snapshot():
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no transactions that only read")

    with pytest.raises(Error), snapshot():
        User.objects.create_user("eva@example.com")


def test_a_snapshot_within_a_transaction_may_write(db):
    with transaction.atomic(), snapshot():
        User.objects.create_user("eva@example.com")

    assert User.objects.filter(email="eva@example.com").exists()
