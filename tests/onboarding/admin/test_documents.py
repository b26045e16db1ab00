"""Documents: opened by a button, logged each time, and never by a link alone."""

import base64
import html
import io
import re
from datetime import timedelta

import pytest
from django.core.files.storage import storages
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from banking.models import User
from foundation.privacy import aws_kms
from foundation.privacy.encrypted_files import make_header
from onboarding.admin import file_tokens
from onboarding.admin.document_pages import page_number
from onboarding.choices import DocumentStatus as Status
from onboarding.event_types import EventType
from onboarding.models import Document
from tests.factories import NOON, PDF, make_application, make_lead
from tests.pdf_files import make_pdf

DOCUMENTS = "/admin/onboarding/document/"
BOMB = make_pdf(drawing=bytes(1_000_000), times=2000)


def two_pages():
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=(200, 100))
    for text in ("one", "two"):
        canvas.drawString(10, 50, text)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


TWO_PAGES = two_pages()


@pytest.fixture
def make_filed(make_document):
    """Return documents of leads that have an application, as leads do."""

    def make(**values):
        lead = make_lead()
        make_application(lead)
        return make_document(lead, **values)

    return make


def path_of(document, page):
    return f"{DOCUMENTS}{document.pk}/{page}/"


def drawn_in(page):
    """Return the picture on a page."""
    data = re.search(r'src="data:image/png;base64,([^"]+)"', page)[1]
    return Image.open(io.BytesIO(base64.b64decode(data)))


def fetch(client, document, **sent):
    """Open a document as its button does and go where that leads."""
    opened = client.post(path_of(document, "open"), sent)
    return client.get(opened["Location"]) if opened.status_code == 303 else opened


def test_a_pdf_is_shown_as_a_picture_of_each_page(make_filed, chief):
    document = make_filed(file_name="letter.pdf", content=TWO_PAGES)

    response = fetch(chief, document)

    page = response.content.decode()
    assert "Page 1 of 2" in page
    assert drawn_in(page).size == (1400, 700)
    assert 'alt="Page 1 of letter.pdf"' in page
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in response["Cache-Control"]
    assert "frame-ancestors 'self'" in response["Content-Security-Policy"]


def test_the_next_page_is_behind_a_link_with_a_token_of_its_own(make_filed, chief):
    document = make_filed(content=TWO_PAGES)
    first = fetch(chief, document).content.decode()
    link = html.unescape(re.search(r'href="([^"]*page=2)"', first)[1])

    second = chief.get(link).content.decode()

    assert "Page 2 of 2" in second
    assert "page=3" not in second
    assert drawn_in(first).tobytes() != drawn_in(second).tobytes()


@pytest.mark.parametrize("sent", ["0", "-1", "x", "²", "9" * 99])
def test_what_is_no_number_of_a_page_is_the_first(sent):
    assert page_number(sent) == 1


@pytest.mark.parametrize("page", ["²", "999999"])
def test_a_page_that_is_not_there_is_another_page(make_filed, chief, page):
    document = make_filed(content=TWO_PAGES)
    opened = chief.post(path_of(document, "open"))["Location"]

    response = chief.get(f"{opened}&page={page}")

    assert " of 2</span>" in response.content.decode()


@pytest.mark.parametrize(("content", "reason"), [(PDF, "damaged"), (BOMB, "too much memory")])
def test_what_cannot_be_drawn_says_so_and_offers_the_download(make_filed, chief, content, reason):
    response = fetch(chief, make_filed(content=content))

    page = response.content.decode()
    assert response.status_code == 200
    assert reason in page
    assert 'name="keep" value="1"' in page
    assert "<img" not in page


def test_a_pdf_is_never_shown_inline(make_filed, chief):
    document = make_filed(file_name="letter.pdf")
    opened = chief.post(path_of(document, "open"))["Location"]

    response = chief.get(opened.replace("/view/", "/file/"))

    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"] == 'attachment; filename="letter.pdf"'


