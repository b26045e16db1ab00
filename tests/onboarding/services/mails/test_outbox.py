"""Mails: queued with what causes them, claimed once, tried again, given up."""

import logging
from datetime import timedelta
from itertools import pairwise
from smtplib import SMTPRecipientsRefused, SMTPServerDisconnected
from unittest.mock import Mock

import pytest
from django.core import mail as outgoing
from django.db import connection

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import MailStatus, WebhookStatus
from onboarding.event_types import EventType, MailKind
from onboarding.models import Event, FlowSession, Mail, Webhook
from onboarding.services.events import history
from onboarding.services.events.history import CHECKS, PARTNER
from onboarding.services.mails import outbox
from onboarding.services.webhooks import endpoints
from tests.factories import NOON, later
from tests.mailing import deliver_mails

SEND = "django.core.mail.backends.locmem.EmailBackend.send_messages"
SECOND = timedelta(seconds=1)


def happen(application, *types, by=CHECKS):
    """Write events down and return them as their publisher has them."""
    return [history.record(application, one, by=by, at=NOON) for one in types]


def kinds():
    return list(Mail.objects.order_by("pk").values_list("kind", flat=True))


@pytest.mark.parametrize(
    ("event_type", "kind"),
    [
        (EventType.DOCUMENTS_REQUIRED, MailKind.WANTED),
        (EventType.IDENTITY_REQUESTED, MailKind.WANTED),
        (EventType.APPROVED, MailKind.APPROVED),
        (EventType.APPROVED_TEMPORARY, MailKind.APPROVED_TEMPORARY),
        (EventType.ACCOUNT_OPENED, MailKind.INVITATION),
        (EventType.DENIED, MailKind.DENIED),
        (EventType.REOPENED, MailKind.REOPENED),
    ],
)
def test_applicants_are_written_about_what_concerns_them(make_application, event_type, kind):
    application = make_application()
    events = happen(application, event_type)

    outbox.queue_for_events(events, at=later(seconds=1))

    mail = Mail.objects.get()
    assert (mail.kind, mail.application, mail.event) == (kind, application, events[0])
    assert (mail.status, mail.attempts, mail.code) == (MailStatus.QUEUED, 0, "")
    assert mail.due_at == mail.created_at == later(seconds=1)


def test_of_everything_else_applicants_are_not_written(make_application):
    others = [one for one in EventType if not one.spec.mail]

    assert outbox.queue_for_events(happen(make_application(), *others), at=NOON) == []
    assert kinds() == []


def test_links_are_mailed_for_partners_that_want_it(make_application, make_lead, make_partner):
    mailing = make_application(make_lead(make_partner(mails_links=True)))
    handing = make_application()
    events = [
        *happen(mailing, EventType.CREATED, by=PARTNER),
        *happen(handing, EventType.CREATED, EventType.APPROVED, by=PARTNER),
    ]

    outbox.queue_for_events(events, at=NOON)

    queued = list(Mail.objects.order_by("pk").values_list("kind", "application"))
    assert queued == [(MailKind.LINK, mailing.pk), (MailKind.APPROVED, handing.pk)]


def test_what_says_the_same_is_mailed_once(make_application):
    asked = [EventType.IDENTITY_REQUESTED, EventType.DOCUMENTS_REQUIRED]
    events = happen(make_application(), *asked)

    outbox.queue_for_events(events, at=NOON)

    assert Mail.objects.get().event == events[-1]


def test_a_mail_of_an_event_is_in_the_language_of_its_applicant(make_application):
    spanish, english = make_application(), make_application()
    FlowSession.objects.create(
        application=spanish,
        digest="of a key",
        language="es",
        created_at=NOON,
        expires_at=later(hours=1),
    )
    events = [one for each in (spanish, english) for one in happen(each, EventType.APPROVED)]

    queued = outbox.queue_for_events(events, at=NOON)

    assert [mail.language for mail in queued] == ["es", "en"]


def test_many_events_take_as_many_statements_as_one(
    make_application, make_lead, make_partner, django_assert_num_queries
):
    partner = make_partner(mails_links=True)
    for _ in range(20):
        happen(make_application(make_lead(partner)), EventType.CREATED, EventType.APPROVED)
    events = list(Event.objects.select_related("lead", "application"))

    with django_assert_num_queries(4):  # partners, two of the languages, the mails
        outbox.queue_for_events(events, at=NOON)

    assert len(kinds()) == 40


@pytest.fixture
def reminder(make_application):
    """A mail that is due."""
    application = make_application(status=Status.DOCUMENTS_REQUIRED)
    return outbox.queue(MailKind.REMINDER, application=application, language="en", at=NOON)


