"""Password reset by mail."""

import re

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from banking.models import StaffEvent
from banking.services import invitations
from mcp_server.pages import known_devices
from mcp_server.services import sign_in_attempts
from tests.factories import NOON, make_business_owner
from tests.mailing import send_queued
from tests.mcp_server.pages.conftest import PASSWORD

NEW = "another-lantern-tulip-7"

pytestmark = pytest.mark.django_db


def ask(email="grace@example.com", client=None, **headers):
    answer = (client or Client()).post("/password-reset", {"email": email}, headers=headers)
    send_queued()
    return answer


def link():
    return re.search(r"http://testserver(/password-reset/\S+)", mail.outbox[-1].body)[1]


def choose(client, path, new=NEW):
    page = client.get(path)
    where = page["Location"] if page.status_code == 302 else path
    return client.post(where, {"new_password1": new, "new_password2": new}, follow=True)


def test_the_link_in_the_mail_chooses_a_new_password(person, sign_in):
    ask()

    done = choose(Client(), link())

    assert "Your password has been changed" in done.content.decode()
    assert "Assistants stay connected" in done.content.decode()
    assert 'href="/connected-assistants"' in done.content.decode()
    assert sign_in(password=NEW).answer.status_code == 302
    assert sign_in(password=PASSWORD).answer.status_code == 200


def test_a_password_that_staff_choose_by_the_link_is_a_staff_event(member):
    ask()

    choose(Client(), link())

    event = StaffEvent.objects.get()
    assert (event.type, event.who) == ("CREDENTIALS_CHANGED", str(member.external_id))
    assert event.details["summary"] == ["The password was changed."]


def test_the_mail_is_plain_text_from_the_bank_to_one(person, settings):
    ask()

    (message,) = mail.outbox
    assert message.to == ["grace@example.com"]
    assert message.subject == f"Choose a new password for {settings.BANK_NAME}"
    assert message.content_subtype == "plain"
    assert "&" not in message.body


def test_the_mail_is_in_the_language_of_the_page(person):
    ask(**{"accept-language": "es"})

    assert mail.outbox[0].subject.startswith("Elija una contraseña nueva")
    assert "abra este enlace antes de una hora" in mail.outbox[0].body


def test_the_address_in_the_mail_is_ours_whatever_the_request_says(person, settings):
    settings.ALLOWED_HOSTS = ["*"]

    ask(client=Client(HTTP_HOST="evil.example.com"))

    assert "http://testserver/" in mail.outbox[0].body
    assert "evil" not in mail.outbox[0].body


def test_a_known_and_an_unknown_address_are_answered_alike(person):
    known, unknown = ask(), ask("nobody@example.com")

    assert known.status_code == unknown.status_code == 302
    assert known["Location"] == unknown["Location"] == "/password-reset/sent"
    assert known.content == unknown.content
    assert len(mail.outbox) == 1


def test_whoever_has_no_password_or_was_deactivated_gets_no_mail(person, make_user):
    newcomer = make_user(email="ada@example.com")
    newcomer.set_unusable_password()
    newcomer.save()
    person.is_active = False
    person.save()

    ask()
    ask("ada@example.com")

    assert mail.outbox == []


def test_whoever_was_invited_chooses_the_first_password_so(sign_in):
    invitations.give_sign_in(make_business_owner(email="ada@example.com"), at=NOON)

    ask("Ada@example.com")
    choose(Client(), link())

    assert sign_in("ada@example.com", NEW).answer.status_code == 302
    ask("ada@example.com")
    assert len(mail.outbox) == 3  # the second is about the change


def test_the_link_works_once(person):
    ask()
    path = link()
    choose(Client(), path)

    again = Client().get(path)

    assert "This link no longer works" in again.content.decode()


def test_the_token_is_not_in_the_address_of_the_form(person):
    ask()

    assert Client().get(link())["Location"].endswith("/set-password")


def test_it_ends_every_session(person, sign_in):
    client = sign_in()
    ask()

    choose(Client(), link())

    assert client.get("/password").status_code == 302


def test_it_ends_a_lockout(person, sign_in):
    for _ in range(10):
        sign_in(password="wrong")
    ask()

    choose(Client(), link())

    assert sign_in(password=NEW).answer.status_code == 302


def test_the_second_factor_is_asked_for_still(careful_person, sign_in):
    ask()

    choose(Client(), link())

    assert sign_in(password=NEW).get("/password")["Location"].startswith("/sign-in/code")


@pytest.mark.parametrize("email", ["grace@example.com", "nobody@example.com"])
def test_one_address_gets_five_mails_an_hour(person, settings, email):
    settings.RATE_LIMIT_FACTOR = 1

    answers = [ask(email.upper() if turn % 2 else email) for turn in range(6)]

    assert [answer.status_code for answer in answers] == [302] * 5 + [429]
    assert int(answers[-1]["Retry-After"]) <= 3600
    assert "60 minutes" in answers[-1].content.decode()


def test_one_network_asks_for_twenty_an_hour(person, settings):
    settings.RATE_LIMIT_FACTOR = 1

    clients = [Client(REMOTE_ADDR=f"2001:db8::{turn + 1:x}") for turn in range(21)]
    emails = [f"nobody{turn}@example.com" for turn in range(21)]
    pairs = zip(clients, emails, strict=True)
    answers = [client.post("/password-reset", {"email": email}) for client, email in pairs]

    assert [answer.status_code for answer in answers[-2:]] == [302, 429]


def test_one_caller_asks_for_twenty_an_hour(person, settings):
    settings.RATE_LIMIT_FACTOR = 1

    answers = [ask(f"nobody{turn}@example.com") for turn in range(21)]

    assert [answer.status_code for answer in answers[-2:]] == [302, 429]


def test_a_known_and_an_unknown_address_take_the_same_statements(person):
    def statements(email):
        with CaptureQueriesContext(connection) as captured:
            Client().post("/password-reset", {"email": email})
        return [re.sub(r"'[^']*'|\d+", "", query["sql"]) for query in captured]

    statements("first@example.com")  # what a process looks up once

    assert statements(person.email) == statements("nobody@example.com")


def test_a_mail_server_that_is_away_gets_the_mail_later(person, monkeypatch):
    def fail(message):
        raise OSError("no route")

    with monkeypatch.context() as without_server:
        without_server.setattr(EmailMessage, "send", fail)
        answer = ask()
    send_queued()

    assert answer.status_code == 302
    assert len(mail.outbox) == 1


def test_an_address_is_required():
    assert "This field is required." in Client().post("/password-reset").content.decode()


def test_a_new_password_ends_the_delays_of_the_account(person, sign_in, settings):
    settings.RATE_LIMIT_FACTOR = 1
    client = sign_in()
    email = person.email
    device = known_devices.device_of(client.get("/sign-in").wsgi_request, email)
    for each in ("", device):
        for _ in range(sign_in_attempts.FREE_FAILURES + 1):
            sign_in_attempts.record(email, device=each, at=timezone.now())
    ask()

    choose(client, link())

    for each in ("", device):
        sign_in_attempts.record(email, device=each, at=timezone.now())
    assert device
