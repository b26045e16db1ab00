"""What the tests of services build on, beside rows."""

import pytest
from django.core.files.storage import FileSystemStorage, storages

from onboarding.event_types import EventType
from onboarding.models import Document
from onboarding.services.events import publications
from onboarding.services.leads import registration
from onboarding.services.webhooks import posting
from tests.factories import NOON
from tests.onboarding.services.file_stores import write
from tests.onboarding.services.leads.values import EMAIL
from tests.onboarding.services.receiving import Receiver


@pytest.fixture
def stored_files(monkeypatch, tmp_path):
    """Keep documents on disk, and return a function that lists their files."""
    disk = FileSystemStorage(tmp_path / "media")
    monkeypatch.setitem(vars(storages)["_storages"], "documents", disk)
    monkeypatch.setattr(Document.file.field, "storage", disk)
    return lambda: [path for path in (tmp_path / "media").rglob("*") if path.is_file()]


@pytest.fixture
def receiver(monkeypatch, settings):
    settings.RETRY_JITTER = 0
    settings.RETRY_DELAYS = [0, 60, 180, 600, 1800]
    receiver = Receiver()
    monkeypatch.setattr(posting, "post", receiver.post)
    return receiver


@pytest.fixture
def happen(make_event):
    """Write events down and publish them."""

    def happen(application, count=1, *, at=NOON):
        events = [make_event(application, EventType.STARTED, at=at) for _ in range(count)]
        publications.publish(at=at)
        return events

    return happen


@pytest.fixture
def application(make_application, make_lead, make_webhook):
    webhook = make_webhook()
    return make_application(make_lead(webhook.partner))


@pytest.fixture
def webhook(application):
    return application.lead.partner.webhooks.get()


@pytest.fixture
def partner(make_partner):
    return make_partner()


@pytest.fixture
def create(partner):
    def create(*, at=NOON, **details):
        return write(
            registration.create_lead, partner=partner, details={"email": EMAIL, **details}, at=at
        )

    return create