@pytest.fixture
def code(make_application):
    return outbox.queue(
        MailKind.CODE,
        application=make_application(),
        language="en",
        code="123456",
        expires_at=later(minutes=10),
        at=NOON,
    )


@pytest.fixture
def mail_server(monkeypatch):
    """Return a function by which the mail server begins to raise something."""

    def fail(fault):
        def refuse(self, messages):
            raise fault

        monkeypatch.setattr(SEND, refuse)

    return fail


def encrypted_codes():
    with connection.cursor() as cursor:
        cursor.execute("SELECT code FROM onboarding_mail")
        return [code for (code,) in cursor.fetchall()]


def test_what_is_due_is_handed_out_once_a_minute(reminder, code):
    assert outbox.dispatch(at=NOON - SECOND, limit=10) == []
    assert outbox.dispatch(at=NOON, limit=10) == [(reminder.pk, 0), (code.pk, 0)]
    assert outbox.dispatch(at=later(seconds=59), limit=10) == []
    assert outbox.dispatch(at=later(seconds=60), limit=1) == [(reminder.pk, 0)]


def test_a_mail_is_sent_and_noted(reminder):
    outbox.send(reminder.pk, attempt=0, at=later(seconds=1))

    reminder.refresh_from_db()
    assert [sent.to for sent in outgoing.outbox] == [[reminder.application.lead.email]]
    assert (reminder.status, reminder.attempts) == (MailStatus.SENT, 1)
    assert reminder.sent_at == later(seconds=1)


def test_a_repeated_message_sends_nothing(reminder):
    for _ in range(3):
        outbox.send(reminder.pk, attempt=0, at=NOON)

    assert len(outgoing.outbox) == 1


def test_of_six_workers_with_one_message_one_sends(in_threads, make_application):
    application = make_application(status=Status.DOCUMENTS_REQUIRED)
    mail = outbox.queue(MailKind.REMINDER, application=application, language="en", at=NOON)

    in_threads(lambda attempt: outbox.send(mail.pk, attempt=attempt, at=NOON), [0] * 6)

    assert len(outgoing.outbox) == 1


def test_a_worker_that_died_is_followed_by_another(reminder):
    Mail.objects.claim(reminder.pk, attempt=0, at=NOON)

    assert outbox.dispatch(at=later(seconds=119), limit=10) == []
    assert deliver_mails(at=later(minutes=2)) == 1
    assert Mail.objects.get().status == MailStatus.SENT


def test_a_nudge_that_a_dead_worker_may_have_sent_is_not_sent_again(make_application):
    application = make_application(status=Status.IN_PROGRESS)
    nudge = outbox.queue(MailKind.NUDGE, application=application, language="en", at=NOON)
    Mail.objects.claim(nudge.pk, attempt=0, at=NOON)

    deliver_mails(at=later(minutes=3))

    nudge.refresh_from_db()
    assert outgoing.outbox == []
    assert (nudge.status, nudge.attempts) == (MailStatus.CANCELLED, 2)
    assert nudge.fault == "an earlier attempt may have sent it"


def test_a_nudge_that_the_mail_server_refused_is_sent_later(
    make_application, mail_server, monkeypatch
):
    application = make_application(status=Status.IN_PROGRESS)
    nudge = outbox.queue(MailKind.NUDGE, application=application, language="en", at=NOON)
    mail_server(ConnectionRefusedError())
    deliver_mails(at=NOON)
    monkeypatch.undo()

    deliver_mails(at=later(minutes=1))

    nudge.refresh_from_db()
    assert (nudge.status, nudge.attempts, nudge.fault) == (MailStatus.SENT, 2, "")


def test_a_worker_that_is_late_changes_nothing_of_what_another_did(reminder):
    late = Mail.objects.claim(reminder.pk, attempt=0, at=NOON)
    deliver_mails(at=later(minutes=2))

    late.postpone(fault="TimeoutError", at=later(minutes=3))

    assert Mail.objects.get().status == MailStatus.SENT


def test_a_mail_is_tried_five_times_ever_later(reminder, mail_server):
    mail_server(ConnectionRefusedError())
    tried, at = [], NOON
    while reminder.status == MailStatus.QUEUED:
        at = reminder.due_at
        tried.append(at - NOON)
        deliver_mails(at=at)
        reminder.refresh_from_db()

    waits = [after - before for before, after in pairwise(tried)]
    assert [wait.total_seconds() / 60 for wait in waits] == [1, 5, 30, 120]
    assert (reminder.status, reminder.attempts) == (MailStatus.FAILED, 5)
    assert reminder.fault == "ConnectionRefusedError"


