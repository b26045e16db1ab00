"""People who sign in, with a password and perhaps a second factor."""

import re
from html import unescape
from urllib.parse import urlencode

import pytest
from django.core import mail
from django.test import Client
from django_otp.oath import totp
from django_otp.plugins.otp_totp.models import TOTPDevice

from mcp_server.services import second_factor
from tests import factories
from tests.mailing import send_queued

PASSWORD = "copper-otter-9-lamp"
KEY = "3132333435363738393031323334353637383930"


def code_now(*, steps=0):
    """Return the code of now or of a next step; a past one can end before it is sent."""
    return f"{totp(bytes.fromhex(KEY), drift=steps):06}"


@pytest.fixture
def person(db):
    """Somebody with a password."""
    user = factories.make_user(email="grace@example.com")
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture
def member(person):
    """Somebody of staff with a password alone."""
    person.user_type, person.is_superuser = "STAFF", True
    person.save()
    return person


@pytest.fixture
def careful_person(person):
    """Somebody with a password and a second factor."""
    TOTPDevice.objects.create(user=person, key=KEY, confirmed=True)
    second_factor.replace_recovery_codes(person)
    return person


@pytest.fixture
def sign_in():
    """Return a client after it gave email and password."""

    def sign(email="grace@example.com", password=PASSWORD, client=None, **values):
        client = client or Client()
        sent = {"username": email, "password": password, **values}
        client.answer = client.post("/sign-in", sent)
        return client

    return sign


def confirm(client, page="/second-factor/app", **sent):
    """Prove who adds the first factor: by the password and, where one is required, the mail."""
    here = f"/second-factor/confirm?{urlencode({'next': page})}"
    answer = client.post(here, {"password": PASSWORD, **sent})
    if answer.status_code == 302 and answer["Location"] == here:
        answer = client.post(here, {"mailed_code": mailed_code()})
    return answer


def mailed_code():
    """Return the code of the last mail, as soon as the thread has sent it."""
    send_queued()
    return re.search(r"^\d{4} \d{4}$", mail.outbox[-1].body, re.MULTILINE)[0]


def enroll(client, page="/second-factor/app"):
    """Set up an authenticator app whose key is KEY, and return the page with recovery codes."""
    confirm(client, page)
    client.get(page)
    session = client.session
    session["second_factor_key"] = KEY
    session.save()
    return unescape(client.post(page, {"code": code_now()}).content.decode())