def test_what_is_shown_may_be_kept_instead(make_filed, chief):
    response = fetch(chief, make_filed(file_name="letter.pdf"), keep="1")

    assert b"".join(response.streaming_content) == PDF
    assert response["Content-Disposition"] == 'attachment; filename="letter.pdf"'


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
def test_what_could_do_harm_is_only_ever_saved(make_filed, chief, status, detected_type):
    document = make_filed(status=status, detected_type=detected_type, file_name='a"b\n.html')

    response = fetch(chief, document)

    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"].startswith("attachment;")
    assert response["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("name", "detected_type", "saved"),
    [
        ("bill.hta", "text/plain", "bill.hta.txt"),
        ("bill.diagcab", "application/octet-stream", "bill.diagcab.bin"),
        ("bill.scr", "application/pdf", "bill.scr.pdf"),
        ("bill.csv", "text/plain", "bill.csv"),
        ("bill.pdf", "text/html", "bill.pdf.bin"),
    ],
)
def test_it_is_saved_under_the_extension_of_its_type(make_filed, chief, name, detected_type, saved):
    document = make_filed(file_name=name, detected_type=detected_type)

    response = fetch(chief, document, keep="1")

    assert response["Content-Disposition"] == f'attachment; filename="{saved}"'


@pytest.mark.parametrize("kind", ["image/png", "image/jpeg"])
def test_a_picture_is_shown(make_filed, chief, kind):
    page = fetch(chief, make_filed(detected_type=kind)).content.decode()

    response = chief.get(html.unescape(re.search(r'<img src="([^"]*)"', page)[1]))
    assert response["Content-Type"] == kind
    assert response["Content-Disposition"].startswith("inline;")


def test_a_pending_document_has_no_file(make_lead, chief):
    document = Document.objects.create(
        lead=make_lead(),
        source_url="https://files.example.com/a.pdf?signature=s3cr3t",
        status=Status.PENDING,
        uploaded_at=NOON,
    )

    assert fetch(chief, document).status_code == 404
    page = chief.get(DOCUMENTS).content.decode()
    assert "From files.example.com" in page
    assert "s3cr3t" not in page


@pytest.mark.parametrize(
    ("values", "said", "shown"),
    [
        (
            {"status": Status.PENDING, "scan_due_at": NOON},
            "cannot be opened before it is scanned",
            "Waits since Mar 2, 2026, 12:00 UTC",
        ),
        (
            {"status": Status.QUARANTINED, "malware": "Test.Eicar", "scanned_with": "ClamAV"},
            "found malware in this file",
            "Test.Eicar",
        ),
    ],
)
def test_nobody_opens_a_file_before_its_scan_or_with_malware(
    make_filed, chief, values, said, shown
):
    document = make_filed(**values)
    token = file_tokens.issue(User.objects.get(), document)

    refused = chief.post(path_of(document, "open"), follow=True).content.decode()
    with_token = chief.get(path_of(document, "file"), {"token": token})
    page = chief.get(path_of(document, "change")).content.decode()

    assert said in refused
    assert with_token.status_code == 403
    assert "Download" not in page
    assert shown in page
    assert not document.lead.events.exists()


def test_a_file_that_is_gone_is_not_found(make_filed, chief):
    document = make_filed()
    storages["documents"].delete(document.file.name)

    assert fetch(chief, document).status_code == 404


@pytest.fixture
def reading(encrypted_disk, make_filed, chief):
    """A document on disk, its path, and the answer to a member of staff who opens it."""
    document = make_filed()
    path = encrypted_disk / "media" / document.file.name
    chief.raise_request_exception = False
    return document, path, lambda: fetch(chief, document)


def test_a_changed_file_is_an_error_page_and_not_wrong_bytes(reading, caplog):
    document, path, read = reading
    path.write_bytes(path.read_bytes()[:-1] + b"x")

    response = read()

    assert response.status_code == 500
    assert "This file cannot be read" in response.content.decode()
    assert f"the file media/{document.file.name} cannot be read" in caplog.text


def swap_row(document, path, make):
    Document.objects.filter(pk=document.pk).update(file=make(content=TWO_PAGES).file.name)


def write_plain_bytes(document, path, make):
    path.write_bytes(TWO_PAGES)


def empty(document, path, make):
    path.write_bytes(b"")


@pytest.mark.parametrize("keep", [{}, {"keep": "1"}])
@pytest.mark.parametrize("forge", [swap_row, write_plain_bytes, empty])
def test_a_file_other_than_the_received_is_not_served(
    reading, make_filed, chief, caplog, forge, keep
):
    document, path, _read = reading
    forge(document, path, make_filed)

    response = fetch(chief, document, **keep)

    assert response.status_code == 500
    assert "This file cannot be read" in response.content.decode()
    assert f"the file of document {document.external_id} is not" in caplog.text


