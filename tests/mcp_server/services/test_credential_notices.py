"""Mails and staff events about changes of a password or a second factor."""

import pytest
from django.core import mail
from django.utils.translation import override

from banking.models import StaffEvent
from mcp_server.services import second_factor, second_factor_resets
from tests.authenticators import Authenticator
from tests.factories import NOON
from tests.mailing import send_queued
from tests.mcp_server.pages.conftest import KEY, code_now
from tests.mcp_server.services.test_passkeys import add

pytestmark = pytest.mark.django_db


@pytest.fixture
def user(make_user, settings):
    settings.BASE_URL = "http://testserver"
    user = make_user(email="grace@example.com")
    second_factor.add_app(user, key=KEY, code=code_now())
    add(user, Authenticator())
    return user


CHANGES = {
    "A passkey was added.": lambda user: add(user, Authenticator(), name="call 212 555 0199"),
    "A passkey was removed.": lambda user: second_factor.remove(
        user, "passkey", second_factor.FACTORS["passkey"].objects.get().pk
    ),
    "An authenticator app was removed.": lambda user: second_factor.remove(
        user, "app", second_factor.find_app(user).pk
    ),
    "New recovery codes were created.": second_factor.replace_recovery_codes,
    "Two-step verification was turned off.": second_factor.switch_off,
    "We have reset two-step verification.": lambda user: second_factor_resets.reset(user, at=NOON),
}


@pytest.mark.parametrize("sentence", CHANGES)
def test_each_change_is_mailed_in_both_languages(user, sentence):
    send_queued()
    mail.outbox.clear()

    CHANGES[sentence](user)

    send_queued()
    [message] = mail.outbox
    assert message.to == ["grace@example.com"]
    assert sentence in message.body
    assert "Si no fue usted" in message.body
    assert "555 0199" not in message.body


@pytest.mark.parametrize("sentence", [one for one in CHANGES if not one.startswith("We ")])
def test_each_change_that_staff_make_is_a_staff_event_in_english(user, sentence):
    user.user_type = "STAFF"
    user.save()

    with override("es"):
        CHANGES[sentence](user)

    event = StaffEvent.objects.get()
    assert (event.type, event.who) == ("CREDENTIALS_CHANGED", str(user.external_id))
    assert event.details == {
        "subject": str(user.external_id),
        "email": "grace@example.com",
        "by": "grace@example.com",
        "summary": [sentence],
    }


def test_an_app_that_staff_set_up_is_a_staff_event(make_user):
    user = make_user(user_type="STAFF")

    second_factor.add_app(user, key=KEY, code=code_now())

    event = StaffEvent.objects.get()
    assert event.details["summary"] == [
        "An authenticator app was set up for two-step verification."
    ]


def test_a_change_that_a_customer_makes_is_no_staff_event(user):
    second_factor.switch_off(user)

    assert not StaffEvent.objects.exists()
