"""Roles, given on the screen of users by who looks after users."""

import pytest
from django.contrib.auth.models import Group, Permission

from banking.models import User
from onboarding.roles import ROLES
from tests.staff import confirm_change, sign_in

PAGE = "/admin/banking/user/"
NAMES = {role.name for role in ROLES}


def in_role(email, *names):
    user = User.objects.create_user(email, user_type="STAFF")
    user.groups.set(Group.objects.filter(name__in=names))
    return user


@pytest.fixture
def administrator(db):
    return in_role("rosa@example.com", "Administrator")


@pytest.fixture
def desk(administrator):
    return sign_in(administrator)


def give(client, user, *names, **values):
    groups = [group.pk for group in Group.objects.filter(name__in=names)]
    sent = {"email": user.email, "is_active": "on", "groups": groups}
    return client.post(f"{PAGE}{user.pk}/change/", {**sent, **values})


def names_of(user):
    return set(user.groups.values_list("name", flat=True))


def test_an_administrator_makes_somebody_staff_in_a_role(desk):
    reviewer = Group.objects.get(name="Reviewer")

    answer = desk.post(f"{PAGE}add/", {"email": "dana@example.com", "groups": [reviewer.pk]})

    confirm_change()
    dana = User.objects.get(email="dana@example.com")
    assert (answer.status_code, dana.is_staff, names_of(dana)) == (302, True, {"Reviewer"})


@pytest.mark.parametrize("name", sorted(NAMES))
def test_each_role_may_be_given_and_taken(desk, name):
    dana = in_role("dana@example.com")

    give(desk, dana, name)
    confirm_change()
    given = names_of(dana)
    give(desk, dana)

    assert given == {name}
    assert names_of(dana) == set()


def test_neither_everything_nor_single_permissions_are_given(desk):
    dana = in_role("dana@example.com")
    one = Permission.objects.get(codename="reveal_number").pk

    give(desk, dana, "Viewer", is_superuser="on", user_permissions=[one])

    dana.refresh_from_db()
    assert not dana.is_superuser
    assert not dana.user_permissions.exists()


def test_no_other_group_is_given(desk):
    Group.objects.create(name="Bosses")
    dana = in_role("dana@example.com")

    answer = give(desk, dana, "Bosses")

    assert answer.status_code == 200
    assert names_of(dana) == set()
    assert "Bosses" not in desk.get(f"{PAGE}{dana.pk}/change/").content.decode()


def test_whoever_has_another_group_is_left_to_superusers(desk):
    Group.objects.create(name="Bosses")
    dana = in_role("dana@example.com", "Bosses")

    give(desk, dana, "Viewer")

    assert names_of(dana) == {"Bosses"}


def test_an_administrator_gives_nothing_to_themselves(desk, administrator):
    give(desk, administrator, "Approver", "Administrator")

    assert names_of(administrator) == {"Administrator"}


def test_a_group_itself_is_not_changed_by_an_administrator(desk):
    viewer = Group.objects.get(name="Viewer")

    answer = desk.post(f"/admin/auth/group/{viewer.pk}/change/", {"name": "Viewer"})

    assert answer.status_code == 403
    assert viewer.permissions.exists()


@pytest.mark.parametrize("name", sorted(NAMES - {"Administrator"}))
def test_no_other_role_gives_any(db, name):
    dana = in_role("dana@example.com")

    answer = give(sign_in(in_role("other@example.com", name)), dana, "Approver")

    assert answer.status_code == 403
    assert names_of(dana) == set()


def test_who_may_change_users_alone_gives_no_role(db):
    clerk = in_role("clerk@example.com")
    clerk.user_permissions.set(Permission.objects.filter(codename__in=["change_user", "view_user"]))
    dana = in_role("dana@example.com")

    give(sign_in(clerk), dana, "Approver")

    assert names_of(dana) == set()
