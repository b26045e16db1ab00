"""Members of staff: invited again, what each may do, and what ends when somebody leaves."""

import re

from django.contrib.auth.models import Group
from django.core.mail.backends.locmem import EmailBackend

from banking.choices import StaffEventType
from banking.models import StaffEvent, User
from onboarding.event_types import EventType
from onboarding.models import Event
from tests.factories import make_user
from tests.mailing import mailed
from tests.onboarding.services.reviews.test_leaving import make_claim
from tests.staff import sign_in, text_of

PAGE = "/admin/banking/user/"


def make_person(name="dana", *roles, password="copper otter lantern", **values):
    user = User.objects.create_user(
        f"{name}@example.com", password, user_type="STAFF", first_name=name.capitalize(), **values
    )
    user.groups.set(Group.objects.filter(name__in=roles))
    return user


def deactivate(client, user):
    return client.post(f"{PAGE}{user.pk}/change/", {"email": user.email, "first_name": "Dana"})


def test_an_invitation_is_sent_again(chief):
    dana = make_person(password=None)
    page = chief.get(f"{PAGE}{dana.pk}/change/").content.decode()

    answer = chief.post(f"{PAGE}{dana.pk}/invite/", follow=True)

    assert f'action="{PAGE}{dana.pk}/invite/"' in page
    assert "An invitation was mailed to dana@example.com." in answer.content.decode()
    assert re.search(r"http\S+/welcome/\S+", mailed()[0].body)
    event = StaffEvent.objects.get()
    assert (event.type, event.details["email"]) == (StaffEventType.INVITED_AGAIN, dana.email)


def test_nobody_with_a_password_and_nobody_who_left_is_invited(chief):
    dana, eve = make_person(), make_person("eve", password=None, is_active=False)

    for user in (dana, eve):
        answer = chief.post(f"{PAGE}{user.pk}/invite/", follow=True)
        assert "needs no invitation" in answer.content.decode()

    assert "/invite/" not in chief.get(f"{PAGE}{dana.pk}/change/").content.decode()
    assert not mailed()
    assert not StaffEvent.objects.exists()


def test_an_invitation_that_could_not_be_mailed_is_no_event(chief, monkeypatch):
    def fail(*_args):
        raise ConnectionRefusedError

    monkeypatch.setattr(EmailBackend, "send_messages", fail)

    answer = chief.post(f"{PAGE}{make_person(password=None).pk}/invite/", follow=True)

    assert "could not be sent" in answer.content.decode()
    assert not StaffEvent.objects.exists()


def test_who_may_not_change_users_invites_nobody(make_staff):
    dana = make_person(password=None)

    assert make_staff("view_user").post(f"{PAGE}{dana.pk}/invite/").status_code == 403
    assert not mailed()


def test_the_list_says_roles_and_who_was_invited_or_left(chief):
    make_person("dana", "Approver", "Viewer")
    make_person("eve", password=None)
    make_person("finn", is_active=False)

    page = text_of(chief.get(PAGE))

    assert "Approver, Viewer Active" in page
    assert "Invited" in page
    assert "Deactivated" in page


def test_the_page_says_what_a_person_may_do_and_by_which_role(chief):
    dana = make_person("dana", "Reviewer", "Operations")

    rights = re.search(
        r'id="rights">.*?</section>', chief.get(f"{PAGE}{dana.pk}/change/").content.decode(), re.S
    )[0]
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", rights))

    assert "What Dana may do" in text
    assert "Reveal personal numbers Reviewer" in text
    assert "Add bank operations Operations" in text
    assert "Be the second person" not in text


def test_who_has_no_role_may_do_nothing(chief):
    page = chief.get(f"{PAGE}{make_person().pk}/change/").content.decode()

    assert "Nothing but sign in" in page


def test_a_deactivated_account_is_signed_out_for_good(chief):
    dana = make_person("dana", "Viewer")
    client = sign_in(dana)
    assert client.get("/admin/").status_code == 200

    deactivate(chief, dana)
    assert client.get("/admin/").status_code == 302
    User.objects.filter(pk=dana.pk).update(is_active=True)

    assert client.get("/admin/").status_code == 302


def test_the_claims_of_who_leaves_are_free(chief):
    dana = make_person("dana", "Reviewer")
    case, kept = make_claim(dana), make_claim(make_user(user_type="STAFF"))

    deactivate(chief, dana)

    case.refresh_from_db()
    kept.refresh_from_db()
    assert (case.claimed_by, case.claimed_until) == (None, None)
    assert kept.claimed_by
    event = Event.objects.get(type=EventType.RELEASED)
    assert event.who == str(User.objects.get(email="chief@example.com").external_id)
    assert event.details["of"] == str(dana.external_id)


def test_another_name_ends_nothing(chief):
    dana = make_person("dana", "Reviewer")
    case, client = make_claim(dana), sign_in(dana)

    chief.post(
        f"{PAGE}{dana.pk}/change/",
        {
            "email": dana.email,
            "is_active": "on",
            "groups": [group.pk for group in dana.groups.all()],
            "first_name": "Dora",
        },
    )

    case.refresh_from_db()
    assert case.claimed_by == dana
    assert client.get("/admin/").status_code == 200
