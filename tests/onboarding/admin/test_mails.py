"""Mails: the list, the page of one, and that a mail which was given up may be sent again."""

import pytest
from django.db import connection

from onboarding.choices import MailStatus
from onboarding.event_types import CODE_MAILS, EventType, MailKind
from onboarding.models import Event, Mail
from onboarding.services.access import links
from onboarding.services.mails import outbox
from onboarding.services.webhooks import endpoints
from tests.factories import NOON, later
from tests.mailing import deliver_mails
from tests.staff import text_of

MAILS = "/admin/onboarding/mail/"


@pytest.fixture
def make_mail(make_application, make_lead):
    def make(kind=MailKind.REMINDER, **values):
        lead = make_lead(email="ada@example.com", business_name="Harbor Coffee")
        code = {"code": "123456", "expires_at": later(minutes=10)} if kind in CODE_MAILS else {}
        mail = outbox.queue(
            kind, application=make_application(lead), language="en", at=NOON, **code
        )
        Mail.objects.filter(pk=mail.pk).update(**values)
        return mail

    return make


def page_of(mail):
    return f"{MAILS}{mail.pk}/change/"


def test_the_list_says_what_about_whom_and_how_it_went(make_mail, chief):
    make_mail(status=MailStatus.FAILED, fault="SMTPRecipientsRefused 550", attempts=5)

    text = text_of(chief.get(MAILS))

    for fact in ("Reminder", "Harbor Coffee", "ada@example.com", "Given up", "Refused 550"):
        assert fact in text


def test_the_page_names_the_language(make_mail, chief):
    mail = make_mail()
    Mail.objects.update(language="es")

    assert "Spanish" in text_of(chief.get(page_of(mail)))


def test_a_notice_is_about_a_key(make_api_key, chief):
    key = make_api_key().key
    mail = outbox.queue(MailKind.KEY_EXPIRY, api_key=key, language="en", at=NOON)

    for path in (MAILS, page_of(mail)):
        assert f"{key.access_key} {key.partner.name}" in text_of(chief.get(path)).replace("  ", " ")


def test_a_mail_is_about_a_webhook_which_shows_it(make_webhook, chief, make_staff):
    webhook = make_webhook()
    mail = outbox.queue(MailKind.WEBHOOK_DISABLED, webhook=webhook, language="en", at=NOON)
    page = f"/admin/onboarding/webhook/{webhook.pk}/change/"
    with connection.cursor() as cursor:
        cursor.execute("UPDATE onboarding_webhook SET token = 'e1.gone.AAAA'")  # is not opened

    for path in (MAILS, page_of(mail)):
        answer = chief.get(path)
        assert f"{webhook.server_url} {webhook.partner.name}" in text_of(answer).replace("  ", " ")
        assert page in answer.content.decode()
    for term in (webhook.external_id, webhook.partner.name):
        assert chief.get(f"{MAILS}?q={term}").context["cl"].result_count == 1
    assert page_of(mail) in chief.get(page).content.decode()
    assert chief.get(f"{MAILS}?webhook={webhook.pk}").context["cl"].result_count == 1
    assert MAILS not in make_staff("view_webhook").get(page).content.decode()


def test_a_mail_about_a_deleted_webhook_leads_nowhere(make_webhook, chief):
    webhook = make_webhook()
    outbox.queue(MailKind.WEBHOOK_DISABLED, webhook=webhook, language="en", at=NOON)
    endpoints.delete_webhook(webhook, at=NOON)

    page = chief.get(MAILS).content.decode()

    assert webhook.server_url in page
    assert f"/admin/onboarding/webhook/{webhook.pk}/change/" not in page


def test_mails_are_found_by_the_ids_and_names_around_them(make_mail, make_api_key, chief):
    mail = make_mail()
    key = make_api_key().key
    outbox.queue(MailKind.KEY_EXPIRY, api_key=key, language="en", at=NOON)
    application = mail.application
    terms = [mail.external_id, application.external_id, application.lead.external_id]

    for term in [*terms, "ada@example.com", "harbor"]:
        assert chief.get(f"{MAILS}?q={term}").context["cl"].result_count == 1
    assert chief.get(f"{MAILS}?q={key.partner.name}").context["cl"].result_count == 1


def test_no_screen_shows_a_code_or_opens_it(make_mail, chief):
    mail = make_mail(MailKind.CODE)
    for page in (MAILS, page_of(mail)):
        assert "123456" not in chief.get(page).content.decode()

    with connection.cursor() as cursor:
        cursor.execute("UPDATE onboarding_mail SET code = 'e1.gone.AAAA'")
        cursor.execute("UPDATE onboarding_lead SET ssn = 'e1.gone.AAAA'")

    for page in (MAILS, page_of(mail)):
        assert chief.get(page).status_code == 200


