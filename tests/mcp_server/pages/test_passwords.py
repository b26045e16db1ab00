"""Changing one's password."""

import pytest
from django.core import mail

from banking.models import StaffEvent
from tests.mailing import send_queued
from tests.mcp_server.pages.conftest import PASSWORD

NEW = "another-lantern-tulip-7"


def change(client, old=PASSWORD, new=NEW, again=NEW):
    sent = {"old_password": old, "new_password1": new, "new_password2": again}
    return client.post("/password", sent, follow=True)


def test_it_ends_the_sessions_elsewhere_and_not_here(person, sign_in):
    here, elsewhere = sign_in(), sign_in()

    text = change(here).content.decode()

    assert "signed out on all other devices" in text
    assert here.get("/password").status_code == 200
    assert elsewhere.get("/password").status_code == 302
    assert sign_in(password=NEW).answer.status_code == 302


def test_a_change_is_mailed(person, sign_in, django_capture_on_commit_callbacks):
    client = sign_in()

    with django_capture_on_commit_callbacks(execute=True):
        change(client)

    send_queued()
    [message] = mail.outbox
    assert message.to == [person.email]
    assert message.subject.startswith("Your password at")
    assert "Your password was changed." in message.body
    assert "Su contraseña ha cambiado." in message.body


def test_a_change_by_staff_is_a_staff_event(member, sign_in):
    change(sign_in())

    event = StaffEvent.objects.get()
    assert (event.type, event.who) == ("CREDENTIALS_CHANGED", str(member.external_id))
    assert event.details["summary"] == ["The password was changed."]


@pytest.mark.parametrize(
    "values",
    [{"old": "wrong"}, {"again": "different-8"}, {"new": "short", "again": "short"}],
)
def test_a_faulty_form_changes_nothing(person, sign_in, values):
    text = change(sign_in(), **values).content.decode()

    person.refresh_from_db()
    assert 'role="alert"' in text
    assert person.check_password(PASSWORD)


def test_guessing_has_an_end(person, sign_in, settings):
    settings.RATE_LIMIT_FACTOR = 1
    client = sign_in()

    answers = [change(client, old="wrong").content.decode() for _ in range(11)]

    assert "Too many attempts" in answers[10]


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        ("Summer2026!", "at least 12 characters"),
        ("1q2w3e4r5t6y", "too common"),
        ("926518306274", "entirely numeric"),
        ("Vestibule2026!", "easy to guess here"),
        ("bankbankbank", "easy to guess here"),
        ("www.testserver", "easy to guess here"),
        ("grace@example.com", "too similar"),
    ],
)
def test_a_password_that_others_would_guess_is_refused_with_its_reason(
    person, sign_in, new, reason
):
    text = change(sign_in(), new=new, again=new).content.decode()

    person.refresh_from_db()
    assert reason in text
    assert person.check_password(PASSWORD)


def test_the_page_says_the_rules_in_the_readers_language(person, sign_in):
    text = sign_in().get("/password", headers={"accept-language": "es"}).content.decode()

    assert "al menos 12 caracteres" in text
    assert "su nombre, el de su empresa o el del banco" in text


def test_a_change_and_a_wrong_password_are_logged_with_the_user(person, sign_in, caplog):
    caplog.set_level("INFO")
    client = sign_in()

    change(client, old="wrong")
    change(client)

    said = [record.getMessage() for record in caplog.records]
    assert f"user {person.external_id} confirmed with a wrong password" in said
    assert f"user {person.external_id} changed the password" in said