def test_a_file_whose_key_no_service_unwraps_is_not_available_now(reading, settings, caplog):
    _document, path, read = reading
    path.write_bytes(make_header("aws-kms.alias/vestibule.AAAA") + bytes(100))
    settings.KMS_ENDPOINT, settings.KMS_REGION = "http://127.0.0.1:9", "us-east-1"
    aws_kms.kms_client.cache_clear()

    response = read()
    aws_kms.kms_client.cache_clear()

    assert (response.status_code, response["Retry-After"]) == (503, "5")


def test_only_who_may_view_documents_gets_the_file(make_filed, make_staff, client):
    document = make_filed()

    assert fetch(make_staff("view_lead", "view_owner"), document).status_code == 403
    assert (
        fetch(
            make_staff("view_document", "open_document", "review_application"), document
        ).status_code
        == 200
    )
    assert fetch(client, document)["Location"].startswith("/admin/login/")


def test_each_time_that_a_document_is_opened_is_written_down(make_filed, chief):
    document = make_filed()

    fetch(chief, document)
    fetch(chief, document, keep="1")

    events = document.lead.events.filter(type=EventType.DOCUMENT_OPENED)
    assert [event.details["document_id"] for event in events] == [str(document.external_id)] * 2


def test_a_document_is_not_opened_by_a_link(make_filed, chief):
    document = make_filed()

    assert chief.get(path_of(document, "open")).status_code == 405
    refused = chief.get(path_of(document, "file"))
    assert refused.status_code == 403
    assert f"/admin/onboarding/application/{document.lead.applications.get().pk}/change/" in (
        refused.content.decode()
    )
    assert chief.post(path_of(document, "file")).status_code == 405
    assert not document.lead.events.exists()


def test_a_token_is_for_one_person_one_document_and_a_few_minutes(
    make_filed, make_staff, chief, monkeypatch
):
    document, other = make_filed(), make_filed()
    opened = chief.post(path_of(document, "open"))["Location"]
    token = opened.partition("?")[2]

    assert chief.get(f"{path_of(other, 'file')}?{token}").status_code == 403
    assert make_staff("view_document").get(opened).status_code == 403
    assert chief.get(opened.replace("token=", "token=x")).status_code == 403
    assert chief.get(opened).status_code == 200


def test_a_document_of_a_lead_without_an_application_is_not_opened(make_document, chief):
    document = make_document()

    assert fetch(chief, document)["Location"] == path_of(document, "change")


def test_the_page_of_a_document_leads_to_its_case(make_filed, chief):
    document = make_filed()

    page = chief.get(path_of(document, "change")).content.decode()

    case = document.lead.applications.get()
    assert f'href="/admin/onboarding/application/{case.pk}/change/"' in page
    assert f'action="{path_of(document, "open")}"' in page


def test_who_took_a_file_is_logged(make_filed, chief, caplog):
    caplog.set_level("INFO", "foundation.backoffice.downloads")
    document = make_filed(file_name="letter of ada.pdf")

    fetch(chief, document, keep="1")

    [line] = [r.getMessage() for r in caplog.records if r.name == "foundation.backoffice.downloads"]
    assert line.startswith("user ")
    assert line.endswith(f" took the file of document {document.external_id}")


def test_what_was_in_quarantine_before_it_was_replaced_is_only_saved(make_filed, chief):
    picture = {"detected_type": "image/png", "status": Status.REPLACED}
    replaced = make_filed(**picture)
    doubted = make_filed(**picture, status_reason="Named as active content: .js.")

    assert 'aria-label="The picture"' in fetch(chief, replaced).content.decode()
    assert fetch(chief, doubted)["Content-Disposition"].startswith("attachment;")


def test_who_saw_a_page_is_logged(make_filed, chief, caplog):
    caplog.set_level("INFO", "foundation.backoffice.downloads")
    document = make_filed(content=TWO_PAGES)

    fetch(chief, document)

    [line] = [r.getMessage() for r in caplog.records if r.name == "foundation.backoffice.downloads"]
    assert line.endswith(f" took the file of document {document.external_id}, page 1")


def test_a_token_for_pages_lasts_while_one_reads(make_filed, chief, monkeypatch):
    document = make_filed(content=TWO_PAGES)
    opened = chief.post(path_of(document, "open"))["Location"]
    monkeypatch.setattr(file_tokens, "LIFETIME", timedelta(seconds=-1))

    assert chief.get(opened).status_code == 200
    assert chief.get(opened.replace("/view/", "/file/")).status_code == 403
    monkeypatch.setattr(file_tokens, "READING", timedelta(seconds=-1))
    assert chief.get(opened).status_code == 403


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
