"""manage.py createsuperuser."""

from io import StringIO

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.core.management import CommandError, call_command

from banking.models import StaffEvent, User


@pytest.fixture
def run(db):
    """Run a command and return the lines that it prints."""

    def run(name, *arguments):
        out = StringIO()
        call_command(name, *arguments, stdout=out)
        return out.getvalue().splitlines()

    return run


def test_a_superuser_is_invited_and_recorded(run):
    said = run("createsuperuser", "Rosa@example.com")

    rosa = User.objects.get()
    event = StaffEvent.objects.get()
    assert said == ["invited Rosa@example.com"]
    assert (rosa.email, rosa.is_superuser, rosa.has_usable_password()) == (
        "rosa@example.com",
        True,
        False,
    )
    assert mail.outbox[0].to == ["rosa@example.com"]
    assert (event.type, event.who) == ("SUPERUSER_CREATED", "")
    assert event.details["email"] == "rosa@example.com"


@pytest.mark.parametrize("email", ["rosa", "owner@example.com"])
def test_an_address_that_is_none_or_taken_is_refused(run, email):
    User.objects.create_user("owner@example.com")

    with pytest.raises(CommandError, match=r"valid email|There is an account"):
        run("createsuperuser", email)

    assert not User.objects.filter(is_superuser=True).exists()


def test_nobody_is_created_if_the_invitation_cannot_be_mailed(run, monkeypatch):
    def fail(*_args):
        raise ConnectionRefusedError

    monkeypatch.setattr(EmailBackend, "send_messages", fail)

    with pytest.raises(CommandError, match="nobody was created"):
        run("createsuperuser", "rosa@example.com")

    assert not User.objects.exists()
    assert not StaffEvent.objects.exists()
