"""Access changes: what is carried out, and what voids it. The screens' tests have more."""

import pytest
from django.contrib.auth.models import Group, Permission

from banking.models import User
from banking.services import access_changes, staff_changes
from banking.services.staff_changes import ChangeVoid
from tests.factories import NOON

pytestmark = pytest.mark.django_db


@pytest.fixture
def people():
    return [
        User.objects.create_user(f"{name}@example.com", user_type="STAFF")
        for name in ("rosa", "sam")
    ]


@pytest.fixture
def propose(people):
    """Propose an account for Dana as Rosa."""

    def propose(*groups):
        names = {"first_name": "Dana", "last_name": "Ray"}
        said = {"email": "dana@example.com", "groups": groups, **names}
        return access_changes.propose_account(**said, by=people[0], at=NOON)

    return propose


def test_a_new_member_of_staff_has_creator_and_confirmer_and_no_password(propose, people):
    change = propose(Group.objects.get(name="Reviewer"))

    done = staff_changes.confirm(change, by=people[1], at=NOON)

    dana = User.objects.get(email="dana@example.com")
    assert done.subject == dana
    assert change.summary == [
        "New member of staff: Dana Ray <dana@example.com>.",
        "Role: Reviewer.",
    ]
    assert [dana.created_by, dana.confirmed_by] == people
    assert (dana.date_joined, dana.has_usable_password()) == (NOON, False)
    assert dana.groups.get().name == "Reviewer"


def test_an_address_that_is_taken_meanwhile_voids_the_proposal(propose, people):
    change = propose()
    User.objects.create_user("dana@example.com")

    with pytest.raises(ChangeVoid):
        staff_changes.confirm(change, by=people[1], at=NOON)


def test_a_role_with_other_permissions_voids_a_new_account(propose, people):
    group = Group.objects.get(name="Viewer")
    change = propose(group)
    group.permissions.add(Permission.objects.get(codename="change_user"))

    with pytest.raises(ChangeVoid):
        staff_changes.confirm(change, by=people[1], at=NOON)


def test_a_group_says_what_it_gains_and_loses(people):
    group = Group.objects.create(name="Clerks")
    see, add = (Permission.objects.get(codename=f"{one}_user") for one in ("view", "add"))
    group.permissions.add(see)

    change = access_changes.propose_group(
        group, name="Desk", permissions=[add], by=people[0], at=NOON
    )
    staff_changes.confirm(change, by=people[1], at=NOON)

    group.refresh_from_db()
    assert change.summary == [
        "Group Clerks.",
        "Another name: Desk.",
        f"Desk was given a permission: {add}.",
        f"Desk lost a permission: {see}.",
    ]
    assert (group.name, group.permissions.get()) == ("Desk", add)
