import pytest
from django.core.files.storage import storages

from onboarding.choices import DocumentStatus as Status
from onboarding.models import Document
from tests.factories import NOON, PDF

DOCUMENTS = "/admin/onboarding/document/"


def test_a_pdf_is_shown_as_what_it_is(make_document, chief):
    document = make_document(file_name="letter.pdf", content_type="text/html")

    response = chief.get(f"{DOCUMENTS}{document.pk}/file/")

    assert b"".join(response.streaming_content) == PDF
    assert response["Content-Type"] == "application/pdf"
    assert response["Content-Disposition"] == 'inline; filename="letter.pdf"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize(
    ("status", "detected_type"),
    [
        (Status.QUARANTINED, "application/pdf"),
        (Status.QUARANTINED, "text/html"),
        (Status.RECEIVED, "text/html"),
        (Status.RECEIVED, "image/svg+xml"),
        (Status.ACCEPTED, ""),
        (Status.REPLACED, "text/html"),
    ],
)
def test_what_could_do_harm_is_only_ever_saved(make_document, chief, status, detected_type):
    document = make_document(status=status, detected_type=detected_type, file_name='a"b\n.html')

    response = chief.get(f"{DOCUMENTS}{document.pk}/file/")

    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"].startswith("attachment;")
    assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("kind", ["image/png", "image/jpeg"])
def test_a_picture_is_shown(make_document, chief, kind):
    response = chief.get(f"{DOCUMENTS}{make_document(detected_type=kind).pk}/file/")

    assert response["Content-Type"] == kind
    assert response["Content-Disposition"].startswith("inline;")


def test_a_pending_document_has_no_file(make_lead, chief):
    document = Document.objects.create(
        lead=make_lead(),
        source_url="https://files.example.com/a.pdf?signature=s3cr3t",
        status=Status.PENDING,
        uploaded_at=NOON,
    )

    assert chief.get(f"{DOCUMENTS}{document.pk}/file/").status_code == 404
    page = chief.get(DOCUMENTS).content.decode()
    assert "From files.example.com" in page
    assert "s3cr3t" not in page


def test_a_file_that_is_gone_is_not_found(make_document, chief):
    document = make_document()
    storages["documents"].delete(document.file.name)

    assert chief.get(f"{DOCUMENTS}{document.pk}/file/").status_code == 404


def test_only_who_may_view_documents_gets_the_file(make_document, make_staff, client):
    page = f"{DOCUMENTS}{make_document().pk}/file/"

    assert make_staff("view_lead", "view_owner").get(page).status_code == 403
    assert make_staff("view_document").get(page).status_code == 200
    assert client.get(page)["Location"].startswith("/admin/login/")


def test_a_file_is_not_sent_to_a_post(make_document, chief):
    assert chief.post(f"{DOCUMENTS}{make_document().pk}/file/").status_code == 405


def test_who_took_a_file_is_logged(make_document, chief, caplog):
    caplog.set_level("INFO", "banking.admin.downloads")
    document = make_document(file_name="letter of ada.pdf")

    chief.get(f"{DOCUMENTS}{document.pk}/file/")

    [line] = [r.getMessage() for r in caplog.records if r.name == "banking.admin.downloads"]
    assert line.startswith("user ")
    assert line.endswith(f" took the file of document {document.external_id}")


def test_what_was_in_quarantine_before_it_was_replaced_is_only_saved(make_document, chief):
    replaced = make_document(status=Status.REPLACED)
    doubted = make_document(status=Status.REPLACED, status_reason="Named as active content: .js.")

    dispositions = [
        chief.get(f"{DOCUMENTS}{one.pk}/file/")["Content-Disposition"].partition(";")[0]
        for one in (replaced, doubted)
    ]

    assert dispositions == ["inline", "attachment"]


def test_staff_see_what_was_replaced_and_whose_it_is(make_document, make_owner, chief):
    owner = make_owner(first_name="Grace", last_name="Hopper", ssn="123456789")
    document = make_document(
        owner.lead, owner=owner, llc_file_type="PASSPORT", status=Status.REPLACED
    )

    for path in ("", f"{document.pk}/change/", f"../lead/{owner.lead.pk}/change/"):
        page = chief.get(f"{DOCUMENTS}{path}".replace("document/../", "")).content.decode()
        assert "Passport" in page
        assert "Grace Hopper" in page
        assert "Replaced by another" in page


def test_without_an_owner_a_document_is_the_applicants(make_document, chief):
    page = chief.get(f"{DOCUMENTS}{make_document().pk}/change/").content.decode()

    assert "The applicant or the business" in page
