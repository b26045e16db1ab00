import re
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission
from django.core.mail.backends.locmem import EmailBackend
from django.test import Client
from django.utils import timezone

from banking.admin import users
from banking.models import StaffChange, StaffEvent, User
from tests import factories
from tests.mailing import mailed
from tests.staff import sign_in

PAGE = "/admin/banking/user/"
CHANGES = "/admin/banking/staffchange/"
PASSWORDS = dict.fromkeys(["password1", "password2"], "copper otter lantern")


@pytest.fixture
def second(db):
    """Return a client of a second administrator."""
    return sign_in(User.objects.create_superuser("second@example.com"))


def confirm(client):
    """Confirm the open change on its page, and return the page that comes next."""
    change = StaffChange.objects.get(status="OPEN")
    return client.post(f"{CHANGES}{change.pk}/confirm/", follow=True)


@pytest.fixture
def add(chief, second):
    """Add a member of staff on the page, and return the page of a second person's confirmation."""

    def post(**values):
        said = chief.post(f"{PAGE}add/", {"email": "dana@example.com", **values}, follow=True)
        assert "Proposed. It takes effect when" in said.content.decode()
        assert not User.objects.filter(email="dana@example.com").exists()
        return confirm(second)

    return post


def test_a_new_member_of_staff_chooses_the_password_by_mail_and_is_in(add):
    add(first_name="Dana", groups=[Group.objects.get(name="Reviewer").pk])
    link = urlsplit(re.search(r"http\S+/welcome/\S+", mailed()[0].body)[0]).path
    client = Client()

    form = client.get(link)["Location"]
    text = client.get(form).content.decode()
    answer = client.post(
        form, dict.fromkeys(["new_password1", "new_password2"], "amber-lantern-tulip-7")
    )

    dana = User.objects.get(email="dana@example.com")
    assert mailed()[0].to == ["dana@example.com"]
    assert "You will sign in to the back office" in text
    assert answer["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200
    assert (dana.is_staff, dana.groups.get().name) == (True, "Reviewer")
    assert dana.created_by == User.objects.get(email="chief@example.com")
    assert dana.confirmed_by == User.objects.get(email="second@example.com")


def test_nobody_types_the_password_of_a_new_member_of_staff(add):
    add(**PASSWORDS, usable_password="true")

    assert not User.objects.get(email="dana@example.com").has_usable_password()


def test_the_page_says_whether_the_invitation_was_mailed(add, monkeypatch):
    def fail(*_args):
        raise ConnectionRefusedError

    mailed = add()
    User.objects.filter(email="dana@example.com").update(email="dora@example.com")
    monkeypatch.setattr(EmailBackend, "send_messages", fail)
    failed = add()

    assert "An invitation was mailed to dana@example.com." in mailed.content.decode()
    text = "The mail could not be sent. Ask dana@example.com to request a link at /password-reset."
    assert text in failed.content.decode()
    assert User.objects.filter(email="dana@example.com").exists()


@pytest.mark.parametrize(("first_name", "title"), [("Dana", "Dana"), ("", "dana@example.com")])
def test_the_page_is_titled_with_the_name_or_the_email(chief, first_name, title):
    dana = User.objects.create_user("dana@example.com", user_type="STAFF", first_name=first_name)

    page = chief.get(f"{PAGE}{dana.pk}/change/").content.decode()

    assert f"<h2>{title}</h2>" in page
    assert "argon2" not in page


@pytest.mark.parametrize("user_type", ["STAFF", "BUSINESS", "ACCOUNTANT"])
def test_nobody_sets_the_password_of_somebody_else(chief, user_type):
    dana = factories.make_user(email="dana@example.com", user_type=user_type)
    dana.set_password("an old password")
    dana.save()

    chief.post(f"{PAGE}{dana.pk}/password/", {"usable_password": "true", **PASSWORDS})
    chief.post(f"{PAGE}{dana.pk}/change/", {"email": dana.email, "password": "x", **PASSWORDS})

    dana.refresh_from_db()
    assert dana.check_password("an old password")


@pytest.mark.parametrize("user_type", ["BUSINESS", "ACCOUNTANT"])
def test_customers_are_not_on_the_screen(chief, user_type):
    owner = factories.make_user(email="owner@example.com", user_type=user_type)

    listed = chief.get(f"{PAGE}?q=owner").content.decode()
    pages = [chief.get(f"{PAGE}{owner.pk}/{page}/") for page in ("change", "history", "delete")]
    chief.post(f"{PAGE}{owner.pk}/delete/", {"post": "yes"})

    assert "owner@example.com" not in listed
    assert [page["Location"] for page in pages] == ["/admin/"] * 3
    assert User.objects.filter(pk=owner.pk).exists()


def test_the_hash_of_a_password_is_not_searched(chief):
    assert chief.get(f"{PAGE}?password__startswith=argon2").status_code == 400


def test_the_sign_in_page_of_staff_leads_to_the_password_reset(client, db):
    page = client.get("/admin/login/").content.decode()

    link = re.search(r'href="(/admin/password-reset)"', page)[1]
    assert client.get(link)["Location"] == "/password-reset"


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


def test_an_email_in_upper_case_is_kept_in_lower_case(chief, second):
    chief.post(f"{PAGE}add/", {"email": "Dana@Example.COM"})
    confirm(second)
    user = User.objects.get(email="dana@example.com")

    chief.post(f"{PAGE}{user.pk}/change/", {"email": "DANA@example.org"})
    confirm(second)

    user.refresh_from_db()
    assert user.email == "dana@example.org"


def test_an_email_that_is_taken_in_another_case_is_refused(chief):
    User.objects.create_user("dana@example.com")

    answer = chief.post(f"{PAGE}add/", {"email": "DANA@example.com"})

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


def test_a_superuser_gives_powers(chief, second, clerk):
    chief.post(
        f"{PAGE}{clerk.pk}/change/",
        {"email": clerk.email, "is_active": "on", "user_type": "STAFF", "is_superuser": "on"},
    )

    clerk.refresh_from_db()
    assert not clerk.is_superuser
    confirm(second)
    clerk.refresh_from_db()
    assert clerk.is_superuser


@pytest.mark.parametrize(
    ("page", "form"),
    [
        ("change/", {"email": "mine@example.com"}),
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


@pytest.fixture
def save(chief, second, django_capture_on_commit_callbacks):
    """Save the page of a user with some values changed, and confirm what it proposes."""

    def post(user, **values):
        sent = {"email": user.email, "is_active": "on", **values}
        with django_capture_on_commit_callbacks(execute=True):
            chief.post(f"{PAGE}{user.pk}/change/", sent)
            if StaffChange.objects.filter(status="OPEN").exists():
                confirm(second)
        user.refresh_from_db()

    return post


def test_what_a_colleague_changes_meanwhile_stays(chief, monkeypatch):
    dana = User.objects.create_user("dana@example.com", "an old password", user_type="STAFF")
    dana.groups.add(Group.objects.get(name="Viewer"))

    lock = users.staff_history.lock

    def meanwhile():
        User.objects.filter(pk=dana.pk).update(is_active=False, password="another")
        dana.groups.clear()
        return lock()

    monkeypatch.setattr(users.staff_history, "lock", meanwhile)
    form = {"email": dana.email, "first_name": "Dana", "is_active": "on"}
    form["groups"] = [group.pk for group in dana.groups.all()]
    chief.post(f"{PAGE}{dana.pk}/change/", form)

    dana.refresh_from_db()
    assert (dana.first_name, dana.is_active, dana.password) == ("Dana", False, "another")
    assert not dana.groups.exists()


def test_a_new_role_is_dated_and_mailed(save):
    dana = User.objects.create_user("dana@example.com", user_type="STAFF")

    save(dana, groups=[Group.objects.get(name="Approver").pk])

    assert dana.access_changed_at > dana.date_joined
    assert "- dana@example.com was given a role: Approver." in mailed()[1].body
    assert [message.to for message in mailed()] == [["dana@example.com"]] * 2


@pytest.mark.parametrize(
    ("before", "values", "sentence"),
    [
        ({}, {"is_superuser": "on"}, "dana@example.com is a superuser."),
        ({"is_active": False}, {}, "The account of dana@example.com is active again."),
    ],
)
def test_each_extension_is_dated_and_mailed(save, before, values, sentence):
    dana = User.objects.create_user("dana@example.com", user_type="STAFF", **before)

    save(dana, **values)

    assert dana.access_changed_at
    proposed, changed = mailed()
    assert sentence in proposed.body
    assert "Nothing has changed yet" in proposed.body
    assert sentence in changed.body
    assert "An administrator has changed your account" in changed.body


def test_a_single_permission_is_dated_and_mailed(save):
    dana = User.objects.create_user("dana@example.com", user_type="STAFF")

    save(dana, user_permissions=[Permission.objects.get(codename="confirm_application").pk])

    assert dana.access_changed_at
    assert "dana@example.com was given a permission: " in mailed()[1].body


def test_a_new_email_is_mailed_to_the_former_one_too(save):
    dana = User.objects.create_user("dana@example.com", "an old password", user_type="STAFF")

    save(dana, email="dora@example.com")

    assert dana.access_changed_at
    told = sorted(message.to for message in mailed())  # of the proposal, too
    assert told == [["dana@example.com"], ["dana@example.com"], ["dora@example.com"]]
    text = "The email address is now dora@example.com instead of dana@example.com."
    assert all(text in message.body for message in mailed())


def test_less_access_is_mailed_and_a_staff_event_and_not_dated(save):
    dana = User.objects.create_user("dana@example.com", user_type="STAFF")
    dana.groups.add(Group.objects.get(name="Approver"))

    save(dana, first_name="Dana", is_active="")

    assert (dana.first_name, dana.is_active, dana.groups.exists()) == ("Dana", False, False)
    event = StaffEvent.objects.get(type="ACCESS_REMOVED")
    assert dana.access_changed_at is None
    assert event.details == {
        "subject": str(dana.external_id),
        "email": "dana@example.com",
        "summary": [
            "The account of dana@example.com was deactivated.",
            "dana@example.com lost a role: Approver.",
        ],
        "by": "chief@example.com",
    }
    assert [message.to for message in mailed()] == [["dana@example.com"]] * 2
    assert "- dana@example.com lost a role: Approver.\n" in mailed()[1].body


def test_another_name_is_a_staff_event_and_mailed_and_not_dated(save):
    dana = User.objects.create_user("dana@example.com", user_type="STAFF", first_name="Dana")

    save(dana, first_name="Chief", last_name="Auditor")

    event = StaffEvent.objects.get()
    sentences = [
        "The first name of dana@example.com is now “Chief” instead of “Dana”.",
        "The last name of dana@example.com is now “Auditor” instead of “”.",
    ]
    assert (dana.first_name, dana.access_changed_at) == ("Chief", None)
    assert (event.type, event.details["summary"]) == ("RENAMED", sentences)
    assert event.details["by"] == "chief@example.com"
    assert mailed()[0].to == ["dana@example.com"]
    assert all(sentence in mailed()[0].body for sentence in sentences)


@pytest.mark.parametrize("way", ["page", "list"])
def test_an_account_is_not_deleted_with_its_entries_in_the_log(chief, way):
    dana = User.objects.create_user("dana@example.com", user_type="STAFF")
    entry = LogEntry.objects.create(user=dana, action_flag=2, object_repr="a partner")
    selected = {"action": "delete_selected", "_selected_action": dana.pk}
    path, sent = (f"{PAGE}{dana.pk}/delete/", {}) if way == "page" else (PAGE, selected)

    page = chief.post(path, {"post": "yes", **sent})

    assert "deactivate instead" in page.content.decode()
    assert User.objects.filter(pk=dana.pk).exists()
    assert LogEntry.objects.filter(pk=entry.pk).exists()


def test_the_powers_of_a_superuser_are_taken_with_an_event(save, boss):
    boss.user_permissions.add(Permission.objects.get(codename="view_job"))

    save(boss)

    boss.refresh_from_db()
    taken, permission = StaffEvent.objects.get().details["summary"]
    assert (boss.is_superuser, boss.user_permissions.count()) == (False, 0)
    assert taken == "boss@example.com is no longer a superuser."
    assert permission.startswith("boss@example.com lost a permission: ")


@pytest.mark.parametrize("way", ["page", "list"])
def test_a_deleted_account_is_a_staff_event_and_mailed(
    chief, way, django_capture_on_commit_callbacks
):
    dana = User.objects.create_user("dana@example.com", user_type="STAFF")
    selected = {"action": "delete_selected", "_selected_action": dana.pk}
    path, sent = (f"{PAGE}{dana.pk}/delete/", {}) if way == "page" else (PAGE, selected)

    with django_capture_on_commit_callbacks(execute=True):
        chief.post(path, {"post": "yes", **sent})

    event = StaffEvent.objects.get()
    assert not User.objects.filter(pk=dana.pk).exists()
    assert event.type == "ACCESS_REMOVED"
    assert event.details["subject"] == str(dana.external_id)
    assert mailed()[0].to == ["dana@example.com"]
    assert "The account of dana@example.com was deleted." in mailed()[0].body


def test_a_refused_proposal_is_not_logged_as_made(chief, settings):
    settings.SECOND_PERSON_WAIT = timedelta(days=3)
    User.objects.filter(email="chief@example.com").update(access_changed_at=timezone.now())
    dana = User.objects.create_user("dana@example.com", user_type="STAFF")
    sent = {"email": dana.email, "is_active": "on", "is_superuser": "on", "first_name": "Dana"}

    chief.post(f"{PAGE}{dana.pk}/change/", sent)

    assert not StaffChange.objects.exists()
    said = LogEntry.objects.get().change_message
    assert said == ("Changed first_name. Could not be proposed: dana@example.com is a superuser.")


def test_an_address_changes_only_with_both_mails(save, monkeypatch):
    dana = User.objects.create_user("dana@example.com", "an old password", user_type="STAFF")

    def fail(*_args):
        raise ConnectionRefusedError

    monkeypatch.setattr(EmailBackend, "send_messages", fail)
    save(dana, email="dora@example.com")

    assert (dana.email, dana.access_changed_at) == ("dana@example.com", None)
    assert StaffChange.objects.get().status == "OPEN"


def test_only_a_superuser_changes_the_email_behind_a_password(desk, second):
    dana = User.objects.create_user("dana@example.com", "an old password", user_type="STAFF")
    dora = User.objects.create_user("dora@example.com", user_type="STAFF")

    for user in (dana, dora):
        sent = {"email": "mine@example.com", "is_active": "on"}
        desk.post(f"{PAGE}{user.pk}/change/", sent)
    confirm(second)

    dana.refresh_from_db()
    dora.refresh_from_db()
    assert (dana.email, dora.email) == ("dana@example.com", "mine@example.com")


@pytest.mark.parametrize("password", [None, "an old password"])
def test_the_user_who_changes_the_email_becomes_the_creator(save, boss, password):
    fields = {"user_type": "STAFF", "created_by": boss}
    dana = User.objects.create_user("dana@example.com", password, **fields)

    save(dana, email="dora@example.com")

    assert (dana.email, dana.created_by.email) == ("dora@example.com", "chief@example.com")
    assert dana.access_changed_at


def test_a_new_name_or_the_email_in_upper_case_changes_no_creator(save, boss):
    dana = User.objects.create_user("dana@example.com", user_type="STAFF", created_by=boss)

    save(dana, email="DANA@example.com", first_name="Dana")

    assert (dana.first_name, dana.created_by) == ("Dana", boss)


@pytest.fixture
def pia(db):
    """Return an account that Rosa, an administrator, created."""
    rosa = User.objects.create_user("rosa@example.com", user_type="STAFF")
    return User.objects.create_user("pia@example.com", user_type="STAFF", created_by=rosa)


def test_a_second_administrator_confirms_an_account_on_its_page_and_it_is_logged(chief, pia):
    button = f'action="{PAGE}{pia.pk}/confirm/"'
    before = chief.get(f"{PAGE}{pia.pk}/change/").content.decode()

    answer = chief.post(f"{PAGE}{pia.pk}/confirm/", follow=True).content.decode()

    pia.refresh_from_db()
    assert pia.confirmed_by == User.objects.get(email="chief@example.com")
    assert button in before
    assert "The account is confirmed." in answer
    assert button not in answer
    assert LogEntry.objects.get().change_message == "Account confirmed."


def test_the_page_says_why_a_confirmation_is_refused(desk, clerk, pia):
    User.objects.filter(pk=pia.pk).update(created_by=clerk)

    answer = desk.post(f"{PAGE}{pia.pk}/confirm/", follow=True).content.decode()

    pia.refresh_from_db()
    assert "You created this account. Someone else must confirm it." in answer
    assert pia.confirmed_by is None


def test_another_email_of_an_invitation_is_confirmed_with_it(save, pia, boss):
    User.objects.filter(pk=pia.pk).update(confirmed_by=boss)

    save(pia, email="puppet@example.com")

    assert pia.created_by.email == "chief@example.com"
    assert pia.confirmed_by.email == "second@example.com"


def test_a_role_is_taken_at_once_and_given_by_two(chief, pia):
    approver, viewer = (Group.objects.get(name=name) for name in ("Approver", "Viewer"))
    pia.groups.add(viewer)

    sent = {"email": pia.email, "is_active": "on", "groups": [approver.pk]}
    answer = chief.post(f"{PAGE}{pia.pk}/change/", sent, follow=True).content.decode()

    assert not pia.groups.exists()
    assert "Proposed. It takes effect when" in answer
    assert StaffChange.objects.get().summary == ["pia@example.com was given a role: Approver."]
    said = LogEntry.objects.get().change_message
    assert said == (
        "pia@example.com lost a role: Viewer. Proposed: pia@example.com was given a role: Approver."
    )


def test_an_administrator_alone_makes_no_account(desk, clerk):
    clerk.user_permissions.add(Permission.objects.get(codename="change_staffchange"))
    desk.post(f"{PAGE}add/", {"email": "puppet@example.com"})
    change = StaffChange.objects.get()

    answer = desk.post(f"{CHANGES}{change.pk}/confirm/")

    assert answer.status_code == 302
    assert not User.objects.filter(email="puppet@example.com").exists()


def test_only_who_may_change_proposals_confirms_them(make_staff, chief):
    chief.post(f"{PAGE}add/", {"email": "dana@example.com"})
    path = f"{CHANGES}{StaffChange.objects.get().pk}/confirm/"

    assert make_staff("change_user", "view_staffchange").post(path).status_code == 403
    assert make_staff("change_staffchange").post(path).status_code == 302
    assert User.objects.filter(email="dana@example.com").exists()