def test_a_mail_that_was_given_up_is_sent_again(make_mail, chief):
    mail = make_mail(status=MailStatus.FAILED, attempts=5)
    assert "Send again" in chief.get(page_of(mail)).content.decode()

    answer = chief.post(f"{MAILS}{mail.pk}/send_again/", {"reason": "Caller asked"}, follow=True)

    mail.refresh_from_db()
    assert (mail.status, mail.attempts) == (MailStatus.QUEUED, 5)
    assert "will be sent again" in answer.content.decode()
    assert "Send again" not in chief.get(page_of(mail)).content.decode()
    assert "Sent again: Caller asked" in chief.get(f"{MAILS}{mail.pk}/history/").content.decode()


def test_many_are_sent_again_at_once(make_mail, chief):
    given_up = [make_mail(status=MailStatus.FAILED) for _ in range(2)]
    queued, code = make_mail(), make_mail(MailKind.CODE, status=MailStatus.FAILED)
    chosen = [mail.pk for mail in (*given_up, queued, code)]
    action = {"action": "send_selected_again", "_selected_action": chosen}

    first, second = (chief.post(MAILS, action, follow=True) for _ in range(2))

    assert "2 to be sent again." in first.content.decode()
    assert (
        "Only mails that were given up can be sent again here. Codes cannot."
        in second.content.decode()
    )
    code.refresh_from_db()
    assert code.status == MailStatus.FAILED


def test_who_may_only_look_sends_nothing(make_mail, make_staff):
    staff = make_staff("view_mail")
    mail = make_mail(status=MailStatus.FAILED)

    assert "Send again" not in staff.get(page_of(mail)).content.decode()
    assert "send_selected_again" not in staff.get(MAILS).content.decode()
    assert staff.post(f"{MAILS}{mail.pk}/send_again/").status_code == 403
    assert staff.post(page_of(mail), {"status": "SENT"}).status_code == 403


def test_a_mail_is_sent_again_by_a_post(make_mail, chief):
    assert chief.get(f"{MAILS}{make_mail().pk}/send_again/").status_code == 405


def test_the_list_takes_as_many_statements_for_thirty_rows_as_for_three(
    make_mail, make_api_key, make_webhook, count_queries
):
    def fill(times):
        for _ in range(times):
            make_mail()
            key = make_api_key().key
            outbox.queue(MailKind.KEY_EXPIRY, api_key=key, language="en", at=NOON)
            webhook = make_webhook()
            outbox.queue(MailKind.WEBHOOK_FAILING, webhook=webhook, language="en", at=NOON)

    fill(2)
    few = count_queries(MAILS)

    fill(14)

    assert count_queries(MAILS) == few


def test_the_application_shows_its_newest_mails(make_mail, chief, make_staff):
    mail = make_mail()
    path = f"/admin/onboarding/application/{mail.application_id}/change/"

    page = chief.get(path).content.decode()

    assert page_of(mail) in page
    assert chief.get(f"{MAILS}?application={mail.application_id}").status_code == 200
    assert MAILS not in make_staff("view_application").get(path).content.decode()


def test_a_sent_mail_is_shown_with_links_and_codes_masked(make_mail, chief):
    mail = make_mail(MailKind.LINK)
    deliver_mails(at=later(minutes=1))
    mail.refresh_from_db()
    location = links.location(mail.application)

    page = chief.get(page_of(mail)).content.decode()
    frame = chief.get(f"{MAILS}{mail.pk}/content/")

    assert mail.status == MailStatus.SENT
    assert "sandbox src=" in page
    assert "ada@example.com" in page
    assert "••••••" in page
    for text in (page, frame.content.decode(), mail.sent_copy):
        assert location not in text
        assert location.rpartition("/")[2] not in text
    assert "Open your application" in frame.content.decode()
    policy = frame["Content-Security-Policy"]
    assert "sandbox" in policy
    assert "default-src 'none'" in policy
    assert "script-src" not in policy


def test_a_mail_that_was_not_sent_has_no_copy(make_mail, chief):
    mail = make_mail()

    assert "This mail was not sent." in chief.get(page_of(mail)).content.decode()
    assert chief.get(f"{MAILS}{mail.pk}/content/").status_code == 404


def test_a_sent_mail_is_repeated_with_a_reason(make_mail, chief):
    mail = make_mail(MailKind.LINK)
    deliver_mails(at=later(minutes=1))

    chief.post(f"{MAILS}{mail.pk}/send_again/", {"reason": "no"})
    assert Mail.objects.count() == 1
    chief.post(f"{MAILS}{mail.pk}/send_again/", {"reason": "The caller deleted it"})

    new = Mail.objects.exclude(pk=mail.pk).get()
    assert (new.kind, new.status, new.application) == (mail.kind, "QUEUED", mail.application)
    event = Event.objects.get(type=EventType.MAIL_REPEATED)
    assert event.details["reason"] == "The caller deleted it"
    assert event.role == "REVIEWER"
