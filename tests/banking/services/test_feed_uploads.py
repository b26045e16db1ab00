"""Uploads of the record feed: what is previewed is stored, by two people, or nothing is."""

import io
from datetime import timedelta

import orjson
import pytest

from banking.feed.csv_files import Unreadable
from banking.models import Business, FeedBatch, FeedUpload, StaffChange, StaffEvent
from banking.models.stored_files import file_storage
from banking.services import feed_uploads, staff_changes
from banking.services.feed_uploads import (
    AlreadyProposed,
    NothingToStore,
    PreviewOutdated,
    ResultsDiffer,
    Unsuitable,
    UploadEnded,
)
from banking.services.staff_changes import ChangeVoid, OwnChange
from foundation.privacy.encrypted_files import UnreadableFile
from tests.banking.feed.conftest import BILL, BUSINESS
from tests.factories import NOON, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_store")]
SUPPLIER = {"business": "B-1", "name": "Mill Co", "createdAt": "2026-01-05T10:00:00Z"}
LATER = NOON + timedelta(hours=1)


def business_line(external_id, version=1, **data):
    line = {"kind": "businesses", "externalId": external_id, "version": version}
    return orjson.dumps(line | {"data": BUSINESS | data}) + b"\n"


CONTENT = business_line("B-1") + b"oops\n" + business_line("B-2")


@pytest.fixture
def rosa():
    return make_user(email="rosa@example.com", user_type="STAFF")


@pytest.fixture
def sam():
    return make_user(email="sam@example.com", user_type="STAFF")


@pytest.fixture
def keep(rosa):
    """Return a function that previews a file and keeps it."""

    def keep(content=CONTENT, name="records.ndjson", kind=""):
        outcomes = feed_uploads.try_out(io.BytesIO(content), name, kind, at=NOON)
        return feed_uploads.keep(content, name, kind, outcomes, by=rosa, at=NOON)

    return keep


def file_of(upload):
    upload.refresh_from_db()
    return file_storage().exists(f"feed-uploads/{upload.external_id}")


def test_a_preview_says_what_would_happen_and_stores_nothing(keep):
    upload = keep()

    results = [orjson.loads(line) for line in feed_uploads.read_results(upload).splitlines()]
    assert upload.counts == {"created": 2, "refused": 1}
    assert [one["result"] for one in results] == ["created", "refused", "created"]
    assert not Business.objects.exists()
    assert not FeedBatch.objects.exists()


def test_the_file_is_encrypted_in_the_store(keep):
    upload = keep()

    with file_storage().store.open(upload.file.name) as stored:
        assert b"Harbor" not in stored.read()
    with upload.file.open("rb") as opened:
        assert opened.read() == CONTENT


def test_a_second_administrator_stores_what_was_previewed(keep, rosa, sam):
    upload = keep()

    change = feed_uploads.propose(upload, by=rosa, at=NOON)
    assert not Business.objects.exists()
    staff_changes.confirm(change, by=sam, at=LATER)

    upload.refresh_from_db()
    batch = FeedBatch.objects.get()
    assert Business.objects.count() == 2
    assert (upload.batch, batch.external_id) == (batch, upload.external_id)
    assert (batch.source, batch.sent_by, batch.sender) == ("UPLOAD", rosa, "records.ndjson")
    assert (batch.counts, batch.finished_at) == ({"created": 2, "refused": 1}, LATER)
    assert batch.file_digest == upload.file_digest
    said = StaffEvent.objects.get(type="CONFIRMED").details["summary"]
    assert said[0] == "Store the records of records.ndjson (several kinds): 2 created, 1 refused."
    assert said[1].endswith(upload.file_digest)
    assert said[2].endswith(str(batch.external_id))


def test_nobody_confirms_their_own_upload(keep, rosa):
    change = feed_uploads.propose(keep(), by=rosa, at=NOON)

    with pytest.raises(OwnChange):
        staff_changes.confirm(change, by=rosa, at=LATER)

    assert not Business.objects.exists()


def test_a_csv_file_of_one_kind_is_stored_likewise(keep, rosa, sam):
    header, cells = ",".join(["externalId", "version", *BUSINESS]), ",".join(BUSINESS.values())
    upload = keep(f"{header}\r\nB-1,1,{cells}\r\n".encode(), "businesses.csv", "businesses")

    staff_changes.confirm(feed_uploads.propose(upload, by=rosa, at=NOON), by=sam, at=LATER)

    assert Business.objects.get().legal_name == BUSINESS["legalName"]
    assert FeedBatch.objects.get().kind == "businesses"


def test_records_that_changed_before_the_proposal_are_previewed_anew(keep, rosa, feed):
    upload = keep()
    feed(business_line("B-1"))

    with pytest.raises(PreviewOutdated):
        feed_uploads.propose(upload, by=rosa, at=LATER)

    upload.refresh_from_db()
    assert upload.counts == {"unchanged": 1, "refused": 1, "created": 1}
    assert not StaffChange.objects.exists()
    assert feed_uploads.propose(upload, by=rosa, at=LATER)


