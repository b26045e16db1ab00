"""Staff accounts: what their mails say, and what is dated."""

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend

from banking.models import User
from banking.services import staff_accounts
from tests.factories import NOON

pytestmark = pytest.mark.django_db


@pytest.fixture
def dana():
    return User.objects.create_user("dana@example.com", user_type="STAFF")


def test_the_invitation_has_the_link_and_says_how_to_get_another(dana, settings):
    settings.BASE_URL = "https://bank.example.com"

    staff_accounts.invite(dana)

    text = mail.outbox[0].body
    assert f"https://bank.example.com/welcome/{dana.external_id}/" in text
    assert "within 7 days" in text
    assert "https://bank.example.com/password-reset" in text


def test_the_lines_of_a_mail_are_not_html(dana, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        staff_accounts.record_extension(dana, ["A role: R&D."], at=NOON)

    assert "- A role: R&D.\n" in mail.outbox[0].body


def test_each_address_gets_a_mail_of_its_own(dana, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        staff_accounts.record_extension(dana, ["A."], at=NOON, also_to=["dora@example.com"])

    assert [message.to for message in mail.outbox] == [["dana@example.com"], ["dora@example.com"]]


def test_a_change_stands_though_its_mail_fails(
    dana, monkeypatch, caplog, django_capture_on_commit_callbacks
):
    def fail(*_args):
        raise ConnectionRefusedError

    monkeypatch.setattr(EmailBackend, "send_messages", fail)

    with django_capture_on_commit_callbacks(execute=True):
        staff_accounts.record_extension(dana, ["A."], at=NOON)

    dana.refresh_from_db()
    assert dana.access_changed_at == NOON
    assert "Error calling" in caplog.text
