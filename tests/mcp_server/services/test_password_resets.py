"""Mails with the link to choose another password. The page's tests have more."""

import pytest
from django.core import mail
from django.utils.translation import override

from banking.models import Job, User
from mcp_server.services import password_resets
from tests.factories import NOON
from tests.mailing import send_queued

pytestmark = pytest.mark.django_db


def test_a_user_gets_the_link_in_the_language_of_the_page():
    User.objects.create_user("grace@example.com", "copper-otter-9-lamp")
    with override("es"):
        password_resets.queue("grace@example.com", at=NOON)

    send_queued()

    [sent] = mail.outbox
    assert "/password-reset/" in sent.body
    assert "contraseña" in sent.body


@pytest.mark.parametrize("email", ["nobody@example.com", "not an address"])
def test_nobody_is_mailed_at_an_unknown_address(email):
    password_resets.queue(email, at=NOON)

    send_queued()

    assert mail.outbox == []
    assert not Job.objects.open().exists()
