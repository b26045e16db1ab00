"""Bank operations: two clerks, one posting, and refusals in words."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.db import connection

from banking.choices import StaffChangeStatus
from banking.models import Posting, StaffChange, StaffEvent, User
from banking.queries.ledger import find_differences
from banking.queries.staff_history import find_faults
from banking.services import bank_operations, corrections, freezes, staff_changes
from banking.services.second_person import AccountTooNew
from tests.factories import NOON, later

SAID = {"statement_text": "Correction", "reason": "A typing error of ours."}


@pytest.fixture
def propose(funded, clerks):
    def propose(amount_cents=2_500, by=None):
        by = by or clerks[0]
        return corrections.propose_adjustment(
            funded, amount_cents=amount_cents, **SAID, by=by, at=NOON
        )

    return propose


def test_a_proposal_posts_nothing_and_its_confirmation_posts_once(propose, clerks, funded):
    change = propose()
    assert Posting.objects.count() == 1  # that of the fixture

    staff_changes.confirm(change, by=clerks[1], at=NOON)

    funded.refresh_from_db()
    assert funded.current_cents == 12_500
    posting = Posting.objects.get(idempotency_key=f"operation-{change.external_id}")
    assert posting.posted_by == clerks[1]
    with pytest.raises(staff_changes.ChangeSettled):
        staff_changes.confirm(change, by=clerks[1], at=NOON)
    assert Posting.objects.count() == 2
    assert not list(find_differences())
    assert not list(find_faults())


def test_proposal_and_confirmation_are_events_with_the_reason(propose, clerks):
    change = propose()
    staff_changes.confirm(change, by=clerks[1], at=NOON)

    events = StaffEvent.objects.order_by("number")
    assert [event.type for event in events] == ["PROPOSED", "CONFIRMED"]
    assert {event.details["kind"] for event in events} == {"ADJUST_ACCOUNT"}
    assert all("Reason: A typing error of ours." in one.details["summary"] for one in events)


def test_nobody_confirms_their_own_proposal(propose, clerks):
    change = propose()

    with pytest.raises(staff_changes.OwnChange):
        staff_changes.confirm(change, by=clerks[0], at=NOON)

    assert StaffChange.objects.get().status == StaffChangeStatus.OPEN


def test_new_accounts_take_no_part(propose, clerks, settings):
    """An account that an operator created is no exception, as it is for changes of staff."""
    change = propose()
    settings.SECOND_PERSON_WAIT = timedelta(days=3)
    User.objects.update(date_joined=NOON)
    olga, otto = User.objects.filter(pk__in=[one.pk for one in clerks]).order_by("pk")

    with pytest.raises(AccountTooNew):
        staff_changes.confirm(change, by=otto, at=later(hours=1))
    staff_changes.reject(change, by=olga, at=later(hours=1))
    with pytest.raises(AccountTooNew):
        propose(by=olga)


def test_a_proposal_of_a_clerk_who_lost_the_role_is_void(propose, clerks):
    change = propose()
    clerks[0].groups.clear()

    with pytest.raises(staff_changes.ChangeVoid):
        staff_changes.confirm(change, by=clerks[1], at=NOON)

    assert Posting.objects.count() == 1


def test_one_proposal_of_a_kind_is_open_for_a_row(propose):
    propose()

    with pytest.raises(bank_operations.AlreadyProposed):
        propose(100)

    assert StaffChange.objects.count() == 1


def test_what_the_ledger_refuses_is_not_proposed(propose):
    with pytest.raises(bank_operations.OperationRefused, match="does not cover"):
        propose(-10_001)

    assert not StaffChange.objects.exists()
    assert not StaffEvent.objects.exists()


def test_what_the_ledger_refuses_later_stays_open(propose, clerks, funded, make_transaction):
    change = propose(-10_000)
    make_transaction(funded, -1)

    with pytest.raises(bank_operations.OperationRefused, match="does not cover"):
        staff_changes.confirm(change, by=clerks[1], at=NOON)

    assert StaffChange.objects.get().status == StaffChangeStatus.OPEN
    assert not list(find_differences())


def test_operations_have_a_list_of_their_own(funded, clerks):
    names = staff_changes.list_operations()

    assert {"ADJUST_ACCOUNT", "FREEZE_ACCOUNT", "REVERSE_POSTING"} <= set(names)
    assert "USER" not in names
    change = freezes.propose_freeze(funded, reason="Asked.", by=clerks[0], at=NOON)
    assert staff_changes.kinds[change.kind].row(change) == funded


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer at a time")
def test_two_confirmations_at_once_make_one_posting(propose, clerks, funded, in_threads):
    change = propose()
    third = User.objects.create_user("ona@example.com", user_type="STAFF")
    third.groups.add(Group.objects.get(name="Operations"))

    outcomes = in_threads(
        lambda second: staff_changes.confirm(change, by=second, at=NOON), [clerks[1], third]
    )

    refused = [one for one in outcomes if isinstance(one, Exception)]
    assert [type(one) for one in refused] == [staff_changes.ChangeSettled]
    funded.refresh_from_db()
    assert funded.current_cents == 12_500
    assert Posting.objects.count() == 2
    assert not list(find_differences())