def test_after_the_mail_server_is_back_the_mail_leaves(reminder, mail_server, monkeypatch):
    mail_server(SMTPServerDisconnected("gone"))
    deliver_mails(at=NOON)
    monkeypatch.undo()

    deliver_mails(at=later(minutes=1))

    reminder.refresh_from_db()
    assert (reminder.status, reminder.attempts, reminder.fault) == (MailStatus.SENT, 2, "")


def test_a_fault_names_no_address(reminder, mail_server):
    refused = {"ada@example.com": (550, b"no ada@example.com here")}
    mail_server(SMTPRecipientsRefused(refused))

    deliver_mails(at=NOON)

    assert Mail.objects.get().fault == "SMTPRecipientsRefused 550"


def test_a_mail_that_cannot_be_composed_stops_none_of_the_others(reminder, code, monkeypatch):
    def fail(application):
        raise LookupError("Ada Byron")

    monkeypatch.setattr("onboarding.services.mails.applicant_mails.open_lead_file", fail)
    logging.disable()

    deliver_mails(at=NOON)

    logging.disable(logging.NOTSET)
    reminder.refresh_from_db()
    assert (reminder.status, reminder.fault) == (MailStatus.QUEUED, "LookupError")
    assert len(outgoing.outbox) == 1


def test_a_code_that_no_key_opens_is_given_up_in_the_end(code):
    with connection.cursor() as cursor:
        cursor.execute("UPDATE onboarding_mail SET code = 'e1.gone.AAAA'")
    logging.disable()

    deliver_mails(at=NOON)
    deliver_mails(at=later(minutes=10))

    logging.disable(logging.NOTSET)
    assert Mail.objects.defer("code").get().fault == "the code has expired"
    assert encrypted_codes() == [""]


def test_a_mail_that_is_not_true_any_more_is_cancelled(reminder):
    reminder.application.status = Status.IN_REVIEW
    reminder.application.save()

    deliver_mails(at=NOON)

    reminder.refresh_from_db()
    assert reminder.status == MailStatus.CANCELLED
    assert reminder.fault == "the status has changed"
    assert not reminder.may_be_sent_again
    assert outgoing.outbox == []


def test_a_code_is_sealed_until_it_left(code):
    [encrypted] = encrypted_codes()
    assert encrypted.startswith("e2.")

    deliver_mails(at=NOON)

    assert encrypted_codes() == [""]
    assert "123456" in outgoing.outbox[0].body


def test_a_code_that_could_not_be_sent_is_gone_when_it_expires(code, mail_server):
    mail_server(ConnectionRefusedError())
    for minutes in (0, 1, 6):
        deliver_mails(at=later(minutes=minutes))
    code.refresh_from_db()
    assert (code.due_at, code.status) == (later(minutes=10), MailStatus.QUEUED)

    deliver_mails(at=later(minutes=10))

    code.refresh_from_db()
    assert (code.status, code.fault) == (MailStatus.FAILED, "the code has expired")
    assert encrypted_codes() == [""]


@pytest.mark.django_db(transaction=True)
def test_no_transaction_is_open_while_the_mail_server_is_talked_to(make_application, monkeypatch):
    application = make_application(status=Status.DOCUMENTS_REQUIRED)
    outbox.queue(MailKind.REMINDER, application=application, language="en", at=NOON)
    seen = []

    def look(self, messages):
        seen.append((connection.in_atomic_block, Mail.objects.get().attempts))
        return len(messages)

    monkeypatch.setattr(SEND, look)

    deliver_mails(at=NOON)

    assert seen == [(False, 1)]


def test_a_mail_that_was_given_up_may_be_sent_again(reminder, mail_server, monkeypatch):
    mail_server(ConnectionRefusedError())
    for minutes in (0, 1, 6, 36, 156):
        deliver_mails(at=later(minutes=minutes))
    monkeypatch.undo()
    reminder.refresh_from_db()

    assert reminder.may_be_sent_again
    assert reminder.send_again(at=later(days=1))
    assert not reminder.send_again(at=later(days=1))

    deliver_mails(at=later(days=1))
    assert len(outgoing.outbox) == 1


@pytest.fixture
def key(make_api_key, make_partner):
    """An access key that expires in 40 days."""
    partner = make_partner(support_email="help@acme.example.com")
    return make_api_key(partner, at=NOON, lifetime=timedelta(days=40)).key


def notify(**delta):
    return outbox.notify_key_expiry(at=later(**delta))


