"""What monitoring is told."""

from pathlib import Path

import pytest
from django.core.files.storage import FileSystemStorage, storages
from django.db import DatabaseError, connection
from django.test.utils import CaptureQueriesContext

from config import health, status
from onboarding.choices import DeliveryStatus, MailStatus, WebhookStatus
from onboarding.models import Delivery, Lead, Mail
from onboarding.services.events import publications
from onboarding.services.webhooks import deliveries
from tests.factories import NOON, later, make_bill, make_bill_attachment, make_job

TOKEN = "token-of-the-monitoring"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def forget(settings, monkeypatch):
    """Let each test ask anew, by a token, of an empty broker."""
    settings.STATUS_TOKEN = TOKEN
    monkeypatch.setattr(status, "queued_messages", lambda: {"sweeps": 0})
    status.forget()
    yield
    status.forget()


@pytest.fixture
def files(monkeypatch, tmp_path):
    """Return the folder of a document store on disk."""
    store = FileSystemStorage(location=tmp_path / "media")
    monkeypatch.setattr(status, "storages", {"documents": store})
    return Path(store.location)


def ask(client, token=TOKEN):
    return client.get("/status", headers={"Authorization": f"Bearer {token}"})


def faults(client):
    answer = ask(client)
    assert answer.status_code == 503
    return answer.json()["faults"]


@pytest.mark.parametrize("name", status.PARTS)
def test_the_parts_that_ask_the_database_are_known_to_the_budget(name):
    part = status.PARTS[name]

    with CaptureQueriesContext(connection) as asked:
        part.measure(NOON)

    assert bool(asked) == part.asks_database, "config/status.py: PARTS"


def test_nobody_is_answered_without_the_setting(client, settings):
    settings.STATUS_TOKEN = ""

    assert ask(client, token="").status_code == 404


@pytest.mark.parametrize("token", ["", "another", TOKEN + "x", "é"])
def test_a_wrong_token_is_refused(client, token):
    answer = ask(client, token)

    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")


def test_a_new_deployment_has_nothing_waiting(client):
    answer = ask(client)

    assert answer.status_code == 200
    told = answer.json()
    assert 0 < told.pop("roundTripSeconds") < 60
    assert told == {
        "status": "ok",
        "faults": [],
        "components": {"database": True, "store": True, "broker": True, "mail": True},
        "brokerMessages": 0,
        "migrationsPending": False,
        "secretsMatch": True,
        "work": {
            "heartbeatSeconds": None,
            "events": {"waiting": 0, "oldestSeconds": 0},
            "deliveries": {"waiting": 0, "oldestSeconds": 0, "failedToday": 0},
            "webhooks": {"disabled": 0},
            "lanes": {"leased": 0},
            "mails": {"waiting": 0, "oldestSeconds": 0, "failedToday": 0},
            "scans": {"waiting": 0, "oldestSeconds": 0, "malwareToday": 0},
            "lists": {"overdue": 0},
            "parties": {"notCompared": 0},
            "jobs": {"waiting": 0, "oldestSeconds": 0, "failedToday": 0},
            "verifications": {"waiting": 0, "oldestSeconds": 0, "failedToday": 0},
        },
    }


def test_work_that_waits_is_counted_with_the_age_of_the_oldest(make_event, make_webhook):
    event = make_event()
    make_webhook(partner=event.application.lead.partner)
    publications.publish(at=NOON)
    make_event(event.application, at=later(hours=1))
    Mail.objects.create(
        kind="LINK", application=event.application, language="en", due_at=NOON, created_at=NOON
    )
    make_job(kind="heartbeat", status="DONE", finished_at=NOON)
    make_job(due_at=later(hours=1))

    work = status.measure(at=later(hours=2))["work"]

    assert work == {
        "heartbeatSeconds": 7200,
        "events": {"waiting": 1, "oldestSeconds": 3600},
        "deliveries": {"waiting": 1, "oldestSeconds": 7200, "failedToday": 0},
        "webhooks": {"disabled": 0},
        "lanes": {"leased": 0},
        "mails": {"waiting": 1, "oldestSeconds": 7200, "failedToday": 0},
        "scans": {"waiting": 0, "oldestSeconds": 0, "malwareToday": 0},
        "lists": {"overdue": 0},
        "parties": {"notCompared": 0},
        "jobs": {"waiting": 1, "oldestSeconds": 3600, "failedToday": 0},
        "verifications": {"waiting": 0, "oldestSeconds": 0, "failedToday": 0},
    }


def test_deliveries_that_a_disabled_webhook_holds_are_not_waited_for(make_event, make_webhook):
    webhook = make_webhook(partner=make_event().application.lead.partner)
    publications.publish(at=NOON)
    type(webhook).objects.update(status=WebhookStatus.DISABLED)

    work = status.measure(at=later(hours=2))["work"]

    assert work["deliveries"] == {"waiting": 0, "oldestSeconds": 0, "failedToday": 0}


def test_failures_of_the_last_day_and_disabled_webhooks_are_counted(make_event, make_webhook):
    event = make_event()
    webhook = make_webhook(partner=event.application.lead.partner)
    type(webhook).objects.update(status=WebhookStatus.DISABLED)
    for created_at in (NOON, later(days=-2)):
        Mail.objects.create(
            kind="LINK", application=event.application, language="en", due_at=NOON,
            created_at=created_at, status=MailStatus.FAILED,
        )  # fmt: skip
        make_job(kind="close_months", status="FAILED", finished_at=created_at)

    work = status.measure(at=later(hours=2))["work"]

    assert work["webhooks"] == {"disabled": 1}
    assert work["mails"]["failedToday"] == work["jobs"]["failedToday"] == 1


