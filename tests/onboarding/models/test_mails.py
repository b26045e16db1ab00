"""What the database refuses of mails."""

import pytest
from django.db import IntegrityError, transaction

from onboarding.event_types import MailKind
from onboarding.models import Mail
from onboarding.services.mails import outbox
from tests.factories import NOON


@pytest.fixture
def mail(make_application):
    application = make_application()
    return outbox.queue(MailKind.REMINDER, application=application, language="en", at=NOON)


@pytest.mark.parametrize(
    ("values", "constraint"),
    [
        ({"kind": "GREETING"}, "mail_kind_known"),
        ({"status": "LOST"}, "mail_status_known"),
        ({"status": "SENT"}, "mail_sent_at_iff_sent"),
        ({"sent_at": NOON}, "mail_sent_at_iff_sent"),
        ({"application": None}, "mail_about_an_application_a_key_or_a_webhook"),
    ],
)
def test_what_cannot_be_so_of_a_mail_is_refused(mail, values, constraint):
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Mail.objects.filter(pk=mail.pk).update(**values)


def test_a_mail_is_about_one_thing(mail, make_api_key, make_webhook):
    key, webhook = make_api_key().key, make_webhook()

    for values in (
        {"api_key": key},
        {"webhook": webhook},
        {"application": None, "api_key": key, "webhook": webhook},
        {"api_key": key, "webhook": webhook},
    ):
        with pytest.raises(IntegrityError, match="mail_about"), transaction.atomic():
            Mail.objects.filter(pk=mail.pk).update(**values)
    assert Mail.objects.filter(pk=mail.pk).update(application=None, webhook=webhook)
