"""Mails on their way to a real mail server, which may refuse them or hang up."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import MailStatus
from onboarding.event_types import MailKind
from onboarding.models import Mail
from onboarding.services.mails import outbox
from tests.factories import NOON, later
from tests.mail_server import ANSWERS, HANG_UP, serve_mail
from tests.mailing import deliver_mails


@pytest.fixture
def mail_server(settings):
    with serve_mail() as server:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
        settings.EMAIL_USE_TLS = False
        yield server


@pytest.fixture
def mail(make_application, make_lead, make_partner):
    partner = make_partner(display_name="Acme Nómina", support_email="help@acme.example.com")
    lead = make_lead(partner, email="ada@example.com", business_name="Café Ñandú")
    application = make_application(lead, status=Status.DOCUMENTS_REQUIRED)
    return outbox.queue(MailKind.WANTED, application=application, language="es", at=NOON)


def test_a_mail_arrives_whole(mail, mail_server):
    deliver_mails(at=NOON)

    [arrived] = mail_server.received
    text, html = (arrived.get_body([kind]).get_content() for kind in ("plain", "html"))
    assert arrived["To"] == "ada@example.com"
    assert arrived["Reply-To"] == "help@acme.example.com"
    assert arrived["Message-ID"] == f"<{mail.external_id}@testserver>"
    assert arrived["Auto-Submitted"] == "auto-generated"
    assert "Café Ñandú" in arrived["Subject"]
    for part in (text, html):
        assert "Usted solicitó una cuenta bancaria para Café Ñandú" in part
    assert Mail.objects.get().status == MailStatus.SENT


@pytest.mark.parametrize(
    ("word", "answer", "fault"),
    [
        ("RCPT", "550 ada@example.com is unknown", "SMTPRecipientsRefused 550"),
        ("MAIL", "451 later", "SMTPSenderRefused 451"),
        (".", "554 no spam for ada@example.com", "SMTPDataError 554"),
        ("EHLO", HANG_UP, "SMTPServerDisconnected"),
    ],
)
def test_what_the_mail_server_refuses_is_sent_later(mail, mail_server, word, answer, fault):
    mail_server.answers[word] = answer
    deliver_mails(at=NOON)
    mail.refresh_from_db()
    assert (mail.status, mail.fault, mail.due_at) == (MailStatus.QUEUED, fault, later(minutes=1))
    mail_server.answers = dict(ANSWERS)

    deliver_mails(at=later(minutes=1))

    mail.refresh_from_db()
    assert (mail.status, mail.attempts) == (MailStatus.SENT, 2)


def test_a_mail_whose_answer_was_lost_comes_again_as_the_same_one(mail, mail_server):
    mail_server.answers["."] = HANG_UP
    deliver_mails(at=NOON)
    mail_server.answers = dict(ANSWERS)

    deliver_mails(at=later(minutes=1))

    first, second = (arrived["Message-ID"] for arrived in mail_server.received)
    assert first == second


def test_a_mail_server_that_is_away_is_tried_again(mail, mail_server, settings):
    port = settings.EMAIL_PORT
    settings.EMAIL_PORT = 9
    deliver_mails(at=NOON)
    assert Mail.objects.get().fault == "ConnectionRefusedError"
    settings.EMAIL_PORT = port

    deliver_mails(at=later(minutes=1))

    assert len(mail_server.received) == 1
