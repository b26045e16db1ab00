import os
from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, InMemoryStorage, Storage, storages
from django.db import IntegrityError, OperationalError, transaction
from uuid_utils.compat import uuid7

from onboarding.choices import DocumentStatus, LlcFileType, Supplier
from onboarding.errors import ErrorCode
from onboarding.models import Document
from onboarding.services.documents import intake
from onboarding.services.documents.intake import Incoming, SweepReport, TooManyDocuments
from onboarding.uploads import MEMORY_BYTES, StorageUnavailable, Upload, Uploads

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
PDF = b"%PDF-1.7\n"
LARGE = PDF + bytes(MEMORY_BYTES)


class Remote(Storage):
    """A store like S3: no paths, no folders, and it closes what it has read."""

    def __init__(self):
        self.objects = {}

    def _save(self, name, content):
        content.seek(0)
        self.objects[name] = content.read(), datetime.now(UTC)
        content.close()
        return name

    def _open(self, name, mode="rb"):
        return ContentFile(self.objects[name][0], name)

    def exists(self, name):
        return name in self.objects

    def delete(self, name):
        self.objects.pop(name, None)

    def get_modified_time(self, name):
        return self.objects[name][1]

    def listdir(self, path):
        prefix = f"{path}/" if path else ""
        inside = [name for name in self.objects if name.startswith(prefix)]
        found = [name.removeprefix(prefix).partition("/") for name in inside]
        folders = {first for first, slash, _ in found if slash}
        return sorted(folders), [first for first, slash, _ in found if not slash]


@pytest.fixture
def spool(settings, tmp_path):
    settings.DOCUMENT_SPOOL = tmp_path / "spool"
    return settings.DOCUMENT_SPOOL


@pytest.fixture
def keep_in(monkeypatch, spool):
    """Keep documents in the given store."""

    def use(storage):
        monkeypatch.setitem(vars(storages)["_storages"], "documents", storage)
        monkeypatch.setattr(Document.file.field, "storage", storage)

    return use


@pytest.fixture
def disk(keep_in, tmp_path):
    keep_in(FileSystemStorage(tmp_path / "media"))
    return tmp_path / "media"


@pytest.fixture
def memory(keep_in):
    keep_in(InMemoryStorage())


@pytest.fixture
def remote(keep_in):
    keep_in(Remote())


@pytest.fixture(params=["disk", "memory", "remote"])
def any_store(request):
    request.getfixturevalue(request.param)


@pytest.fixture
def own(any_store, own_store):
    """Keep documents in any store, which belongs to this database."""


@pytest.fixture
def uploads():
    uploads = Uploads()
    yield uploads
    uploads.close()


@pytest.fixture
def incoming(uploads):
    """Make a file that is sent."""

    def make(content=PDF, **values):
        upload = uploads.new()
        upload.write(content)
        said = {"content_type": "application/pdf", "file_name": "letter.pdf", **values}
        return Incoming(upload=upload, **said)

    return make


def attach(lead, *sent, then=lambda: None):
    with intake.storing() as store, transaction.atomic():
        attached = write(lead, *sent, store=store)
        then()
    return attached


def write(lead, *sent, store, urls=()):
    return add(lead, sent, urls, store=store).files


def note(lead, *urls):
    """Note URLs and return those that are new."""
    return add(lead, [], urls, store=intake.Store()).new_urls


def add(lead, sent, urls, *, store):
    attachments = intake.attach_documents(
        lead, sent, urls=urls, store=store, supplied_by=Supplier.PARTNER, at=NOON
    )
    intake.save_attachments(attachments)
    return attachments


def fail():
    raise ZeroDivisionError


def files(folder="leads"):
    """Return the names of all stored files."""
    try:
        folders, names = storages["documents"].listdir(folder)
    except FileNotFoundError:
        return []
    inner = [name for one in folders for name in files(f"{folder}/{one}")]
    return sorted([*inner, *(f"{folder}/{name}" for name in names)])


@pytest.mark.parametrize("content", [PDF, LARGE])
def test_a_file_is_stored_with_what_is_known_of_it(any_store, make_lead, incoming, content):
    lead = make_lead()
    sent = incoming(content, llc_file_type=LlcFileType.IRS_EIN_LETTER)

    (attached,) = attach(lead, sent)

    document = Document.objects.get()
    assert attached.document == document
    assert not attached.is_duplicate
    assert document.file.name == f"leads/{lead.external_id}/{document.external_id}"
    with document.file.open() as file:
        assert file.read() == content
    assert document.size_bytes == len(content)
    assert document.sha256 == sent.upload.sha256
    assert document.content_type == document.detected_type == "application/pdf"
    assert document.llc_file_type == LlcFileType.IRS_EIN_LETTER
    assert document.status == DocumentStatus.RECEIVED
    assert document.status_reason == ""
    assert document.supplied_by == Supplier.PARTNER
    assert document.uploaded_at == NOON


