"""Files without a row wait before they are deleted."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage, storages
from uuid_utils.compat import uuid7

from banking.models import Deployment
from banking.services import deployments, stores
from banking.services.stores import StoreOfAnother
from foundation.privacy import file_rotation
from foundation.privacy.encrypted_storage import walk
from onboarding.models import Document
from onboarding.services.documents import quarantine, sweep
from onboarding.services.privacy import erasure
from tests.factories import NOON

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def store(monkeypatch):
    """Return an empty store of documents, which belongs to this database."""
    store = InMemoryStorage()
    monkeypatch.setitem(vars(storages)["_storages"], "documents", store)
    monkeypatch.setattr(Document.file.field, "storage", store)
    deployments.verify(at=NOON, may_record=True)
    return store


def later(**spans):
    return datetime.now(UTC) + timedelta(minutes=1, **spans)


def put_orphan(store, content=b"x"):
    return store.save(f"leads/{uuid7()}/{uuid7()}", ContentFile(content))


def names(store):
    return sorted([
        *walk(store, "leads"),
        *walk(store, "quarantine"),
    ])  # fmt: skip


def test_a_file_without_a_row_is_moved_and_keeps_its_content(store):
    name = put_orphan(store, b"content")

    sweep.sweep_files(before=later(), is_confirmed=True)

    assert names(store) == [f"quarantine/{name}"]
    assert store.open(f"quarantine/{name}").read() == b"content"


def test_what_waited_for_thirty_days_is_deleted(store):
    put_orphan(store)
    sweep.sweep_files(before=later(), is_confirmed=True)

    early = sweep.sweep_files(before=later(days=29))
    late = sweep.sweep_files(before=later(days=30))

    assert (len(early.purged), len(late.purged)) == (0, 1)
    assert names(store) == []


def test_a_file_that_a_document_lacks_is_put_back_however_long_it_waited(store, make_document):
    document = make_document()
    with document.file.open() as opened:
        content = opened.read()
    quarantine.put_in(document.file.name)

    report = sweep.sweep_files(before=later(days=31))

    assert (report.put_back, report.missing, report.purged) == ([document.file.name], [], [])
    assert names(store) == [document.file.name]
    assert store.open(document.file.name).read() == content


@pytest.mark.parametrize(
    ("orphans", "files", "is_doubtful"),
    [(1, 99, True), (1, 100, False), (100, 10_000, False), (101, 100_000, True)],
)
def test_more_than_one_percent_or_a_hundred_files_are_doubtful(orphans, files, is_doubtful):
    report = sweep.SweepReport(["name"] * orphans, [], [], file_count=files)

    assert bool(report.doubt) == is_doubtful


def test_in_doubt_nothing_is_moved_until_it_is_confirmed(store):
    name = put_orphan(store)

    with pytest.raises(sweep.TooManyOrphans, match=r"^1 of 1 files have no row"):
        sweep.sweep_files(before=later())

    assert names(store) == [name]


def test_a_restored_copy_moves_nothing_and_erases_nobody(store):
    name = put_orphan(store)
    Deployment.objects.update(database_identity="1/2")  # of the database that was dumped

    with pytest.raises(StoreOfAnother):
        sweep.sweep_files(before=later(), is_confirmed=True)
    with pytest.raises(StoreOfAnother):
        list(erasure.erase_unsubmitted(before=NOON, at=NOON))

    assert names(store) == [name]


@pytest.fixture(params=[FileNotFoundError, LookupError])  # S3 has an exception of its own
def faster(request, store, monkeypatch):
    """Let another sweep take each file away just before this one looks at it."""

    def take(name, *_):
        store.delete(name)
        raise request.param(name)

    def run(method):
        monkeypatch.setattr(store, method, take)

    return run


def test_a_file_that_another_sweep_has_moved_is_left_to_it(store, faster):
    name, waiting = put_orphan(store), put_orphan(store)
    quarantine.put_in(waiting)
    faster("open")

    quarantine.put_in(name)
    quarantine.put_back(waiting)

    assert names(store) == []


def test_a_file_that_another_sweep_has_taken_is_not_old(store, faster):
    name = put_orphan(store)
    quarantine.put_in(put_orphan(store))
    faster("get_modified_time")

    report = sweep.sweep_files(before=later(days=31))

    assert (report.orphans, report.purged) == ([], [])
    assert not store.exists(name)


def test_a_store_that_fails_is_no_other_sweep(store, monkeypatch):
    def fail(*_):
        raise OSError("disk gone")

    name = put_orphan(store)
    monkeypatch.setattr(store, "save", fail)

    with pytest.raises(OSError, match="disk gone"):
        sweep.sweep_files(before=later(), is_confirmed=True)

    assert names(store) == [name]


@pytest.fixture
def encrypted(encrypted_disk, settings):
    """Keep documents encrypted in an empty folder, which belongs to this database."""
    stores.claim_empty()
    return storages["documents"]


def test_an_encrypted_file_that_a_killed_process_left_half_is_moved_too(encrypted, encrypted_disk):
    name = put_orphan(encrypted, b"passport" * 20_000)
    half = encrypted_disk / "media" / name
    half.write_bytes(half.read_bytes()[:70_000])

    sweep.sweep_files(before=later(), is_confirmed=True)

    assert names(encrypted) == [f"quarantine/{name}"]


def test_an_encrypted_file_is_read_in_quarantine_and_after_it(encrypted, make_document, settings):
    document = make_document()
    encrypted.delete(document.file.name)
    encrypted.save(document.file.name, ContentFile(b"passport"))
    quarantine.put_in(document.file.name)
    settings.PII_KEYS = f"new:{'4d' * 32},{settings.PII_KEYS}"

    with encrypted.open(f"quarantine/{document.file.name}") as opened:
        assert opened.read() == b"passport"
    outcome = file_rotation.renew(encrypted, f"quarantine/{document.file.name}")
    quarantine.put_back(document.file.name)

    assert outcome == "rewrapped"
    with document.file.open() as opened:
        assert opened.read() == b"passport"
