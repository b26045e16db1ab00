"""The sweep finds files without rows and rows without files."""

import os
from datetime import UTC, datetime, timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import transaction

from foundation.privacy.file_rotation import PART_PREFIX
from onboarding.models import Document
from onboarding.services.documents import file_store, sweep
from onboarding.services.documents.file_store import FileStore
from onboarding.services.documents.sweep import SweepReport
from onboarding.uploads import MEMORY_BYTES, Uploads
from tests.onboarding.services.documents.attaching import attach, files, note, write

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
PDF = b"%PDF-1.7\n"
LARGE = PDF + bytes(MEMORY_BYTES)


def crash(lead, *sent):
    """Write the files and die before the commit: nobody cleans up."""
    with transaction.atomic():
        write(lead, *sent, store=FileStore())
        transaction.set_rollback(True)


def soon():
    return datetime.now(UTC) + timedelta(minutes=1)


def test_after_a_crash_the_sweep_moves_files_without_a_row(own, make_lead, incoming):
    lead = make_lead()
    attach(lead, incoming())
    crash(lead, incoming(PDF + b"2"), incoming(LARGE))
    kept = Document.objects.get().file.name
    orphans = sorted(set(files()) - {kept})

    report = sweep.sweep_files(before=soon(), is_confirmed=True)

    assert sorted(report.orphans) == orphans
    assert len(orphans) == 2
    assert report.missing == []
    assert files() == [kept]
    assert sweep.sweep_files(before=soon()) == SweepReport([], [], [])


def test_a_dry_run_deletes_nothing(disk, spool, make_lead, incoming):
    crash(make_lead(), incoming())
    waiting = Uploads().new()
    waiting.write(LARGE)

    report = sweep.sweep_files(before=soon(), dry_run=True)

    assert len(report.orphans) == len(report.stale_uploads) == 1
    assert len(files()) == len(list(spool.iterdir())) == 1
    waiting.close()


def test_what_running_requests_may_need_is_spared(own, make_lead, incoming):
    crash(make_lead(), incoming(), incoming(LARGE))
    incoming(LARGE)

    report = sweep.sweep_files(before=datetime.now(UTC) - timedelta(minutes=1))

    assert report == SweepReport([], [], [])
    assert len(files()) == 2


def test_copies_of_an_interrupted_change_of_keys_are_deleted(encrypted_disk, own_store):
    copy = f"leads/1/{PART_PREFIX}x"
    storages["documents"].store.save(copy, ContentFile(PDF))

    sweep.sweep_files(before=datetime.now(UTC) - timedelta(minutes=1))
    assert storages["documents"].exists(copy)
    sweep.sweep_files(before=soon())
    assert not storages["documents"].exists(copy)


def test_stale_uploads_are_deleted_and_other_files_are_not(own_store, spool, incoming):
    incoming(LARGE)
    (waiting,) = spool.iterdir()
    os.utime(waiting, (NOON.timestamp(), NOON.timestamp()))
    stranger = spool / "notes.txt"
    stranger.touch()
    os.utime(stranger, (0, 0))

    assert sweep.sweep_files(before=NOON).stale_uploads == []
    assert sweep.sweep_files(before=NOON + timedelta(seconds=1)).stale_uploads == [waiting.name]
    assert list(spool.iterdir()) == [stranger]


def test_a_document_without_its_file_is_reported(own, make_lead, incoming):
    lead = make_lead()
    lost, _ = attach(lead, incoming(), incoming(PDF + b"2"))
    note(lead, "https://example.com/a")
    storages["documents"].delete(lost.document.file.name)

    assert sweep.sweep_files(before=soon()).missing == [lost.document.external_id]


def test_files_that_were_not_written_for_a_document_are_left_alone(memory, own_store, make_lead):
    storages["documents"].save("leads/readme.txt", ContentFile(b"by hand"))

    assert sweep.sweep_files(before=soon()).orphans == []


def test_many_files_are_looked_up_in_few_statements(
    memory, make_lead, incoming, monkeypatch, django_assert_num_queries
):
    monkeypatch.setattr(file_store, "BATCH_SIZE", 2)
    crash(make_lead(), *(incoming(file_name=f"{number}.pdf") for number in range(5)))

    with django_assert_num_queries(4):  # three batches, and the documents
        assert len(sweep.sweep_files(before=soon(), dry_run=True).orphans) == 5