def test_a_file_of_the_spool_is_renamed_not_copied(disk, spool, make_lead, incoming):
    sent = incoming(LARGE)
    (waiting,) = spool.iterdir()
    inode = waiting.stat().st_ino

    (attached,) = attach(make_lead(), sent)

    assert (disk / attached.document.file.name).stat().st_ino == inode
    assert list(spool.iterdir()) == []


def test_active_or_contradictory_content_is_quarantined(memory, make_lead, incoming):
    html = incoming(b"<html><script>alert(1)</script></html>")
    png = incoming(b"\x89PNG\r\n\x1a\n" + bytes(20), file_name="b.pdf")

    first, second = attach(make_lead(), html, png)

    assert first.document.status == second.document.status == DocumentStatus.QUARANTINED
    assert first.document.status_reason == "Active content: text/html."
    assert second.document.status_reason == (
        "Declared as application/pdf, but the content is image/png."
    )


def test_the_same_file_is_not_stored_twice(memory, make_lead, incoming):
    lead = make_lead()
    (first,) = attach(lead, incoming())

    again, other_name, twin, other_kind, other_content = attach(
        lead,
        incoming(),
        incoming(file_name="other.pdf"),
        incoming(file_name="other.pdf"),
        incoming(llc_file_type=LlcFileType.PASSPORT),
        incoming(PDF + b"x"),
    )

    assert again.is_duplicate
    assert again.document == first.document
    assert twin.is_duplicate
    assert twin.document is other_name.document
    assert not any(one.is_duplicate for one in (other_name, other_kind, other_content))
    assert Document.objects.count() == len(files()) == 4


def test_two_leads_may_send_the_same_file(memory, make_lead, incoming):
    (first,) = attach(make_lead(), incoming())
    (second,) = attach(make_lead(), incoming())

    assert not second.is_duplicate
    assert first.document.file.name != second.document.file.name


def test_a_lead_has_a_limited_number_of_files(memory, settings, make_lead, incoming):
    settings.DOCUMENTS_MAX_PER_LEAD = 2
    lead = make_lead()
    attach(lead, incoming(), incoming(file_name="b.pdf"))

    with pytest.raises(TooManyDocuments) as caught:
        attach(lead, incoming(file_name="c.pdf"))

    (fault,) = caught.value.faults
    assert fault.code is ErrorCode.TOO_MANY_DOCUMENTS
    assert fault.pointer == "/documentDataList"
    assert fault.params == {"limit": 2}
    assert len(files()) == 2
    assert attach(lead, incoming())[0].is_duplicate


def test_attaching_takes_two_statements_and_nothing_takes_none(
    memory, make_lead, incoming, django_assert_num_queries
):
    lead = make_lead()
    sent = [incoming(file_name=f"{number}.pdf") for number in range(5)]

    with intake.storing() as store, transaction.atomic():
        with django_assert_num_queries(2):
            write(lead, *sent, store=store)
        with django_assert_num_queries(0):
            write(lead, store=store)


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
    def lose_the_answer():
        with intake.storing() as store:
            with transaction.atomic():
                write(make_lead(), incoming(), store=store)
            raise OperationalError

    with pytest.raises(OperationalError):
        lose_the_answer()

    assert files() == [Document.objects.get().file.name]


def test_a_failed_clean_up_does_not_hide_what_failed(memory, make_lead, incoming, monkeypatch):
    def refuse(self, name):
        raise PermissionError

    monkeypatch.setattr(InMemoryStorage, "delete", refuse)

    with pytest.raises(ZeroDivisionError):
        attach(make_lead(), incoming(), then=fail)

    assert len(files()) == 1


def test_urls_are_recorded_once_and_wait(make_lead):
    lead = make_lead()
    urls = ["https://example.com/b.pdf", "https://example.com/a.pdf", "https://example.com/b.pdf"]

    first = note(lead, *urls)
    second = note(lead, *urls, "https://example.com/c.pdf")

    assert (first, second) == (urls[:2], ["https://example.com/c.pdf"])

    recorded = list(lead.documents.order_by("pk"))
    assert [document.source_url for document in recorded] == [
        "https://example.com/b.pdf", "https://example.com/a.pdf", "https://example.com/c.pdf",
    ]  # fmt: skip
    assert {document.status for document in recorded} == {DocumentStatus.PENDING}


def test_a_url_is_to_be_fetched_at_once(make_lead):
    note(make_lead(), "https://example.com/a.pdf")

    document = Document.objects.get()
    assert (document.fetch_due_at, document.fetch_attempts) == (NOON, 0)


def test_a_url_that_failed_starts_anew_when_it_is_sent_again(
    settings, make_lead, django_assert_num_queries
):
    settings.DOCUMENTS_MAX_PER_LEAD = 1
    lead, url = make_lead(), "https://example.com/a.pdf"
    note(lead, url)
    Document.objects.update(
        status=DocumentStatus.NOT_FETCHED,
        status_reason="connection refused",
        fetch_attempts=3,
        fetch_due_at=None,
    )

    with django_assert_num_queries(2):
        assert note(lead, url) == [url]

    document = Document.objects.get()
    assert (document.status, document.status_reason) == (DocumentStatus.PENDING, "")
    assert (document.fetch_due_at, document.fetch_attempts) == (NOON, 0)
    assert note(lead, url) == []


