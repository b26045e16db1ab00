"""Reminders: when they are due, and that each is written down and queued once."""

import pytest
from django.core import mail

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import Role
from onboarding.event_types import EventType, MailKind
from onboarding.models import Application, Event, Mail
from onboarding.queries import audit
from onboarding.services.applications import reminders
from onboarding.services.events import history
from tests.factories import later
from tests.mailing import deliver_mails


def remind(**delta):
    """Advance the clock to some time after the application began to wait."""
    return list(reminders.remind_waiting(at=later(**delta)))


@pytest.fixture
def application(make_application):
    """One that waits for documents."""
    return make_application(status=Status.DOCUMENTS_REQUIRED)


def test_reminders_come_after_3_14_and_45_days(application):
    sent = []
    for days in range(60):
        remind(days=days)
        sent.append(Mail.objects.count())

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
    assert Mail.objects.count() == (1 if waits else 0)


def test_nobody_is_reminded_of_what_is_over(make_application, application):
    Application.objects.update(is_current=False)

    assert remind(days=3) == []


def test_nobody_is_reminded_after_the_deadline(application):
    assert remind(days=60) == []


def test_a_clock_that_was_off_queues_the_newest_reminder_alone(application):
    remind(days=50)
    remind(days=51)

    assert Mail.objects.count() == 1
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


def test_several_clocks_at_once_queue_one_mail(in_threads, make_application):
    for _ in range(3):
        make_application(status=Status.ID_VERIFICATION)

    outcomes = in_threads(lambda days: remind(days=days), [3] * 6)

    assert Mail.objects.count() == 3
    assert sum(map(len, outcomes)) == 3
    assert Event.objects.count() == 3
    assert list(audit.find_faults()) == []


def test_the_worker_sends_what_was_queued(application):
    remind(days=3)
    assert mail.outbox == []

    deliver_mails(at=later(days=3))

    queued = Mail.objects.get()
    assert (queued.kind, queued.event, queued.language) == (
        MailKind.REMINDER,
        Event.objects.get(),
        "en",
    )
    assert mail.outbox[0].to == [application.lead.email]


def test_what_cannot_be_written_down_is_not_mailed(application, monkeypatch):
    def fail(*args, **options):
        raise RuntimeError

    monkeypatch.setattr(history, "record", fail)
    [outcome] = remind(days=3)

    assert outcome.fault == "RuntimeError"
    assert not Mail.objects.exists()
    assert Application.objects.get().reminders_sent == 0
