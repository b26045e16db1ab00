"""What the database refuses of mails."""

import pytest
from django.db import IntegrityError, transaction

from onboarding.choices import MailKind
from onboarding.models import Mail
from onboarding.services import mails
from tests.factories import NOON


@pytest.fixture
def mail(make_application):
    application = make_application()
    return mails.queue(MailKind.REMINDER, application=application, language="en", at=NOON)


@pytest.mark.parametrize(
    ("values", "constraint"),
    [
        ({"kind": "GREETING"}, "mail_kind_known"),
        ({"status": "LOST"}, "mail_status_known"),
        ({"status": "SENT"}, "mail_sent_at_iff_sent"),
        ({"sent_at": NOON}, "mail_sent_at_iff_sent"),
        ({"application": None}, "mail_about_an_application_or_a_key"),
    ],
)
def test_what_cannot_be_so_of_a_mail_is_refused(mail, values, constraint):
    with pytest.raises(IntegrityError, match=constraint), transaction.atomic():
        Mail.objects.filter(pk=mail.pk).update(**values)


def test_a_mail_is_about_an_application_or_a_key_not_both(mail, make_api_key):
    key = make_api_key().key

    with pytest.raises(IntegrityError, match="mail_about"), transaction.atomic():
        Mail.objects.filter(pk=mail.pk).update(api_key=key)