def test_deliveries_given_up_in_the_last_day_are_counted_until_they_are_sent_again(
    make_event, make_webhook
):
    webhook = make_webhook(partner=make_event().application.lead.partner)
    publications.publish(at=NOON)
    given_up = Delivery.objects.filter(lane__webhook=webhook)

    def failed_today(*, finished_at):
        given_up.update(status=DeliveryStatus.FAILED, next_attempt_at=None, finished_at=finished_at)
        return status.measure(at=later(hours=2))["work"]["deliveries"]["failedToday"]

    assert given_up.count() == 1
    assert failed_today(finished_at=later(days=-2)) == 0
    assert failed_today(finished_at=NOON) == 1

    deliveries.recover(webhook, since=later(days=-1), until=later(days=1), at=later(hours=1))
    assert status.measure(at=later(hours=2))["work"]["deliveries"] == {
        "waiting": 1, "oldestSeconds": 7200, "failedToday": 0
    }  # fmt: skip


def test_files_that_wait_for_their_scan_and_malware_of_the_last_day_are_counted(make_document):
    for uploaded_at in (NOON, later(hours=1)):
        make_document(status="PENDING", scan_due_at=later(hours=3), uploaded_at=uploaded_at)
    for scanned_at in (NOON, later(days=-2)):
        make_document(status="QUARANTINED", malware="Test.Eicar", scanned_at=scanned_at)

    work = status.measure(at=later(hours=2))["work"]

    assert work["scans"] == {"waiting": 2, "oldestSeconds": 7200, "malwareToday": 1}


def test_files_of_the_record_feed_that_wait_for_their_scan_are_counted(make_document):
    make_document(status="PENDING", scan_due_at=later(hours=3), uploaded_at=later(hours=1))
    bill = make_bill()
    make_bill_attachment(bill, awaits_scan_since=NOON, uploaded_at=later(days=-90))
    make_bill_attachment(bill, malware="Test.Eicar", scanned_at=NOON)
    make_bill_attachment(bill, malware="Test.Eicar", scanned_at=later(days=-2))

    work = status.measure(at=later(hours=2))["work"]

    assert work["scans"] == {"waiting": 2, "oldestSeconds": 7200, "malwareToday": 1}


def test_parties_whose_comparison_failed_are_counted_until_it_succeeds():
    make_job(kind="compare_party", key="PAYEE-1", status="FAILED", finished_at=later(days=-30))
    assert status.measure(at=NOON)["work"]["parties"] == {"notCompared": 1}

    make_job(kind="compare_party", key="PAYEE-1", status="DONE", finished_at=NOON)
    assert status.measure(at=NOON)["work"]["parties"] == {"notCompared": 0}


def test_mails_that_nobody_needs_any_more_are_no_failures(make_event):
    Mail.objects.create(
        kind="LINK", application=make_event().application, language="en", due_at=NOON,
        created_at=NOON, status=MailStatus.CANCELLED,
    )  # fmt: skip

    work = status.measure(at=later(hours=2))["work"]

    assert work["mails"] == {"waiting": 0, "oldestSeconds": 0, "failedToday": 0}


def test_published_events_wait_no_more(make_event):
    lead = make_event().application.lead
    Lead.objects.filter(pk=lead.pk).update(published_sequence=1)

    events = status.measure(at=later(hours=1))["work"]["events"]
    assert events == {"waiting": 0, "oldestSeconds": 0}


def test_an_answer_is_given_again_for_a_while(client, django_assert_num_queries):
    ask(client)

    with django_assert_num_queries(0):
        ask(client)


def test_a_database_that_is_away_is_a_fault(client, monkeypatch):
    def fail(*_):
        raise DatabaseError("password=hunter2")

    monkeypatch.setattr(health.connection, "cursor", fail)

    assert faults(client) == ["database: unreachable"]
    assert ask(client).json()["work"] is None


def test_a_broker_that_is_away_is_a_fault(client, monkeypatch):
    def fail():
        raise ConnectionRefusedError

    monkeypatch.setattr(status, "queued_messages", fail)

    assert faults(client) == ["broker: unreachable"]
    assert ask(client).json()["brokerMessages"] is None


@pytest.mark.parametrize("error", [OSError, RuntimeError])
def test_a_store_that_is_away_is_a_fault(client, monkeypatch, error):
    def fail(*_):
        raise error("disk gone")

    monkeypatch.setattr(storages["documents"], "save", fail)

    assert faults(client) == ["document store: unreachable"]


def test_a_mail_server_that_is_away_is_a_fault(client, settings):
    settings.EMAIL_BACKEND = "config.mail.Smtp"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1  # where nobody listens

    assert faults(client) == ["mail server: unreachable"]


def test_a_folder_that_cannot_be_made_is_a_fault(client, files):
    files.write_bytes(b"a file where the folder should be")

    assert faults(client) == ["document store: unreachable"]


def test_the_probe_leaves_no_file(client, files):
    assert ask(client).status_code == 200

    assert list(files.iterdir()) == []
