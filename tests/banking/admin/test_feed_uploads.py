"""Uploads in the back office: the form, the preview, and the steps."""

import orjson
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from banking.models import Business, FeedBatch, FeedUpload, StaffChange
from banking.services import feed_uploads
from tests import factories
from tests.banking.feed.conftest import BUSINESS
from tests.staff import confirm_change, text_of

ROOT = "/admin/banking/feedupload/"
LINE = {"kind": "businesses", "externalId": "B-1", "version": 1, "data": BUSINESS}
CONTENT = orjson.dumps(LINE) + b"\noops\n"


def upload(client, content=CONTENT, name="records.ndjson", kind=""):
    file = SimpleUploadedFile(name, content)
    return client.post(f"{ROOT}add/", {"file": file, "kind": kind}, follow=True)


def test_an_upload_is_previewed_proposed_and_stored_by_a_second_administrator(chief):
    preview = text_of(upload(chief))
    kept = FeedUpload.objects.get()

    assert "1 created" in text_of(chief.get(ROOT))
    assert "B-1" in preview
    assert "This line is not a JSON object in UTF-8." in preview
    assert not Business.objects.exists()
    proposed = text_of(chief.post(f"{ROOT}{kept.pk}/propose/", follow=True))
    assert "It waits for a second administrator." in proposed
    change = StaffChange.objects.get()
    page = chief.get(f"/admin/banking/staffchange/{change.pk}/change/").content.decode()
    assert f"{ROOT}{kept.pk}/change/" in page
    assert kept.file_digest in page
    confirm_change()
    stored = chief.get(f"{ROOT}{kept.pk}/change/").content.decode()
    assert f"/admin/banking/feedbatch/{FeedBatch.objects.get().pk}/change/" in stored
    assert "/propose/" not in stored
    assert Business.objects.exists()


def test_the_faults_of_a_csv_file_name_row_and_column(chief):
    content = b"externalId,version,createdAt\r\nB-1,1,2/1/2026\r\n"

    page = text_of(upload(chief, content, "businesses.csv", "businesses"))

    assert "createdAt" in page
    assert "/data/createdAt" not in page
    assert "No line of this file would change a record." in page


@pytest.mark.parametrize(
    ("content", "name", "kind", "fault"),
    [
        (b"externalId,version\r\n", "businesses.csv", "", "records of one kind. Choose it"),
        (b"castle\r\n", "businesses.csv", "businesses", "no column “castle”"),
        (b"x\n" * (feed_uploads.MAX_LINES + 1), "records.ndjson", "", "more than 1,000 lines"),
        (b"x" * (feed_uploads.MAX_BYTES + 1), "records.ndjson", "", "more than 2 MB"),
        (b"\n", "records.ndjson", "", "no records"),
        (b"", "records.ndjson", "", "empty"),
        (CONTENT, "records.ndjson", "castles", "valid choice"),
    ],
)
def test_a_wrong_form_keeps_nothing(chief, content, name, kind, fault):
    page = text_of(upload(chief, content, name, kind))

    assert fault in page
    assert not FeedUpload.objects.exists()


def test_a_file_is_discarded(chief):
    upload(chief)
    kept = FeedUpload.objects.get()

    page = text_of(chief.post(f"{ROOT}{kept.pk}/discard/", follow=True))

    assert "The file is discarded." in page
    again = text_of(chief.post(f"{ROOT}{kept.pk}/propose/", follow=True))
    assert "stored already, or the file was deleted" in again
    assert not StaffChange.objects.exists()


def test_the_template_of_a_kind_is_downloaded(chief):
    answer = chief.get(f"{ROOT}templates/merchants.csv")

    assert answer.content == b"externalId,version,removed,name,mcc,website\r\n"
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="merchants.csv"'
    assert chief.get(f"{ROOT}templates/castles.csv").status_code == 404
    assert f"{ROOT}templates/accounts.csv" in chief.get(f"{ROOT}add/").content.decode()


def test_uploading_needs_a_permission_of_its_own(make_staff):
    staff = make_staff("view_feedupload", "change_feedupload", "view_feedbatch")

    assert upload(staff).status_code == 403
    assert "Upload records" not in staff.get("/admin/banking/feedbatch/").content.decode()
    assert not FeedUpload.objects.exists()


@pytest.mark.parametrize("step", ["propose", "discard"])
def test_a_step_needs_the_permission_to_change_uploads(chief, make_staff, step):
    upload(chief)
    kept = FeedUpload.objects.get()
    staff = make_staff("view_feedupload", "add_feedupload")

    assert staff.post(f"{ROOT}{kept.pk}/{step}/").status_code == 403
    assert f"/{step}/" not in staff.get(f"{ROOT}{kept.pk}/change/").content.decode()
    assert chief.get(f"{ROOT}{kept.pk}/{step}/").status_code == 405


def test_an_upload_is_neither_edited_nor_deleted(chief):
    upload(chief)
    kept = FeedUpload.objects.get()

    assert chief.post(f"{ROOT}{kept.pk}/change/", {"kind": "cards"}).status_code == 403
    assert chief.post(f"{ROOT}{kept.pk}/delete/", {"post": "yes"}).status_code == 403


def test_the_list_takes_as_many_statements_for_ten_uploads_as_for_two(count_queries):
    for _ in range(2):
        factories.make_feed_upload()
    few = count_queries(ROOT)

    for _ in range(8):
        factories.make_feed_upload()

    assert count_queries(ROOT) == few
