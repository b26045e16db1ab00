"""Upload: all or nothing, and nothing twice."""

import hashlib

import pytest
from django.core.files.storage import storages

from onboarding import tasks
from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import EventType
from onboarding.models import Application, Document, Event
from tests.clamd import EICAR, EICAR_PDF
from tests.factories import PDF, PNG, document_data
from tests.onboarding.conftest import codes
from tests.pdf_files import make_pdf


@pytest.fixture
def upload(api):
    customer_id = api.create(businessType="LLC")["customerId"]

    def upload(*documents, **headers):
        return api.put(
            f"lead/{customer_id}/upload", {"documentDataList": list(documents)}, **headers
        )

    upload.customer_id = customer_id
    return upload


def test_a_document_is_stored_as_it_was_sent(upload):
    response = upload(document_data(llcFileType="SS4_DOCUMENT"))

    assert response.status_code == 200, response.content
    answer = response.json()
    assert answer["customerId"] == upload.customer_id
    assert answer["status"] == "CREATED"
    document = answer["documents"][0]
    stored = Document.objects.get()
    assert document == {
        "documentId": str(stored.external_id),
        "fileName": "letter.pdf",
        "contentType": "application/pdf",
        "llcFileType": "SS4_DOCUMENT",
        "sizeBytes": len(PDF),
        "sha256": hashlib.sha256(PDF).hexdigest(),
        "status": "RECEIVED",
        "rejectedReason": None,
        "duplicate": False,
        "uploadedAt": document["uploadedAt"],
    }
    with storages["documents"].open(stored.file.name) as file:
        assert file.read() == PDF


@pytest.mark.parametrize(
    ("content", "declared", "status"),
    [
        (PDF, {}, "RECEIVED"),
        (EICAR_PDF, {}, "QUARANTINED"),
        (EICAR, {"fileName": "eicar.txt", "contentType": "text/plain"}, "QUARANTINED"),
    ],
)
def test_a_document_is_pending_until_it_is_scanned(upload, scanner, content, declared, status):
    sent = upload(document_data(content, llcFileType="SS4_DOCUMENT", **declared)).json()
    events = Event.objects.filter(type=EventType.DOCUMENT_RECEIVED)
    before = events.count()

    tasks.sweep()

    assert sent["documents"][0]["status"] == "PENDING"
    assert "EIN_PROOF_MISSING" not in [one["code"] for one in sent["requirements"]]
    assert (before, events.count()) == (0, 1)
    assert Document.objects.get().status == status


def test_what_was_sent_is_no_longer_required(upload):
    first = upload(document_data(llcFileType="SS4_DOCUMENT")).json()
    second = upload(document_data(llcFileType="ARTICLES_OF_ORGANIZATION")).json()

    def wanted(answer):
        return [item["code"] for item in answer["requirements"] if item["kind"] == "DOCUMENT"]

    assert wanted(first) == ["ARTICLES_OF_ORGANIZATION_MISSING"]
    assert wanted(second) == []


def test_the_same_upload_again_stores_nothing(upload):
    first = upload(document_data(), document_data(PNG, fileName="a.png", contentType="image/png"))
    again = upload(document_data(), document_data(PNG, fileName="a.png", contentType="image/png"))

    assert [item["duplicate"] for item in again.json()["documents"]] == [True, True]
    assert [item["documentId"] for item in again.json()["documents"]] == [
        item["documentId"] for item in first.json()["documents"]
    ]
    assert Document.objects.count() == 2


def test_one_bad_document_refuses_all(upload):
    response = upload(
        document_data(), document_data(fileName="../x"), document_data(content="a"), {}
    )

    assert response.status_code == 400
    assert codes(response) == {
        "/documentDataList/1/fileName": "INVALID_FILE_NAME",
        "/documentDataList/2/content": "INVALID_BASE64",
        "/documentDataList/3/content": "REQUIRED_FIELD_MISSING",
        "/documentDataList/3/contentType": "REQUIRED_FIELD_MISSING",
        "/documentDataList/3/fileName": "REQUIRED_FIELD_MISSING",
    }
    assert not Document.objects.exists()


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"documentDataList": []}, "DOCUMENT_LIST_EMPTY"),
        ({"documentDataList": None}, "REQUIRED_FIELD_MISSING"),
        ({}, "REQUIRED_FIELD_MISSING"),
        ({"documentDataList": {}}, "INVALID_TYPE"),
        ({"documentDataList": [document_data()] * 11}, "TOO_MANY_DOCUMENTS"),
    ],
)
def test_the_list_has_one_to_ten_documents(api, upload, body, code):
    response = api.put(f"lead/{upload.customer_id}/upload", body)

    assert response.status_code == 400
    assert codes(response) == {"/documentDataList": code}


def test_a_lead_has_at_most_so_many_documents(upload, settings):
    settings.DOCUMENTS_MAX_PER_LEAD = 2
    assert upload(document_data(), document_data(fileName="b.pdf")).status_code == 200

    response = upload(document_data(fileName="c.pdf"))

    assert response.status_code == 400
    assert codes(response) == {"/documentDataList": "TOO_MANY_DOCUMENTS"}


@pytest.mark.parametrize("size", [200_000, 400_000])
def test_a_document_of_the_limit_is_taken_and_a_larger_one_refused(upload, settings, size):
    settings.DOCUMENT_MAX_BYTES = size
    fits = upload(document_data(PDF.ljust(size, b"a"), fileName="fits.pdf"))

    over = upload(
        document_data(PDF.ljust(size + 1, b"a"), fileName="over.pdf"),
        document_data(content="", fileName="empty.pdf"),
    )

    assert fits.status_code == 200, fits.content
    assert codes(over) == {
        "/documentDataList/0/content": "DOCUMENT_TOO_LARGE",
        "/documentDataList/1/content": "DOCUMENT_EMPTY",
    }
    assert not list(settings.DOCUMENT_SPOOL.glob("*"))


def test_active_content_is_quarantined(upload):
    page = document_data(b"<html><script>alert(1)</script>", fileName="a.pdf")

    assert upload(page).json()["documents"][0]["status"] == "QUARANTINED"
    assert [item["kind"] for item in upload(page).json()["requirements"]].count("DOCUMENT") == 2


@pytest.mark.parametrize(
    ("file_name", "content"),
    [
        ("form.pdf", make_pdf(b"<< /S /JavaScript /JS (evil) >>", is_compressed=True)),
        ("a.txt", b"padding " * 100_000 + b"<script>alert(1)</script>"),
        ("a.html::$DATA", b"plain"),
    ],
)
def test_active_content_anywhere_in_a_file_is_quarantined(upload, file_name, content):
    sent = document_data(content, fileName=file_name, contentType="application/octet-stream")

    assert upload(sent).json()["documents"][0]["status"] == "QUARANTINED"


def test_a_submitted_application_takes_documents_and_a_closed_one_does_not(upload):
    Application.objects.update(status=Status.DOCUMENTS_REQUIRED)
    assert upload(document_data()).status_code == 200

    Application.objects.update(status=Status.DENIED)
    assert codes(upload(document_data(PNG))) == {None: "APPLICATION_CLOSED"}


def test_nothing_is_stored_when_the_transaction_fails(upload, monkeypatch):
    def fail(*_args, **_options):
        raise RuntimeError("the power went")

    monkeypatch.setattr(Document.objects, "bulk_create", fail)

    response = upload(document_data())

    assert response.status_code == 500
    assert codes(response) == {None: "INTERNAL_ERROR"}
    files = storages["documents"].listdir(f"leads/{upload.customer_id}")[1]
    assert files == []
