"""The tasks, run where they are sent from; what they do is tested with the services."""

from contextlib import ExitStack
from datetime import timedelta

import pytest
from django.utils import timezone

from banking.models import Lease
from onboarding import tasks
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DeliveryStatus, DocumentStatus, MailStatus
from onboarding.event_types import EventType
from onboarding.models import Delivery, Document, Mail, Publication
from onboarding.services.documents import fetching
from onboarding.services.webhooks import posting
from onboarding.services.webhooks.posting import Outcome


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


def test_a_step_that_fails_keeps_no_other_from_its_work(
    make_application, make_lead, monkeypatch, caplog
):
    application = make_application(make_lead(ssn="123-45-0004"), status=Status.SUBMITTED)

    def break_down(**_options):
        raise ZeroDivisionError

    monkeypatch.setattr(tasks.publications, "publish", break_down)
    tasks.sweep()

    application.refresh_from_db()
    assert application.status == Status.IN_REVIEW
    assert "a step of the sweep failed: publish" in caplog.text


@pytest.fixture
def is_sweeping(db):
    """Leave the lease of the sweep as a worker has it that is at it."""
    Lease.objects.create(name=tasks.SWEEP, expires_at=timezone.now() + timedelta(minutes=1))


def test_a_sweep_does_nothing_while_another_one_runs(is_sweeping, posts, make_event):
    event = make_event()

    tasks.sweep()

    assert not Publication.objects.filter(event=event).exists()


def test_an_application_that_somebody_is_screening_is_left_alone(make_application, make_lead):
    application = make_application(make_lead(ssn="123-45-0004"), status=Status.SUBMITTED)

    with tasks.SCREENINGS.enter():
        tasks.sweep()

    application.refresh_from_db()
    assert application.status == Status.SUBMITTED


def test_events_are_published_before_anything_is_screened(make_event, monkeypatch):
    steps = []
    for name in ("publish", "start_runners", "start_screening"):
        monkeypatch.setattr(tasks, name, lambda name=name, **_options: steps.append(name))

    tasks.sweep()

    assert steps == ["publish", "start_runners", "start_screening"]


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


def test_without_outbound_everything_waits_untried_and_goes_when_it_is_on_again(
    posts, make_webhook, make_application, make_lead, make_event, mailoutbox, monkeypatch, settings
):
    application = make_application(
        make_lead(make_webhook().partner), status=Status.DOCUMENTS_REQUIRED
    )
    make_event(application, EventType.DOCUMENTS_REQUIRED)
    document = Document.objects.create(
        lead=application.lead,
        source_url="https://files.example.com/letter.pdf",
        status=DocumentStatus.PENDING,
        uploaded_at=timezone.now(),
        fetch_due_at=timezone.now() - timedelta(seconds=1),
    )
    fetched = []
    monkeypatch.setattr(fetching, "fetch", lambda pk, *, attempt, at: fetched.append((pk, attempt)))
    settings.OUTBOUND = False

    tasks.sweep()
    tasks.deliver_webhook(webhook_id=Delivery.objects.get().lane.webhook_id)  # of another worker
    tasks.send_mail(mail_id=Mail.objects.get().pk, attempt=0)
    tasks.fetch_document(document_id=document.pk, attempt=0)

    assert (posts, mailoutbox, fetched) == ([], [], [])
    delivery, mail = Delivery.objects.get(), Mail.objects.get()
    assert (delivery.status, delivery.attempts) == (DeliveryStatus.PENDING, 0)
    assert (mail.status, mail.attempts) == (MailStatus.QUEUED, 0)
    settings.OUTBOUND = True
    tasks.sweep()
    assert (len(posts), len(mailoutbox), fetched) == (1, 1, [(document.pk, 0)])