def test_records_that_changed_after_the_proposal_void_it(keep, rosa, sam, feed):
    """Also where the results would be the same: the second administrator saw other records."""
    feed(business_line("B-1"), business_line("B-2"))
    upload = keep(business_line("B-1", 5, legalName="Newest LLC"))
    change = feed_uploads.propose(upload, by=rosa, at=NOON)
    feed(business_line("B-1", 3, legalName="Newer LLC"))

    with pytest.raises(ChangeVoid):
        staff_changes.confirm(change, by=sam, at=LATER)

    assert Business.objects.filter(legal_name="Newer LLC").exists()
    upload.refresh_from_db()
    assert (upload.batch, upload.change.status) == (None, "VOIDED")
    assert feed_uploads.propose(upload, by=rosa, at=LATER)


def test_other_results_than_those_of_the_preview_store_nothing(keep, rosa, sam, feed, line):
    """For instance of a record that refers to a row which was deleted without the feed."""
    feed(business_line("B-1"), line("suppliers", "S-1", **SUPPLIER))
    bill = orjson.dumps(line("bills", "L-1", **BILL))
    change = feed_uploads.propose(keep(bill), by=rosa, at=NOON)
    feed(line("suppliers", "S-1", 2) | {"removed": True, "data": None})

    with pytest.raises(ResultsDiffer):
        staff_changes.confirm(change, by=sam, at=LATER)

    change.refresh_from_db()
    assert change.status == "OPEN"
    assert not FeedBatch.objects.filter(source="UPLOAD").exists()
    assert not FeedUpload.objects.get().batch


def test_another_content_than_the_uploaded_is_not_proposed_under_its_sha_256(keep, rosa):
    upload = keep()
    file_storage().delete(upload.file.name)
    file_storage().save(upload.file.name, io.BytesIO(CONTENT.replace(b"Harbor", b"Harbur")))

    with pytest.raises(UnreadableFile):
        feed_uploads.propose(upload, by=rosa, at=NOON)

    assert not StaffChange.objects.exists()


def test_another_content_of_the_stored_file_voids_the_proposal(keep, rosa, sam):
    upload = keep()
    change = feed_uploads.propose(upload, by=rosa, at=NOON)
    file_storage().delete(upload.file.name)
    file_storage().save(upload.file.name, io.BytesIO(business_line("B-9")))

    with pytest.raises(ChangeVoid):
        staff_changes.confirm(change, by=sam, at=LATER)

    assert not Business.objects.exists()


def test_an_upload_is_proposed_once_at_a_time_and_stored_once(keep, rosa, sam):
    upload = keep()
    change = feed_uploads.propose(upload, by=rosa, at=NOON)

    with pytest.raises(AlreadyProposed):
        feed_uploads.propose(upload, by=sam, at=NOON)
    staff_changes.reject(change, by=sam, at=NOON)
    change = feed_uploads.propose(upload, by=rosa, at=NOON)
    staff_changes.confirm(change, by=sam, at=LATER)

    with pytest.raises(UploadEnded):
        feed_uploads.propose(upload, by=rosa, at=LATER)


def test_a_file_that_changes_nothing_is_not_proposed(keep, rosa, feed):
    feed(business_line("B-1"))

    with pytest.raises(NothingToStore):
        feed_uploads.propose(keep(business_line("B-1")), by=rosa, at=NOON)


def test_a_discarded_file_cannot_be_stored(keep, rosa, sam):
    upload = keep()
    change = feed_uploads.propose(upload, by=rosa, at=NOON)
    feed_uploads.discard(upload, at=NOON)

    with pytest.raises(ChangeVoid):
        staff_changes.confirm(change, by=sam, at=LATER)
    with pytest.raises(UploadEnded):
        feed_uploads.propose(upload, by=rosa, at=LATER)
    with pytest.raises(UploadEnded):
        feed_uploads.discard(upload, at=LATER)


def test_files_are_deleted_when_they_are_no_longer_needed(keep, rosa, sam):
    stored, discarded, kept = keep(), keep(), keep(b"oops")
    staff_changes.confirm(feed_uploads.propose(stored, by=rosa, at=NOON), by=sam, at=LATER)
    feed_uploads.discard(discarded, at=LATER)

    assert feed_uploads.delete_files(at=LATER) == 2
    assert [file_of(one) for one in (stored, discarded, kept)] == [False, False, True]
    assert feed_uploads.delete_files(at=NOON + feed_uploads.LIFETIME) == 1
    assert not FeedUpload.objects.exclude(file="").exists()


def test_a_confirmation_after_the_deletion_of_the_file_is_void(keep, rosa, sam):
    change = feed_uploads.propose(keep(), by=rosa, at=NOON)
    feed_uploads.delete_files(at=NOON + feed_uploads.LIFETIME)

    with pytest.raises(ChangeVoid):
        staff_changes.confirm(change, by=sam, at=NOON + feed_uploads.LIFETIME)


@pytest.mark.parametrize(
    ("content", "name", "error"),
    [
        (b"", "records.ndjson", Unsuitable),
        (b"\n\n", "records.ndjson", Unsuitable),
        (b"x\n" * (feed_uploads.MAX_LINES + 1), "records.ndjson", Unsuitable),
        (b"externalId,version\r\n", "businesses.csv", Unsuitable),
        (b"castle\r\n", "businesses.csv", Unreadable),
    ],
)
def test_a_file_that_cannot_be_taken_is_refused(content, name, error):
    with pytest.raises(error):
        feed_uploads.try_out(io.BytesIO(content), name, "businesses", at=NOON)
