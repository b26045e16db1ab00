"""What all mails have in common: sender, headers, both forms of the text."""

from email.header import decode_header, make_header
from email.utils import parseaddr

import pytest

from onboarding.event_types import MailKind
from onboarding.models import Lead
from onboarding.services.mails import mail_texts, outbox
from tests.factories import NOON, later
from tests.onboarding.services.mails.kinds import TO_APPLICANTS, in_status


def test_no_name_breaks_the_header_or_is_escaped(application, composed):
    application.lead.business_name = "Ben & Co\nBcc: eve@example.com"
    application.lead.save()

    mail = composed()

    assert "Ben & Co Bcc: eve@example.com" in mail.subject
    assert "\n" not in mail.subject
    assert "Ben & Co" in mail.body


@pytest.mark.parametrize("kind", TO_APPLICANTS)
@pytest.mark.parametrize("language", ["en", "es"])
def test_each_mail_has_the_same_in_text_and_in_html(composed, kind, language):
    in_status(kind)

    mail = composed(kind, language=language)

    [(html, content_type)] = mail.alternatives
    assert content_type == "text/html"
    assert f'<html lang="{language}">' in html
    names_applicant = kind in {MailKind.OWNER_ASKED, MailKind.OWNER_REMINDER}
    for text in (mail.subject, mail.body, html):
        assert ("Byron" in text) == names_applicant
        assert "6789" not in text
    said = [line.removeprefix("- ") for line in mail.body.splitlines() if "/apply/" not in line]
    assert all(line in html for line in said)
    assert ("/apply/" in mail.body) == ("/apply/" in html)


def test_the_html_is_in_the_partners_colour_and_loads_nothing(application, composed):
    application.lead.partner.brand_color = "#7a1f5c"
    application.lead.partner.save()

    [(html, _)] = composed().alternatives

    assert "background: #7a1f5c" in html
    for loads in ("<img", "<link", "<script", "url("):
        assert loads not in html


def test_the_html_takes_no_name_for_markup(application, composed):
    application.lead.business_name = "<b>Ben</b> & Co"
    application.lead.save()

    [(html, _)] = composed().alternatives

    assert "&lt;b&gt;Ben&lt;/b&gt; &amp; Co" in html


def test_a_mail_that_is_composed_again_is_the_same_one(application, settings):
    settings.BASE_URL = "https://bank.example.com"
    queued = outbox.queue(MailKind.REMINDER, application=application, language="en", at=NOON)

    ids = [
        mail_texts.compose(queued, at=at).message()["Message-ID"] for at in (NOON, later(days=1))
    ]

    assert ids == [f"<{queued.external_id}@bank.example.com>"] * 2


def test_questions_go_to_the_partner(application, composed):
    partner = application.lead.partner
    partner.support_email = "help@acme.example.com"
    partner.save()

    mail = composed()

    assert mail.reply_to == ["help@acme.example.com"]
    assert "Write to Acme Payroll: help@acme.example.com" in mail.body


def test_a_mail_comes_from_the_partner_under_the_banks_address(application, composed, settings):
    settings.DEFAULT_FROM_EMAIL = "Example Bank <no-reply@bank.example.com>"
    assert composed().from_email == "Acme Payroll <no-reply@bank.example.com>"
    application.lead.partner.display_name = 'Bäckerei "Ben", <eve@example.com>\nBcc: eve'
    application.lead.partner.save()

    sender = composed().message()["From"]

    name, address = parseaddr(sender)
    assert address == "no-reply@bank.example.com"
    assert str(make_header(decode_header(name))) == 'Bäckerei "Ben", <eve@example.com> Bcc: eve'


def test_without_a_first_name_nobody_is_greeted(application, composed):
    Lead.objects.update(first_name="")
    application.refresh_from_db()

    assert composed().body.startswith("You applied for a bank account")


def test_times_are_those_of_the_applicants_zone(application, composed):
    Lead.objects.update(business_address={"state": "CA", "country": "US"})

    assert "before May 1, 2026 at 5:00 AM PDT." in composed().body
    assert "antes del 1 de mayo de 2026 a las 05:00 PDT" in composed(language="es").body
