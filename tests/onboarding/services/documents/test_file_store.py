"""Files that are written in a transaction go if it fails."""

from datetime import UTC, datetime

import pytest
from django.core.files.storage import InMemoryStorage
from django.db import IntegrityError, transaction
from uuid_utils.compat import uuid7

from onboarding.models import Document
from onboarding.services.documents.file_store import DryRunFileStore, FileStore
from onboarding.uploads import MEMORY_BYTES, StorageUnavailable, Upload
from tests.onboarding.services.documents.attaching import attach, fail, files, write

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
PDF = b"%PDF-1.7\n"
LARGE = PDF + bytes(MEMORY_BYTES)


@pytest.mark.parametrize("content", [PDF, LARGE])
def test_a_failure_before_the_commit_leaves_no_file(any_store, make_lead, incoming, content):
    lead = make_lead()
    attach(lead, incoming())

    with pytest.raises(ZeroDivisionError):
        attach(lead, incoming(content, file_name="new.pdf"), then=fail)

    assert files() == [Document.objects.get().file.name]


def test_a_row_that_the_database_refuses_leaves_no_file(memory, make_lead, incoming):
    lead = make_lead()

    def insert_once_more():
        document = Document.objects.get()
        document.pk, document.external_id = None, uuid7()
        document.save(force_insert=True)

    with pytest.raises(IntegrityError):
        attach(lead, incoming(), then=insert_once_more)

    assert files() == []
    assert not Document.objects.exists()


def test_a_write_that_fails_halfway_leaves_no_file(disk, make_lead, incoming, monkeypatch):
    lead = make_lead()
    broken = incoming(PDF + b"2", file_name="2.pdf")
    monkeypatch.setattr(Upload, "as_file", breaking(Upload.as_file, broken.upload))

    with pytest.raises(StorageUnavailable):
        attach(lead, incoming(), broken)

    assert files() == []
    assert not Document.objects.exists()


def breaking(as_file, upload):
    def as_broken_file(self):
        file = as_file(self)
        if self is upload:
            file.chunks = half_of
        return file

    def half_of():
        yield b"half"
        raise OSError("disk full")

    return as_broken_file


def test_a_commit_that_only_seems_to_fail_keeps_its_files(memory, make_lead, incoming):
    store = FileStore()
    with transaction.atomic():
        write(make_lead(), incoming(), store=store)

    store.discard()

    assert files() == [Document.objects.get().file.name]


def test_a_failed_clean_up_does_not_hide_what_failed(memory, make_lead, incoming, monkeypatch):
    def refuse(self, name):
        raise PermissionError

    monkeypatch.setattr(InMemoryStorage, "delete", refuse)

    with pytest.raises(ZeroDivisionError):
        attach(make_lead(), incoming(), then=fail)

    assert len(files()) == 1


def test_a_rehearsal_writes_nothing(any_store, make_lead, incoming):
    with transaction.atomic():
        (attached,) = write(make_lead(), incoming(), store=DryRunFileStore())

    assert attached.document.file.name
    assert files() == []
