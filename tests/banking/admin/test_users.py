import pytest
from django.contrib.auth.models import Group, Permission
from django.test import Client

from banking.models import User

PAGE = "/admin/banking/user/"
PASSWORDS = dict.fromkeys(["password1", "password2"], "correct horse battery")


@pytest.fixture
def chief(client, db):
    client.force_login(User.objects.create_superuser("chief@example.com"))
    return client


def test_a_user_is_added_by_email(chief):
    form = {"email": "dana@example.com", "usable_password": "true"}
    form |= dict.fromkeys(["password1", "password2"], "correct horse battery")

    chief.post("/admin/banking/user/add/", form)

    assert User.objects.get(email="dana@example.com").check_password("correct horse battery")


@pytest.mark.parametrize("page", ["banking/user/", "banking/user/add/", "auth/group/"])
def test_the_screens_of_users_and_groups_are_there(chief, page):
    assert chief.get(f"/admin/{page}").status_code == 200


@pytest.fixture
def clerk(db):
    """Somebody who may change and delete users, and no more."""
    user = User.objects.create_user("clerk@example.com", user_type="STAFF")
    rights = ["add_user", "change_user", "delete_user", "view_user"]
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    return user


@pytest.fixture
def desk(clerk):
    client = Client()
    client.force_login(clerk)
    return client


@pytest.fixture
def boss(db):
    return User.objects.create_superuser("boss@example.com", "an old password")


def test_an_email_in_upper_case_is_kept_in_lower_case(chief):
    chief.post(f"{PAGE}add/", {"email": "Dana@Example.COM", "usable_password": "true", **PASSWORDS})
    user = User.objects.get(email="dana@example.com")

    answer = chief.post(
        f"{PAGE}{user.pk}/change/", {"email": "DANA@example.org", "user_type": "BUSINESS"}
    )

    user.refresh_from_db()
    assert (answer.status_code, user.email) == (302, "dana@example.org")


def test_an_email_that_is_taken_in_another_case_is_refused(chief):
    User.objects.create_user("dana@example.com")

    answer = chief.post(
        f"{PAGE}add/", {"email": "DANA@example.com", "usable_password": "true", **PASSWORDS}
    )

    assert "already exists" in answer.content.decode()


def test_nobody_raises_themselves(desk, clerk):
    rights = set(clerk.user_permissions.all())
    powers = {"is_active": "on", "user_type": "STAFF", "is_superuser": "on"}
    powers |= {"groups": [Group.objects.create(name="Bosses").pk]}
    powers |= {"user_permissions": [Permission.objects.get(codename="add_group").pk]}

    answer = desk.post(
        f"{PAGE}{clerk.pk}/change/", {"email": clerk.email, "first_name": "Cleo", **powers}
    )

    clerk.refresh_from_db()
    assert (answer.status_code, clerk.first_name) == (302, "Cleo")
    assert (clerk.is_staff, clerk.is_superuser) == (True, False)
    assert set(clerk.user_permissions.all()) == rights
    assert not clerk.groups.exists()


def test_a_superuser_gives_powers(chief, clerk):
    chief.post(
        f"{PAGE}{clerk.pk}/change/",
        {"email": clerk.email, "is_active": "on", "user_type": "STAFF", "is_superuser": "on"},
    )

    clerk.refresh_from_db()
    assert clerk.is_superuser


@pytest.mark.parametrize(
    ("page", "form"),
    [
        ("change/", {"email": "mine@example.com"}),
        ("password/", {"usable_password": "true", **PASSWORDS}),
        ("delete/", {"post": "yes"}),
    ],
)
def test_only_a_superuser_touches_a_superuser(desk, boss, page, form):
    answer = desk.post(f"{PAGE}{boss.pk}/{page}", form)

    assert answer.status_code == 403
    boss.refresh_from_db()
    assert boss.email == "boss@example.com"
    assert boss.check_password("an old password")


def test_a_superuser_is_not_deleted_from_the_list_either(desk, boss):
    form = {"action": "delete_selected", "_selected_action": boss.pk, "post": "yes"}

    desk.post(PAGE, form)

    assert User.objects.filter(pk=boss.pk).exists()
