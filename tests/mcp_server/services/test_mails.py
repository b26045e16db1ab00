"""Mails in both languages, queued until a worker sends them."""

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.db import connection, transaction

from banking.choices import JobStatus
from banking.models import Job
from mcp_server.services import mails
from tests.mailing import send_queued

pytestmark = pytest.mark.django_db
CODE = {"code": "1234 5678", "minutes": 10}


def queue():
    mails.queue("enrolment_code", to="grace@example.com", context=CODE)


def test_a_mail_is_queued_in_both_languages_and_sent_by_a_worker():
    queue()
    before = len(mail.outbox)

    send_queued()

    [sent] = mail.outbox
    assert (before, sent.to) == (0, ["grace@example.com"])
    assert " / " in sent.subject
    assert sent.body.count("1234 5678") == 2


def test_a_mail_of_a_transaction_that_fails_is_not_sent():
    with transaction.atomic():
        queue()
        transaction.set_rollback(True)

    send_queued()

    assert mail.outbox == []


def test_the_text_is_encrypted_and_deleted_once_it_was_sent():
    queue()
    with connection.cursor() as cursor:
        cursor.execute("SELECT arguments, private_arguments, key FROM banking_job")
        stored = str(cursor.fetchall())

    send_queued()

    assert "1234" not in stored
    assert "grace" not in stored
    assert not Job.objects.get().private_arguments


def test_a_mail_that_cannot_be_sent_is_tried_again(monkeypatch):
    def fail(_message):
        raise OSError("no route to grace@example.com")

    queue()
    with monkeypatch.context() as without_server:
        without_server.setattr(EmailMessage, "send", fail)
        send_queued()
    waiting = Job.objects.get()

    send_queued()

    assert (waiting.status, waiting.outcome) == (JobStatus.QUEUED, "OSError")
    assert waiting.private_arguments
    assert len(mail.outbox) == 1
