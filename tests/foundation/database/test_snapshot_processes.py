"""Processes that read one snapshot."""

import pytest
from django.db import OperationalError, connection

from foundation.database.snapshot_processes import shared_snapshot
from onboarding.models import Partner


def count_partners(_task):
    """Return the number of partners that this process sees, and whether it may write."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*), current_setting('transaction_read_only') FROM onboarding_partner"
        )
        return cursor.fetchall()


@pytest.mark.django_db(transaction=True)
def test_processes_see_what_the_first_one_saw_and_later_commits_not():
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL shares a snapshot")
    Partner.objects.create(name="Before")
    other = connection.copy()
    try:
        with shared_snapshot(2) as map_ranges:
            assert Partner.objects.count() == 1
            with other.cursor() as cursor:
                cursor.execute("DELETE FROM onboarding_partner")
            found = list(map_ranges(count_partners, range(8)))
    finally:
        other.close()

    assert found == [(1, "on")] * 8
    assert not Partner.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_process_that_cannot_connect_is_a_fault_and_no_endless_start_of_processes(monkeypatch):
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL shares a snapshot")
    with shared_snapshot(2) as map_ranges:
        monkeypatch.setitem(connection.settings_dict, "NAME", "no_such_database")
        with pytest.raises(OperationalError, match="could not join the snapshot"):
            list(map_ranges(count_partners, range(8)))


@pytest.mark.django_db
@pytest.mark.one_database
def test_inside_a_transaction_one_process_does_all_tasks_in_their_order():
    with shared_snapshot(4) as map_ranges:
        assert list(map_ranges(lambda task: [task, task * 10], [1, 2, 3])) == [1, 10, 2, 20, 3, 30]
