import pytest
from django.contrib.auth.models import Group, Permission

from banking.models import StaffChange, StaffEvent, User
from tests.factories import NOON
from tests.mailing import mailed
from tests.staff import confirm_change

CONFIRM = "confirm_application"


@pytest.fixture
def bosses(db):
    group = Group.objects.create(name="Bosses")
    group.permissions.set(permissions("view_application"))
    return group


@pytest.fixture
def dana(bosses):
    user = User.objects.create_user("dana@example.com", user_type="STAFF")
    user.groups.add(bosses)
    return user


@pytest.fixture
def save(client, bosses, django_capture_on_commit_callbacks):
    """Save the page of the group with other values."""
    client.force_login(User.objects.create_superuser("chief@example.com"))

    def post(name, *codenames):
        before = ("Bosses", bosses.permissions.count())
        sent = {"name": name, "permissions": [one.pk for one in permissions(*codenames)]}
        with django_capture_on_commit_callbacks(execute=True):
            answer = client.post(f"/admin/auth/group/{bosses.pk}/change/", sent)
            assert answer.status_code == 302
            bosses.refresh_from_db()
            assert (bosses.name, bosses.permissions.count()) == before
            confirm_change()

    return post


def permissions(*codenames):
    return Permission.objects.filter(codename__in=codenames)


def test_a_permission_added_to_a_group_is_dated_and_mailed_to_each_member(save, dana):
    dora = User.objects.create_user("dora@example.com", user_type="STAFF")

    save("Bosses", "view_application", CONFIRM)

    dana.refresh_from_db()
    dora.refresh_from_db()
    assert dana.access_changed_at == NOON
    assert dora.access_changed_at is None
    assert [message.to for message in mailed()] == [["dana@example.com"]] * 2
    for message in mailed():  # the proposal and the change
        assert f"- Bosses was given a permission: {permissions(CONFIRM).get()}.\n" in message.body
        assert "view application" not in message.body


def test_a_permission_that_a_group_loses_is_mailed_to_each_member_and_not_dated(save, dana):
    save("Chiefs")

    dana.refresh_from_db()
    assert (dana.groups.get().name, dana.groups.get().permissions.count()) == ("Chiefs", 0)
    assert dana.access_changed_at is None
    assert [message.to for message in mailed()] == [["dana@example.com"]] * 2
    for message in mailed():  # the proposal and the change
        assert "- Group Bosses.\n- Another name: Chiefs.\n" in message.body
        for one in permissions("view_application"):
            assert f"- Chiefs lost a permission: {one}.\n" in message.body


def test_another_name_alone_is_neither_dated_nor_mailed(save, dana):
    save("Chiefs", "view_application")

    dana.refresh_from_db()
    assert dana.groups.get().name == "Chiefs"
    assert (dana.access_changed_at, mailed()) == (None, [])


@pytest.mark.parametrize("way", ["page", "list"])
def test_a_deleted_group_is_a_staff_event_and_mailed_to_each_member(
    chief, bosses, dana, way, django_capture_on_commit_callbacks
):
    page = "/admin/auth/group/"
    selected = {"action": "delete_selected", "_selected_action": bosses.pk}
    path, sent = (f"{page}{bosses.pk}/delete/", {}) if way == "page" else (page, selected)

    with django_capture_on_commit_callbacks(execute=True):
        chief.post(path, {"post": "yes", **sent})

    event = StaffEvent.objects.get()
    assert not Group.objects.filter(name="Bosses").exists()
    assert event.type == "ACCESS_REMOVED"
    assert event.details == {
        "by": "chief@example.com",
        "summary": ["Group Bosses was deleted.", "dana@example.com lost it."],
    }
    assert mailed()[0].to == ["dana@example.com"]
    assert "- Group Bosses was deleted.\n" in mailed()[0].body


def test_a_new_group_has_permissions_and_no_members(client, db):
    client.force_login(User.objects.create_superuser("chief@example.com"))
    sent = {"name": "Clerks", "permissions": [permissions(CONFIRM).get().pk]}

    answer = client.post("/admin/auth/group/add/", sent)

    assert answer.status_code == 302
    assert not Group.objects.filter(name="Clerks").exists()
    confirm_change()
    assert Group.objects.get(name="Clerks").permissions.get().codename == CONFIRM


def test_an_id_that_is_spelled_otherwise_is_a_proposal_too(client, bosses):
    client.force_login(User.objects.create_superuser("chief@example.com"))

    client.post(f"/admin/auth/group/_2B{bosses.pk}/change/", {"name": "Chiefs"})

    assert StaffChange.objects.count() == 1
    assert Group.objects.get(pk=bosses.pk).name == "Bosses"
