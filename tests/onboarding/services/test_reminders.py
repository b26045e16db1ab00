"""Reminders: when they are due, what they say, and that each is sent once."""

from datetime import timedelta
from smtplib import SMTPRecipientsRefused

import pytest
from django.core import mail
from django.db import connection

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import EventType, IdentityStatus, LegalText, Role
from onboarding.models import Application, Consent, Event, FlowSession
from onboarding.queries import audit
from onboarding.services import links, reminders
from onboarding.services.clock import Stopped
from tests.factories import NOON, later, make_lead, make_partner

SECOND = timedelta(seconds=1)


def remind(**delta):
    """Advance the clock to some time after the application began to wait."""
    return list(reminders.remind_waiting(at=later(**delta)))


@pytest.fixture
def application(make_application):
    """An LLC that waits for its documents."""
    partner = make_partner(name="acme-1", display_name="Acme Payroll")
    lead = make_lead(
        partner,
        email="ada@example.com",
        first_name="Ada",
        last_name="Byron",
        ssn="123-45-6789",
        business_name="Harbor Coffee",
        business_type="LLC",
    )
    return make_application(lead, status=Status.DOCUMENTS_REQUIRED)


@pytest.fixture
def composed(application, settings):
    """Return a function that composes the mail of the application as it is stored by then."""
    settings.BANK_NAME = "Example Bank"

    def compose(at=NOON):
        stored = Application.objects.select_related("lead__partner").get(pk=application.pk)
        return reminders.compose_reminder(stored, at=at)

    return compose


def test_reminders_come_after_3_14_and_45_days(application):
    sent = []
    for days in range(60):
        remind(days=days)
        sent.append(len(mail.outbox))

    assert [sent.index(number) for number in (1, 2, 3)] == [3, 14, 45]
    assert sent[-1] == 3
    assert Application.objects.get().reminders_sent == 3


def test_a_reminder_is_due_on_the_second(application):
    assert remind(days=3, seconds=-1) == []
    assert len(remind(days=3)) == 1
    assert remind(days=3) == []


@pytest.mark.parametrize("status", Status)
def test_only_who_is_waited_for_is_reminded(make_application, status):
    make_application(status=status)

    remind(days=3)

    waits = status in {Status.ID_VERIFICATION, Status.DOCUMENTS_REQUIRED}
    assert len(mail.outbox) == (1 if waits else 0)


def test_nobody_is_reminded_of_what_is_over(make_application, application):
    Application.objects.update(is_current=False)

    assert remind(days=3) == []


def test_nobody_is_reminded_after_the_deadline(application):
    assert remind(days=60) == []


def test_a_clock_that_was_off_sends_the_newest_reminder_alone(application):
    remind(days=50)
    remind(days=51)

    assert len(mail.outbox) == 1
    assert Application.objects.get().reminders_sent == 3
    assert Event.objects.get().details == {"reminder": 3}


def test_who_is_asked_anew_is_reminded_anew(application):
    remind(days=50)
    Application.objects.update(status_changed_at=later(days=50), reminders_sent=0)

    assert len(remind(days=53)) == 1


def test_a_reminder_is_written_down(application):
    [outcome] = remind(days=3)

    event = Event.objects.get()
    assert outcome.application_id == application.external_id
    assert (event.type, event.role, event.sequence) == (EventType.REMINDED, Role.CLOCK, None)
    assert event.occurred_at == later(days=3)
    assert list(audit.find_faults()) == []


def test_several_clocks_at_once_send_one_mail(in_threads, make_application):
    for _ in range(3):
        make_application(status=Status.ID_VERIFICATION)

    outcomes = in_threads(lambda days: remind(days=days), [3] * 6)

    assert len(mail.outbox) == 3
    assert sum(map(len, outcomes)) == 3
    assert Event.objects.count() == 3
    assert list(audit.find_faults()) == []


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_the_mail_leaves_after_the_commit(make_application, monkeypatch):
    application = make_application(status=Status.ID_VERIFICATION)
    seen = []

    def look(self, messages):
        stored = Application.objects.get(pk=application.pk)
        seen.append((connection.in_atomic_block, stored.reminders_sent))
        return len(messages)

    monkeypatch.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", look)

    remind(days=3)

    assert seen == [(False, 1)]


def test_a_mail_that_is_refused_is_told_and_not_tried_again(
    application, make_application, monkeypatch
):
    make_application(status=Status.ID_VERIFICATION)
    refused = []

    def refuse(self, messages):
        if messages[0].to == ["ada@example.com"]:
            refused.append(messages)
            raise SMTPRecipientsRefused({"ada@example.com": (550, b"no such user")})
        return 1

    monkeypatch.setattr("django.core.mail.backends.locmem.EmailBackend.send_messages", refuse)

    assert [outcome.fault for outcome in remind(days=3)] == ["SMTPRecipientsRefused", ""]
    assert remind(days=3) == []
    assert len(refused) == 1


