"""A sweep of a bucket, in which each lead has a folder."""

from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from uuid_utils.compat import uuid7

from banking.services import deployments
from onboarding.models import Document
from onboarding.services.documents import sweep
from tests.factories import NOON

LEADS = 5


@pytest.fixture
def storage(db, bucket, monkeypatch):
    """Keep documents in a bucket of this database's deployment."""
    storage = bucket("bank", label="media")
    monkeypatch.setitem(vars(storages)["_storages"], "documents", storage)
    monkeypatch.setattr(Document.file.field, "storage", storage)
    deployments.verify(at=NOON, may_record=True)
    return storage


@pytest.fixture
def requests(storage):
    """Return the operations that the bucket is asked for."""
    made = []
    events = storage.store.connection.meta.client.meta.events
    events.register("before-call.s3", lambda model, **_: made.append(model.name))
    return made


def put_orphan(storage):
    return storage.save(f"leads/{uuid7()}/{uuid7()}", ContentFile(b"x"))


def sweep_later(**options):
    return sweep.sweep_files(before=datetime.now(UTC) + timedelta(minutes=1), **options)


def test_the_files_of_all_leads_are_found(storage, make_document):
    kept = [make_document().file.name for _ in range(LEADS)]
    orphans = [put_orphan(storage) for _ in range(LEADS)]

    report = sweep_later(is_confirmed=True)

    assert sorted(report.orphans) == sorted(orphans)
    assert (report.missing, report.file_count) == ([], 2 * LEADS)
    assert all(storage.exists(name) for name in kept)
    assert all(storage.exists(f"quarantine/{name}") for name in orphans)


def test_a_folder_and_a_document_cost_no_request_of_their_own(storage, make_document, requests):
    for _ in range(LEADS):
        make_document()
    requests.clear()

    report = sweep_later(dry_run=True)

    assert report.file_count == LEADS
    assert len(requests) == 2, requests  # documents and quarantine


def test_a_document_whose_file_arrived_after_the_list_is_not_missing(storage, make_document):
    document = make_document()

    with patch.object(sweep, "walk", lambda *_: iter([])):
        report = sweep_later(dry_run=True)

    assert report.missing == []
    storage.delete(document.file.name)
    assert sweep_later(dry_run=True).missing == [document.external_id]