def test_of_a_key_that_expires_its_partner_hears_three_times(key):
    mail_days = [day for day in range(41) for _ in range(notify(days=day))]

    assert mail_days == [10, 33, 39]
    assert set(Mail.objects.values_list("api_key", "kind")) == {(key.pk, MailKind.KEY_EXPIRY)}
    deliver_mails(at=later(days=39))
    assert len(outgoing.outbox) == 3


def test_who_was_not_told_in_time_is_told_once(key):
    assert [notify(days=35), notify(days=36), notify(days=39)] == [1, 0, 1]


def test_nobody_is_told_of_a_key_that_is_of_no_use(key, make_api_key):
    key.revoked_at = NOON
    key.save()
    suspended = make_api_key(at=NOON, lifetime=timedelta(days=40)).key.partner
    suspended.support_email, suspended.suspended_at = "help@example.com", NOON
    suspended.save()

    assert notify(days=39) == 0
    assert notify(days=40) == 0


def test_a_partner_without_an_address_is_told_to_the_log(key, caplog):
    key.partner.support_email = ""
    key.partner.save()

    assert notify(days=39) == 0

    assert "1 access keys expire of partners without a support email" in caplog.text


def test_several_notices_at_once_are_one(in_threads, make_api_key, make_partner):
    partner = make_partner(support_email="help@acme.example.com")
    make_api_key(partner, at=NOON, lifetime=timedelta(days=40))

    mail_counts = in_threads(lambda days: notify(days=days), [39] * 4)

    assert sorted(mail_counts) == [0, 0, 0, 1]


@pytest.fixture
def failing(make_webhook, make_partner):
    """A webhook that has only failed since noon."""
    return make_webhook(make_partner(support_email="help@acme.example.com"), failing_since=NOON)


def warn(**delta):
    return outbox.notify_webhook_failures(at=later(**delta))


def test_of_a_webhook_that_only_fails_its_partner_hears_twice(failing):
    mail_hours = [hour for hour in range(8 * 24) for _ in range(warn(hours=hour))]

    assert mail_hours == [24, 4 * 24]
    kinds = set(Mail.objects.values_list("webhook", "kind"))
    assert kinds == {(failing.pk, MailKind.WEBHOOK_FAILING)}


def test_who_was_not_told_of_failures_in_time_is_told_once(failing):
    assert [warn(days=5), warn(days=6)] == [1, 0]


def test_after_a_success_failures_are_told_anew(failing):
    assert [warn(days=1), warn(days=4)] == [1, 1]
    Webhook.objects.update(**endpoints.NOT_FAILING)
    assert warn(days=5) == 0
    Webhook.objects.update(failing_since=later(days=5))

    assert [warn(days=day) for day in (5, 6, 7, 8, 9, 10)] == [0, 1, 0, 0, 1, 0]


@pytest.mark.parametrize(
    "values",
    [
        {"failing_since": None},
        {"status": WebhookStatus.DISABLED},
        {"status": WebhookStatus.DISABLED, "deleted_at": NOON},
    ],
)
def test_nobody_is_told_of_a_webhook_that_works_or_is_sent_nothing(failing, values):
    Webhook.objects.update(**values)

    assert warn(days=4) == 0


def test_a_suspended_partner_is_told_of_failures_when_it_is_reinstated(failing):
    failing.partner.suspend(at=NOON)
    assert warn(days=1) == 0
    failing.partner.reinstate()

    assert warn(days=2) == 1


def test_failures_of_a_partner_without_an_address_are_told_to_the_log(failing, caplog):
    failing.partner.support_email = ""
    failing.partner.save()

    assert warn(days=1) == 0

    assert "1 webhooks fail of partners without a support email" in caplog.text
    assert not Mail.objects.exists()


def test_several_notices_of_failures_at_once_are_one(in_threads, make_webhook, make_partner):
    make_webhook(make_partner(support_email="help@acme.example.com"), failing_since=NOON)

    mail_counts = in_threads(lambda days: warn(days=days), [1] * 4)

    assert sorted(mail_counts) == [0, 0, 0, 1]
    assert Mail.objects.count() == 1


def test_a_notice_that_was_cut_off_is_queued_by_the_next_run(failing, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(outbox, "queue", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            warn(days=1)

    assert warn(days=1) == 1


def test_a_success_meanwhile_takes_the_notice_back(failing, monkeypatch):
    def succeed(webhook, *, at):
        Webhook.objects.update(**endpoints.NOT_FAILING)
        return 1

    monkeypatch.setattr(outbox, "_count_notices", succeed)

    assert warn(days=1) == 0
    assert not Mail.objects.exists()