def test_nothing_is_noted_while_no_mail_can_leave(application, monkeypatch):
    def refuse(self):
        raise ConnectionRefusedError

    monkeypatch.setattr("django.core.mail.backends.locmem.EmailBackend.open", refuse)
    with pytest.raises(Stopped):
        remind(days=3)
    assert not Event.objects.exists()
    monkeypatch.undo()

    assert len(remind(days=3)) == 1


def test_the_mail_says_what_is_wanted_and_until_when(application, composed):
    mail = composed()

    assert mail.to == ["ada@example.com"]
    assert mail.subject == "Something is missing for the account of Harbor Coffee (Acme Payroll)"
    assert mail.body == (
        "You applied for a bank account for Harbor Coffee at Example Bank, through Acme Payroll.\n"
        "\n"
        "We need documents before we can go on.\n"
        "\n"
        "What we need from you:\n"
        "\n"
        "- The articles of organization.\n"
        "- The IRS letter or form SS-4 with the EIN.\n"
        "\n"
        "Please send it before May 1, 2026. On that day the application ends.\n"
        "\n"
        "Open your application here:\n"
        "\n"
        f"http://testserver/apply/{links.derive_link(application)}\n"
        "\n"
        "If you have sent it already, please ignore this message.\n"
        "\n"
        "Example Bank"
    )


def test_the_mail_has_no_personal_data_beside_the_name_of_the_business(application, composed):
    application.document_requests = [
        {
            "llc_file_type": "UTILITY_BILL",
            "reason": "The bill of Ada Byron, 1 Pier Road, is blurred.",
            "requested_at": NOON.isoformat(),
        }
    ]
    application.save()

    mail = composed()

    assert "- Utility bill\n" in mail.body
    for value in ("Ada", "Byron", "Pier", "6789", "ada@", "blurred"):
        assert value not in mail.body + mail.subject


def test_what_is_wanted_of_another_owner_is_told_without_a_name(application, composed, make_owner):
    owner = make_owner(application.lead, first_name="Grace")
    asked = {"llc_file_type": "PASSPORT", "reason": "Blurred.", "requested_at": NOON.isoformat()}
    application.document_requests = [asked, {**asked, "ubo_id": str(owner.external_id)}]
    application.save()

    body = composed().body

    assert "- Passport\n- For another owner: Passport\n" in body
    assert "Grace" not in body


def test_who_must_prove_who_they_are_is_told(application, composed):
    application.lead.identity_status = IdentityStatus.REQUESTED
    application.lead.save()
    Application.objects.update(status=Status.ID_VERIFICATION)

    body = composed().body

    assert "We need a proof of identity before we can go on." in body
    assert "- A government identification or a passport that proves who this is." in body


def test_a_link_that_has_expired_is_not_sent(application, composed):
    body = composed(at=application.link_expires_at).body

    assert "/apply/" not in body
    assert "Your link has expired. Please ask Acme Payroll for a new one." in body
    assert "/apply/" in composed(at=application.link_expires_at - SECOND).body


def test_questions_go_to_the_partner(application, composed):
    partner = application.lead.partner
    partner.support_email = "help@acme.example.com"
    partner.save()

    mail = composed()

    assert mail.reply_to == ["help@acme.example.com"]
    assert "Write to Acme Payroll: help@acme.example.com" in mail.body


def test_a_business_without_a_name_is_yours(application, composed):
    application.lead.business_name = ""
    application.lead.save()

    assert composed().subject.startswith("Something is missing for the account of your business")


def test_no_name_breaks_the_header_or_is_escaped(application, composed):
    application.lead.business_name = "Ben & Co\nBcc: eve@example.com"
    application.lead.save()

    mail = composed()

    assert "Ben & Co Bcc: eve@example.com" in mail.subject
    assert "\n" not in mail.subject
    assert "Ben & Co" in mail.body


def come_in(application, language, **delta):
    FlowSession.objects.create(
        application=application,
        digest=f"{language}{delta}",
        language=language,
        created_at=later(**delta),
        expires_at=later(days=1, **delta),
    )


def test_the_language_is_that_of_the_newest_session(application):
    come_in(application, "en")
    come_in(application, "es")
    come_in(application, "")

    assert reminders.language_of(application) == "es"


def test_the_language_of_who_came_in_long_ago_is_that_of_the_signature(application):
    Consent.objects.create(
        application=application,
        text=LegalText.PRIVACY_NOTICE,
        version="1",
        language="es",
        signed_name="Ada Byron",
        agreed_at=NOON,
    )

    assert reminders.language_of(application) == "es"


def test_whose_language_is_not_known_reads_english(application):
    assert reminders.language_of(application) == "en"


def test_the_mail_is_in_the_applicants_language(application, composed):
    come_in(application, "es")

    body = composed().body

    assert "1 de mayo de 2026" in body.lower()
    assert "articles of organization" not in body.lower()
