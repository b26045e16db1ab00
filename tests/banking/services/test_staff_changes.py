"""Staff changes: who proposes, who confirms, and what voids a proposal."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group, Permission
from django.db import IntegrityError

from banking.models import StaffChange, StaffEvent, User
from banking.services import access_changes, second_person, staff_changes
from banking.services.second_person import AccountTooNew, CreatedByOther, CreatedBySame
from banking.services.staff_changes import ChangeSettled, ChangeVoid, ConcernsYou, OwnChange
from tests.factories import NOON

pytestmark = pytest.mark.django_db
EARLIER = NOON - timedelta(days=30)


def make(name, **values):
    values = {"user_type": "STAFF", "date_joined": EARLIER, **values}
    return User.objects.create_user(f"{name}@example.com", **values)


@pytest.fixture(autouse=True)
def three_days(settings):
    settings.SECOND_PERSON_WAIT = timedelta(days=3)


@pytest.fixture
def rosa():
    return make("rosa")


@pytest.fixture
def sam():
    return make("sam")


@pytest.fixture
def approver():
    return Group.objects.get(name="Approver")


@pytest.fixture
def change(rosa, approver):
    """A role that Rosa proposes for Dana."""
    summary = ["dana@example.com was given a role: Approver."]
    return access_changes.propose_access(
        make("dana"), values={}, groups=[approver], summary=summary, by=rosa, at=NOON
    )


def types():
    return list(StaffEvent.objects.order_by("number").values_list("type", flat=True))


def test_a_change_is_in_force_once_a_second_administrator_confirmed_it(change, sam, approver):
    assert not approver.user_set.exists()

    staff_changes.confirm(change, by=sam, at=NOON)

    assert approver.user_set.get().access_changed_at == NOON
    assert types() == ["PROPOSED", "CONFIRMED"]
    event = StaffEvent.objects.get(type="CONFIRMED")
    assert event.who == str(sam.external_id)
    assert event.details["subject"] == str(change.subject.external_id)
    assert event.details["summary"] == ["dana@example.com was given a role: Approver."]


def test_neither_the_proposer_nor_the_person_concerned_confirms(change, rosa, approver):
    with pytest.raises(OwnChange):
        staff_changes.confirm(change, by=rosa, at=NOON)
    with pytest.raises(ConcernsYou):
        staff_changes.confirm(change, by=change.subject, at=NOON)

    assert not approver.user_set.exists()


def test_a_puppet_of_the_proposer_and_a_new_account_do_not_confirm(change, rosa, sam):
    puppet = make("puppet", created_by=rosa)
    fresh = make("fresh", created_by=sam, date_joined=NOON - timedelta(days=2))
    extended = make("extended", access_changed_at=NOON - timedelta(days=2))

    for person, refusal in [
        (puppet, CreatedByOther),
        (fresh, AccountTooNew),
        (extended, AccountTooNew),
    ]:
        with pytest.raises(refusal):
            staff_changes.confirm(change, by=person, at=NOON)


def test_two_puppets_of_one_creator_are_not_two(approver):
    chief = make("chief")
    first, second = make("first", created_by=chief), make("second", created_by=chief)
    change = access_changes.propose_access(
        make("dana"), values={}, groups=[approver], summary=["A role."], by=first, at=NOON
    )

    with pytest.raises(CreatedBySame):
        staff_changes.confirm(change, by=second, at=NOON)


def test_a_new_administrator_proposes_nothing_and_the_first_ones_at_once(sam):
    said = {"email": "dana@example.com", "first_name": "", "last_name": "", "groups": []}
    new = make("new", created_by=sam, date_joined=NOON)

    with pytest.raises(AccountTooNew):
        access_changes.propose_account(**said, by=new, at=NOON)
    first = [make(name, date_joined=NOON) for name in ("first", "second")]
    change = access_changes.propose_account(**said, by=first[0], at=NOON)
    staff_changes.confirm(change, by=first[1], at=NOON)

    dana = User.objects.get(email="dana@example.com")
    assert [dana.created_by, dana.confirmed_by] == first


@pytest.mark.parametrize(
    "what", ["payload", "summary", "user", "proposer", "permissions", "role", "permission"]
)
def test_what_changes_meanwhile_voids_the_proposal(change, sam, approver, what):
    if what == "payload":
        change.payload["groups"].append(Group.objects.get(name="Administrator").pk)
        change.save()
    elif what == "summary":
        change.summary = ["dana@example.com was given a role: Viewer."]
        change.save()
    elif what == "user":
        User.objects.filter(pk=change.subject_id).update(email="dora@example.com")
    elif what == "proposer":
        User.objects.filter(pk=change.proposed_by_id).update(is_active=False)
    elif what == "permissions":
        change.proposed_by.user_permissions.add(Permission.objects.get(codename="change_user"))
    elif what == "role":
        Group.objects.filter(pk=approver.pk).update(name="Everything")
    else:
        approver.permissions.add(Permission.objects.get(codename="change_user"))

    with pytest.raises(ChangeVoid):
        staff_changes.confirm(change, by=sam, at=NOON)

    change.refresh_from_db()
    assert change.status == "VOIDED"
    assert not approver.user_set.exists()
    assert types() == ["PROPOSED", "VOIDED"]


def test_a_colleague_rejects_and_the_proposer_withdraws(change, rosa, sam):
    staff_changes.reject(change, by=sam, at=NOON)
    with pytest.raises(ChangeSettled):
        staff_changes.confirm(change, by=sam, at=NOON)
    other = access_changes.propose_access(
        change.subject, values={}, summary=["Nothing."], by=rosa, at=NOON
    )
    staff_changes.reject(other, by=rosa, at=NOON)

    assert types() == ["PROPOSED", "REFUSED", "PROPOSED", "WITHDRAWN"]


def test_of_two_changes_of_one_row_that_are_confirmed_at_once_one_is_void(in_threads):
    rosa, sam = make("rosa"), make("sam")
    group = Group.objects.create(name="Clerks")
    changes = [
        access_changes.propose_group(group, name=name, permissions=[], by=rosa, at=NOON)
        for name in ("Desk", "Tellers")
    ]

    answers = in_threads(lambda one: staff_changes.confirm(one, by=sam, at=NOON), changes)

    assert sum(isinstance(one, ChangeVoid) for one in answers) == 1
    group.refresh_from_db()
    confirmed = StaffChange.objects.get(status="CONFIRMED")
    assert group.name == confirmed.payload["name"]
    assert types() == ["PROPOSED", "PROPOSED", "CONFIRMED", "VOIDED"]


def test_who_changes_the_address_of_a_colleague_is_not_a_second_person_with_it(rosa, sam):
    pia = make("pia", password="an old password")
    change = access_changes.propose_access(
        pia, values={"email": "new@example.com"}, summary=["Address."], by=rosa, at=NOON
    )

    staff_changes.confirm(change, by=sam, at=NOON)

    pia.refresh_from_db()
    later = NOON + timedelta(days=30)
    assert (pia.created_by, pia.confirmed_by) == (rosa, sam)
    with pytest.raises(AccountTooNew):
        second_person.require_wait_over(pia, at=NOON + timedelta(days=2))
    with pytest.raises(CreatedByOther):
        second_person.require_two_people(rosa, pia, at=later)
    second_person.require_two_people(sam, pia, at=later)


def test_who_proposes_another_address_of_their_own_is_not_their_creator(rosa, sam):
    change = access_changes.propose_access(
        rosa, values={"email": "new@example.com"}, summary=["Address."], by=rosa, at=NOON
    )

    staff_changes.confirm(change, by=sam, at=NOON)

    rosa.refresh_from_db()
    assert (rosa.email, rosa.created_by) == ("new@example.com", None)


@pytest.mark.parametrize("column", ["proposed_by", "subject"])
def test_the_database_refuses_a_confirmation_by_the_wrong_person(change, column):
    change.status, change.settled_at = "CONFIRMED", NOON
    change.settled_by = getattr(change, column)

    with pytest.raises(IntegrityError, match="staffchange_never_confirmed_by"):
        change.save()