def test_files_and_urls_take_two_statements_and_nothing_takes_none(
    memory, make_lead, incoming, django_assert_num_queries
):
    lead = make_lead()

    with intake.storing() as store, django_assert_num_queries(2):
        write(lead, incoming(), urls=["https://example.com/a", "https://b.example"], store=store)
    with django_assert_num_queries(0):
        note(lead)


def test_urls_count_among_the_files(settings, make_lead):
    settings.DOCUMENTS_MAX_PER_LEAD = 1
    lead = make_lead()
    note(lead, "https://example.com/a")

    with pytest.raises(TooManyDocuments) as caught:
        note(lead, "https://example.com/b")

    assert caught.value.faults[0].pointer == "/documentUrls"
    assert note(lead, "https://example.com/a") == []


def test_what_an_inner_block_wrote_goes_with_the_outer_one(any_store, make_lead, incoming):
    lead = make_lead()

    def attach_and_fail():
        with intake.storing(), transaction.atomic():
            attach(lead, incoming())
            fail()

    with pytest.raises(ZeroDivisionError):
        attach_and_fail()

    assert files() == []


def test_a_rehearsal_writes_nothing(any_store, make_lead, incoming):
    with transaction.atomic():
        (attached,) = write(make_lead(), incoming(), store=intake.Rehearsal())

    assert attached.document.file.name
    assert files() == []


def crash(lead, *sent):
    """Write the files and die before the commit: nobody cleans up."""
    with transaction.atomic():
        write(lead, *sent, store=intake.Store())
        transaction.set_rollback(True)


def soon():
    return datetime.now(UTC) + timedelta(minutes=1)


def test_after_a_crash_the_sweep_moves_files_without_a_row(own, make_lead, incoming):
    lead = make_lead()
    attach(lead, incoming())
    crash(lead, incoming(PDF + b"2"), incoming(LARGE))
    kept = Document.objects.get().file.name
    orphans = sorted(set(files()) - {kept})

    report = intake.sweep(before=soon(), is_confirmed=True)

    assert sorted(report.orphans) == orphans
    assert len(orphans) == 2
    assert report.missing == []
    assert files() == [kept]
    assert intake.sweep(before=soon()) == SweepReport([], [], [])


def test_a_dry_run_deletes_nothing(disk, spool, make_lead, incoming):
    crash(make_lead(), incoming())
    waiting = Uploads().new()
    waiting.write(LARGE)

    report = intake.sweep(before=soon(), dry_run=True)

    assert len(report.orphans) == len(report.stale_uploads) == 1
    assert len(files()) == len(list(spool.iterdir())) == 1
    waiting.close()


def test_what_running_requests_may_need_is_spared(own, make_lead, incoming):
    crash(make_lead(), incoming(), incoming(LARGE))
    incoming(LARGE)

    report = intake.sweep(before=datetime.now(UTC) - timedelta(minutes=1))

    assert report == SweepReport([], [], [])
    assert len(files()) == 2


def test_stale_uploads_are_deleted_and_other_files_are_not(own_store, spool, incoming):
    incoming(LARGE)
    (waiting,) = spool.iterdir()
    os.utime(waiting, (NOON.timestamp(), NOON.timestamp()))
    stranger = spool / "notes.txt"
    stranger.touch()
    os.utime(stranger, (0, 0))

    assert intake.sweep(before=NOON).stale_uploads == []
    assert intake.sweep(before=NOON + timedelta(seconds=1)).stale_uploads == [waiting.name]
    assert list(spool.iterdir()) == [stranger]


def test_a_document_without_its_file_is_reported(own, make_lead, incoming):
    lead = make_lead()
    lost, _ = attach(lead, incoming(), incoming(PDF + b"2"))
    note(lead, "https://example.com/a")
    storages["documents"].delete(lost.document.file.name)

    assert intake.sweep(before=soon()).missing == [lost.document.external_id]


def test_files_that_were_not_written_for_a_document_are_left_alone(memory, own_store, make_lead):
    storages["documents"].save("leads/readme.txt", ContentFile(b"by hand"))

    assert intake.sweep(before=soon()).orphans == []


def test_many_files_are_looked_up_in_few_statements(
    memory, make_lead, incoming, monkeypatch, django_assert_num_queries
):
    monkeypatch.setattr(intake, "BATCH", 2)
    crash(make_lead(), *(incoming(file_name=f"{number}.pdf") for number in range(5)))

    with django_assert_num_queries(4):  # three batches, and the documents
        assert len(intake.sweep(before=soon(), dry_run=True).orphans) == 5
