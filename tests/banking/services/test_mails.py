"""Mails to users as jobs. What they say is tested with their causes."""

import pytest
from django.core import mail

from banking.models import Job
from banking.services import mails
from tests.factories import NOON
from tests.mailing import send_queued

pytestmark = pytest.mark.django_db


def test_a_queued_mail_is_sent_once():
    mails.queue("A subject", "A text", to="grace@example.com", at=NOON)

    send_queued()
    send_queued()

    [sent] = mail.outbox
    assert (sent.subject, sent.body, sent.to) == ("A subject", "A text", ["grace@example.com"])
    assert Job.objects.get().outcome == "the mail was sent"


def test_two_equal_mails_are_two_jobs():
    for _ in range(2):
        mails.queue("A subject", "A text", to="grace@example.com", at=NOON)

    assert Job.objects.open().count() == 2
