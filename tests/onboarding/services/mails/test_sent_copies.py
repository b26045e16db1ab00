"""Copies of sent mails: links and codes are masked, the rest is as it was sent."""

import pytest

from onboarding.event_types import CODE_MAILS, MailKind
from onboarding.models import Mail
from onboarding.services.mails import outbox
from onboarding.services.mails.sent_copies import SentCopy, mask
from tests.factories import NOON, later
from tests.mailing import deliver_mails


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (
            "Go to https://bank.example.com/a/secret?x=1 now.",
            "Go to https://bank.example.com/•••••• now.",
        ),
        ("HTTPS://bank.example.com/a/secret", "HTTPS://bank.example.com/••••••"),
        ("Https://ada@bank.example.com?a=secret", "Https://••••••@bank.example.com/••••••"),
        ("http://ada:p@ss@bank.example.com, soon", "http://••••••@bank.example.com, soon"),
        ("https://:secret@bank.example.com:8443/a", "https://••••••@bank.example.com:8443/••••••"),
        ("https://bank.example.com\\secret", "https://bank.example.com/••••••"),
        (
            "https://bank.example.com and ada@example.com",
            "https://bank.example.com and ada@example.com",
        ),
        ('<a href="http://127.0.0.1:8000/a/b">', '<a href="http://127.0.0.1:8000/••••••">'),
        ("Code 123456, call 555-0123", "Code ••••••, call 555-0123"),
        ("No link", "No link"),
    ],
)
def test_links_and_codes_are_masked(text, masked):
    assert mask(text, code="123456") == masked


def test_a_code_is_in_no_copy(make_application):
    mail = outbox.queue(
        MailKind.CODE,
        application=make_application(),
        language="en",
        code="735194",
        expires_at=later(minutes=30),
        at=NOON,
    )

    deliver_mails(at=later(seconds=1))

    mail = Mail.objects.get(pk=mail.pk)
    copy = SentCopy.read(mail.sent_copy)
    assert (mail.status, mail.code) == ("SENT", "")
    assert mail.kind in CODE_MAILS
    assert "735194" not in mail.sent_copy
    assert "••••••" in copy.text
    assert copy.to == mail.application.lead.email


def test_no_copy_is_no_copy():
    assert SentCopy.read("") is None
