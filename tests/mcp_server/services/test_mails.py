"""Mails that a thread sends."""

from django.core import mail
from django.core.mail import EmailMessage

from mcp_server.services import mails


def message():
    return EmailMessage("A subject", "A text", None, ["grace@example.com"])


def test_a_mail_is_sent_by_the_thread():
    mails.executor.submit(mails.deliver, message()).result(10)

    assert [sent.subject for sent in mail.outbox] == ["A subject"]


def test_a_mail_that_cannot_be_sent_is_logged(monkeypatch, caplog):
    def fail(_message):
        raise OSError("no route")

    monkeypatch.setattr(EmailMessage, "send", fail)

    mails.deliver(message())

    assert "a mail could not be sent" in caplog.text
