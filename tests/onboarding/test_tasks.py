"""The tasks, run where they are sent from; what they do is tested with the services."""

from contextlib import ExitStack
from datetime import timedelta

import pytest
from django.utils import timezone

from onboarding import tasks
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DeliveryStatus, DocumentStatus, EventType, MailStatus
from onboarding.models import Delivery, Document, Mail
from onboarding.services import fetching, posting
from onboarding.services.posting import Outcome


@pytest.fixture
def posts(monkeypatch):
    posts = []

    def post(_webhook, publication, *, at, **_options):
        posts.append(publication.message_id)
        return Outcome(status_code=204)

    monkeypatch.setattr(posting, "post", post)
    return posts


def test_a_sweep_sends_what_happened(posts, make_webhook, make_application, make_lead, make_event):
    webhook = make_webhook()
    make_event(make_application(make_lead(webhook.partner)))

    tasks.sweep()

    assert len(posts) == 1
    assert Delivery.objects.get().status == DeliveryStatus.DELIVERED


def test_a_sweep_writes_to_the_applicant(make_event, make_application, mailoutbox):
    application = make_application(status=Status.DOCUMENTS_REQUIRED)
    event = make_event(application, EventType.DOCUMENTS_REQUIRED)

    tasks.sweep()

    assert [mail.to for mail in mailoutbox] == [[event.lead.email]]
    assert Mail.objects.get().status == MailStatus.SENT


def test_a_sweep_fetches_documents(make_application, monkeypatch):
    application = make_application()
    pending = Document.objects.create(
        lead=application.lead,
        source_url="https://files.example.com/letter.pdf",
        status=DocumentStatus.PENDING,
        uploaded_at=timezone.now(),
        fetch_due_at=timezone.now() - timedelta(seconds=1),
    )
    fetched = []
    monkeypatch.setattr(fetching, "fetch", lambda pk, *, attempt, at: fetched.append((pk, attempt)))

    tasks.sweep()

    assert fetched == [(pending.pk, 0)]


def test_a_task_takes_arguments_that_were_added_later(posts, make_webhook):
    tasks.deliver_webhook(webhook_id=make_webhook().pk, hue="blue")

    assert posts == []


def test_a_worker_that_ends_begins_no_further_delivery(
    posts, make_webhook, make_application, make_lead, make_event, monkeypatch
):
    webhook = make_webhook()
    make_event(make_application(make_lead(webhook.partner)))
    monkeypatch.setattr(tasks.ending, "is_set", lambda: True)

    tasks.sweep()

    assert posts == []


def test_a_sweep_screens_what_was_submitted(make_application, make_lead):
    application = make_application(make_lead(ssn="123-45-0004"), status=Status.SUBMITTED)

    tasks.sweep()

    application.refresh_from_db()
    assert application.status == Status.IN_REVIEW


def test_a_step_that_fails_keeps_no_other_from_its_work(make_event, monkeypatch, caplog):
    event = make_event()

    def break_down(**_options):
        raise ZeroDivisionError

    monkeypatch.setattr(tasks.screenings, "screen_submitted", break_down)
    tasks.sweep()

    assert event.publication.message_id
    assert "a step of the sweep failed: screen" in caplog.text


def test_a_kind_of_work_has_its_share_of_the_threads(make_event, make_application, mailoutbox):
    make_event(make_application(status=Status.DOCUMENTS_REQUIRED), EventType.DOCUMENTS_REQUIRED)
    share = tasks.MAILS

    with ExitStack() as stack:
        taken = [stack.enter_context(share.enter()) for _ in range(9)]
        tasks.sweep()
        assert mailoutbox == []

    assert taken == [True] * 8 + [False]
    assert share.free == 8
    tasks.sweep()
    assert len(mailoutbox) == 1
