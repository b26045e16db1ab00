"""Reminders: when they are due, and that each is written down and queued once."""

import pytest
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import Role
from onboarding.event_types import EventType, MailKind
from onboarding.models import Application, Event, Lead, Mail, Partner
from onboarding.queries import audit
from onboarding.services.access import sessions
from onboarding.services.applications import reminders
from onboarding.services.events import history
from tests.factories import NOON, later
from tests.mailing import deliver_mails


def remind(**delta):
    """Advance the clock to some time after the application began to wait."""
    return list(reminders.remind_due(at=later(**delta)))


@pytest.fixture
def application(make_application):
    """One that waits for documents."""
    return make_application(status=Status.DOCUMENTS_REQUIRED)


def list_days(until):
    """Advance the clock day by day; return the days on which mails were queued, and their kinds."""
    days = []
    for day in range(until):
        before = Mail.objects.count()
        remind(days=day)
        days += [(day, mail.kind) for mail in Mail.objects.order_by("pk")[before:]]
    return days


def test_who_is_asked_for_documents_is_reminded_and_told_of_the_end(application):
    assert list_days(60) == [
        (3, MailKind.REMINDER),
        (14, MailKind.REMINDER),
        (45, MailKind.REMINDER),
        (57, MailKind.ENDING),
    ]
    assert Application.objects.get().reminders_sent == 4


@pytest.mark.parametrize("status", [Status.CREATED, Status.IN_PROGRESS])
def test_who_has_not_submitted_is_reminded_and_told_of_the_end(make_application, status):
    application = make_application(status=status)
    Lead.objects.filter(pk=application.lead_id).update(updated_at=NOON)

    days = list_days(30)

    assert days == [*((day, MailKind.NUDGE) for day in (1, 3, 7, 21, 28)), (29, MailKind.ENDING)]


def test_a_temporary_approval_is_reminded_of_14_7_and_2_days_before_its_end(make_application):
    last_day = later(days=30).date()
    make_application(status=Status.APPROVED_TEMPORARY, expiration_date=last_day)

    assert list_days(40) == [(day, MailKind.TEMPORARY_ENDING) for day in (17, 24, 29)]


def test_a_short_temporary_approval_is_reminded_of_after_its_beginning_only(make_application):
    last_day = later(days=5).date()
    make_application(status=Status.APPROVED_TEMPORARY, expiration_date=last_day)

    assert list_days(10) == [(4, MailKind.TEMPORARY_ENDING)]


def test_who_comes_back_is_reminded_anew_from_then_on(make_application):
    application = make_application(status=Status.IN_PROGRESS)
    assert [day for day, _ in list_days(6)] == [1, 3]
    sessions.open_session(application, language="en", at=later(days=6))

    assert remind(days=6, hours=23) == []
    assert len(remind(days=7)) == 1
    assert remind(days=8) == []
    assert len(remind(days=9)) == 1


def test_activity_of_the_partner_puts_off_the_notice_of_the_end(make_application):
    application = make_application(status=Status.IN_PROGRESS)
    Lead.objects.filter(pk=application.lead_id).update(updated_at=later(days=10))

    assert list_days(40)[-2:] == [(28, MailKind.NUDGE), (39, MailKind.ENDING)]


def test_a_deadline_that_moved_after_the_notice_is_told_again(make_application):
    application = make_application(status=Status.IN_PROGRESS)
    Lead.objects.filter(pk=application.lead_id).update(updated_at=NOON)
    assert list_days(30)[-1] == (29, MailKind.ENDING)
    Lead.objects.filter(pk=application.lead_id).update(updated_at=later(days=29, hours=1))

    assert remind(days=30) == []
    assert len(remind(days=58, hours=1)) == 1
    assert Mail.objects.latest("pk").kind == MailKind.ENDING


@pytest.mark.parametrize(
    "switch",
    [
        lambda application: Partner.objects.update(sends_nudges=False),
        lambda application: reminders.switch_nudges(application, is_on=False, at=NOON),
    ],
)
def test_partner_and_applicant_may_switch_the_reminders_off(make_application, switch):
    application = make_application(status=Status.IN_PROGRESS)
    switch(application)

    assert list_days(30) == []
    assert reminders.count_due(at=later(days=30)) == 0


@pytest.mark.parametrize("status", [Status.DOCUMENTS_REQUIRED, Status.APPROVED_TEMPORARY])
def test_what_the_bank_waits_for_is_asked_for_all_the_same(make_application, status):
    last_day = later(days=30).date()
    application = make_application(status=status, expiration_date=last_day)
    Partner.objects.update(sends_nudges=False)
    reminders.switch_nudges(application, is_on=False, at=NOON)

    assert list_days(29)


def test_a_switch_is_written_down_once_and_can_be_taken_back(make_application):
    application = make_application(status=Status.IN_PROGRESS)
    for is_on in (False, False, True, True):
        reminders.switch_nudges(application, is_on=is_on, at=NOON)

    assert list(Event.objects.order_by("number").values_list("type", "role")) == [
        (EventType.NUDGES_STOPPED, Role.APPLICANT),
        (EventType.NUDGES_RESUMED, Role.APPLICANT),
    ]
    assert Application.objects.get().nudges_stopped_at is None
    assert list(audit.find_faults()) == []


def test_the_search_for_reminders_uses_an_index(make_application):
    make_application(status=Status.IN_PROGRESS)

    with CaptureQueriesContext(connection) as captured:
        remind(days=-1)

    [search] = captured.captured_queries
    assert "LIMIT 500" in search["sql"]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
            cursor.execute("SET LOCAL enable_sort = off")  # this index alone has the order
    assert (
        "application_remind_at" in reminders.list_due(at=NOON).order_by("remind_at", "pk").explain()
    )


def test_more_than_a_batch_is_reminded_in_one_run(make_application, monkeypatch):
    monkeypatch.setattr(reminders, "BATCH_SIZE", 2)
    for _ in range(5):
        make_application(status=Status.IN_PROGRESS)

    assert len(remind(days=1)) == 5
    assert remind(days=1) == []


def test_a_reminder_is_due_on_the_second(application):
    assert remind(days=3, seconds=-1) == []
    assert len(remind(days=3)) == 1
    assert remind(days=3) == []


@pytest.mark.parametrize("status", Status)
def test_only_who_is_waited_for_is_reminded(make_application, status):
    make_application(status=status)

    remind(days=3)

    waits = status.is_editable or status in {Status.ID_VERIFICATION, Status.DOCUMENTS_REQUIRED}
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
    Application.objects.update(
        status_changed_at=later(days=50), reminders_sent=0, remind_at=later(days=53)
    )

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
    monkeypatch.undo()

    assert len(remind(days=3, hours=1)) == 1
