"""The step documents: what is taken, what is refused and how it is said."""

from io import BytesIO
from uuid import uuid4

import pytest
from django.core.files.storage import storages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from config.whole_bodies import NotKept
from onboarding import tasks
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DocumentStatus, LlcFileType, Supplier
from onboarding.models import Application, Document
from onboarding.services.access import sessions
from tests.clamd import EICAR_PDF
from tests.factories import NOON, PDF, make_application, make_document, make_owner
from tests.id_pictures import card
from tests.office_files import make_zip
from tests.pdf_files import make_pdf

EIN = LlcFileType.IRS_EIN_LETTER.value
PNG = b"\x89PNG\r\n\x1a\n" + bytes(32)


@pytest.fixture
def flow(make_flow, make_lead):
    """The applicant of a company with several members, who has come in."""
    flow = make_flow(make_lead(business_type="MMLLC", first_name="Ada"))
    flow.come_in()
    return flow


def a_file(name="letter.pdf", content=PDF, content_type="application/pdf"):
    return SimpleUploadedFile(name, content, content_type)


def send(flow, *files, slot="EIN_PROOF", kind=EIN, **more):
    fields = {f"files-{slot}": list(files), f"kind-{slot}": kind} if files else {}
    return flow.post("documents", {**fields, **more, "end": "1"})


def replace(flow, document, *files):
    return flow.post("documents", {f"replacement-{document.external_id}": files, "end": "1"})


def said(response):
    """Return what the page remarks; it answers a form that it could not take as a whole."""
    assert response.status_code == 200
    return [str(remark.text) for remark in response.context["remarks"]]


def move(flow, status):
    Application.objects.filter(pk=flow.pk).update(status=status)


# What is taken


def test_files_are_stored_and_the_page_is_shown_anew(flow):
    response = send(flow, a_file("a.pdf"), a_file("b.png", PNG, "image/png"))

    assert (response.status_code, response["Location"]) == (303, flow.path("documents"))
    stored = Document.objects.order_by("pk")
    assert [(one.file_name, one.detected_type) for one in stored] == [
        ("a.pdf", "application/pdf"),
        ("b.png", "image/png"),
    ]
    assert {(one.llc_file_type, one.supplied_by) for one in stored} == {(EIN, Supplier.APPLICANT)}


def test_the_button_that_leads_on_takes_the_files_along(flow):
    response = send(flow, a_file(), next="1")

    assert response["Location"] == flow.path("review")
    assert Document.objects.count() == 1


def test_nobody_needs_a_document_to_go_on(flow):
    assert send(flow, next="1")["Location"] == flow.path("review")


def test_files_for_several_things_come_in_one_form(flow):
    owner = make_owner(flow.lead)
    fields = {
        "files-PASSPORT": a_file("passport.png", card(), "image/png"),
        "kind-PASSPORT": "PASSPORT",
        "owner-PASSPORT": str(owner.external_id),
        "files-OTHER": a_file("other.pdf"),
        "kind-OTHER": "",
    }

    send(flow, a_file(), **fields)

    stored = Document.objects.values_list("file_name", "llc_file_type", "owner")
    assert sorted(stored) == [
        ("letter.pdf", EIN, None),
        ("other.pdf", "", None),
        ("passport.png", "PASSPORT", owner.pk),
    ]


def test_a_large_file_waits_on_disk_and_leaves_nothing_there(flow, spool):
    send(flow, a_file(content=PDF + bytes(2 * 1024**2)))

    assert Document.objects.get().size_bytes == len(PDF) + 2 * 1024**2
    assert list(spool.iterdir()) == []


@pytest.mark.parametrize("kind", ["", "NOTHING_KNOWN"])
def test_a_kind_that_is_none_is_none(flow, kind):
    send(flow, a_file(), kind=kind)

    assert Document.objects.get().llc_file_type == ""


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("C:\\papers\\letter.pdf", "letter.pdf"),
        ("a\u202efdp.exe\u200b.pdf", "afdp.exe.pdf"),
        (f"{'x' * 300}.pdf", f"{'x' * 251}.pdf"),
    ],
)
def test_a_name_is_kept_as_far_as_it_can_be_seen(flow, sent, kept):
    file = BytesIO(PDF)
    file.name = sent

    send(flow, file)

    assert Document.objects.get().file_name == kept


def test_a_type_that_is_none_is_an_unknown_one(flow):
    send(flow, a_file(content_type="nonsense"))

    assert Document.objects.get().content_type == "application/octet-stream"


def test_a_file_takes_the_place_of_another(flow):
    old = make_document(flow.lead, llc_file_type=EIN)

    response = replace(flow, old, a_file("new.pdf"))

    assert response["Location"] == flow.path("documents")
    page = flow.get("documents").content.decode()
    assert "new.pdf" in page
    assert old.file_name not in page


# What is said of the rest


def test_what_is_right_is_stored_and_of_the_rest_it_is_said_why(flow, settings):
    settings.DOCUMENT_MAX_BYTES = 1024**2
    large = a_file("large.pdf", PDF + bytes(1024**2))

    response = send(flow, a_file("right.pdf"), large, a_file("empty.pdf", b""))

    assert said(response) == [
        "“large.pdf” was not sent: it is larger than 1 MB.",
        "“empty.pdf” was not sent: it is empty.",
    ]
    assert Document.objects.get().file_name == "right.pdf"
    assert 'href="#files-EIN_PROOF"' in response.content.decode()


def test_too_many_files_are_none(flow, settings):
    settings.DOCUMENTS_MAX_PER_REQUEST = 2

    response = send(flow, *(a_file(f"{number}.pdf") for number in range(3)))

    assert said(response) == [
        "Your files were not sent. You can send up to 2 files and 25 MB at a time."
    ]
    assert not Document.objects.exists()


def test_too_much_together_is_nothing(flow, settings, spool):
    settings.DOCUMENTS_MAX_BYTES_PER_REQUEST = 1024**2
    half = PDF + bytes(600 * 1024)

    response = send(flow, a_file("a.pdf", half), a_file("b.pdf", half + b"b"))

    assert said(response) == [
        "Your files were not sent. You can send up to 10 files and 1 MB at a time."
    ]
    assert not Document.objects.exists()
    assert list(spool.iterdir()) == []


def test_a_form_that_is_declared_too_large_is_not_read(flow):
    response = flow.post("documents", {"end": "1"}, CONTENT_LENGTH=str(40 * 1024**2))

    assert response.status_code == 413
    assert "up to 10 MB, and all files together up to 25 MB" in response.content.decode()


@pytest.mark.parametrize("limit", ["NUMBER_FILES", "MEMORY_SIZE"])
def test_a_form_that_django_gives_up_on_is_too_large(flow, settings, limit):
    setattr(settings, f"DATA_UPLOAD_MAX_{limit}", 1)

    response = send(flow, a_file("a.pdf"), a_file("b.pdf"))

    assert response.status_code == 413
    assert "This is too much to send at once" in response.content.decode()
    assert not Document.objects.exists()


@pytest.mark.parametrize("checks_csrf", [False, True])
def test_a_form_that_the_disk_did_not_take_is_503(flow, checks_csrf):
    flow.client.handler.enforce_csrf_checks = checks_csrf
    flow.client.raise_request_exception = False
    flow.client.cookies["csrftoken"] = "a" * 32

    response = flow.send("documents", {"end": "1"}, **{"wsgi.input": NotKept()})

    assert (response.status_code, response["Retry-After"]) == (503, "5")
    assert not Document.objects.exists()


def test_a_form_that_breaks_off_stores_nothing(flow, spool):
    boundary = "b"
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="files-OTHER"; filename="a.pdf"'
    body = f"{head}\r\nContent-Type: application/pdf\r\n\r\n".encode() + PDF + bytes(1024**2)

    response = flow.client.generic(
        "POST",
        flow.path("documents"),
        body,
        f"multipart/form-data; boundary={boundary}",
    )

    assert response.status_code == 303
    assert said(flow.get("documents")) == [
        "The upload was interrupted, and nothing was saved. Send the files again."
    ]
    assert not Document.objects.exists()
    assert list(spool.iterdir()) == []


def test_a_length_that_lies_is_a_form_that_breaks_off(flow):
    sent = {"files-OTHER": a_file(content=PDF + bytes(5000)), "end": "1"}

    response = flow.post("documents", sent, CONTENT_LENGTH="2000")

    assert said(response) == [
        "The upload was interrupted, and nothing was saved. Send the files again."
    ]
    assert not Document.objects.exists()


def test_a_form_without_a_file_is_no_upload(flow):
    assert said(send(flow)) == ["Choose a file first."]


def test_what_could_do_harm_is_kept_apart_and_said_at_once(flow):
    response = send(flow, a_file("bill.pdf", b"<script>alert(1)</script>"))

    assert said(response) == ["“bill.pdf” cannot be used. Send a PDF or a picture instead."]
    assert Document.objects.get().status == DocumentStatus.QUARANTINED
    assert "Its content does not match its name" in response.content.decode()


def test_a_pdf_with_scripts_is_kept_apart_and_the_way_out_is_said(flow):
    content = make_pdf(b"<< /S /JavaScript /JS (evil) >>", is_compressed=True)

    response = send(flow, a_file("form.pdf", content))

    assert said(response) == [
        "“form.pdf” cannot be used as it is. Print it as a new PDF without a password, "
        "or send a picture."
    ]
    assert Document.objects.get().status_reason == "The PDF contains scripts."


def test_an_office_file_with_macros_is_not_kept(flow):
    content = make_zip({"[Content_Types].xml": "<Types/>", "word/vbaProject.bin": "x"})

    response = send(flow, a_file("plan.docx", content, content_type="application/zip"))

    assert "“plan.docx” was not kept: we need a PDF or a picture" in said(response)[0]
    assert not Document.objects.exists()


def test_a_file_that_is_there_already_is_not_taken_twice(flow):
    send(flow, a_file())

    response = send(flow, a_file())

    assert said(response) == ["We already have “letter.pdf”. You do not need to send it again."]
    assert Document.objects.count() == 1


def test_a_file_that_was_rejected_does_not_help_a_second_time(flow):
    send(flow, a_file())
    Document.objects.update(status=DocumentStatus.REJECTED)

    response = send(flow, a_file())

    assert said(response) == [
        "You sent “letter.pdf” before, and we could not accept it. Send a different file."
    ]


def test_there_is_no_room_for_more_than_a_lead_may_have(flow, settings):
    settings.DOCUMENTS_MAX_PER_LEAD = 1
    make_document(flow.lead)

    assert said(send(flow, a_file())) == [
        "You cannot add more files. An application can have up to 1 files."
    ]


def test_an_owner_who_is_gone_has_no_documents(flow):
    response = send(flow, a_file(), **{"owner-EIN_PROOF": str(make_owner().external_id)})

    assert said(response) == ["This person is no longer on the list of owners."]


def test_what_was_accepted_meanwhile_stays(flow):
    old = make_document(flow.lead, status=DocumentStatus.ACCEPTED)

    assert said(replace(flow, old, a_file())) == [
        "“letter.pdf” was not sent. The old file has already been accepted or replaced."
    ]


@pytest.mark.parametrize("name", ["replacement-{}", "owner-EIN_PROOF"])
@pytest.mark.parametrize("junk", [False, True])
def test_ids_that_no_page_has_written_lead_nowhere(flow, name, junk):
    other = "junk" if junk else str(make_document().external_id)
    if name.startswith("owner"):
        response = send(flow, a_file(), **{name: "junk"})
    else:
        response = flow.post("documents", {name.format(other): a_file(), "end": "1"})

    assert response.status_code == 404
    assert not flow.lead.documents.exists()


# After the submission


@pytest.mark.parametrize("status", [Status.SUBMITTED, Status.IN_REVIEW, Status.APPROVED_TEMPORARY])
def test_after_the_submission_files_are_sent_from_the_status(flow, status):
    move(flow, status)

    assert flow.get("documents")["Location"] == flow.path("status")
    assert send(flow, a_file())["Location"] == flow.path("status")
    assert Document.objects.count() == 1


def test_the_last_document_leads_to_the_review(flow):
    move(flow, Status.DOCUMENTS_REQUIRED)
    for kind in ("ARTICLES_OF_ORGANIZATION", "OPERATING_AGREEMENT"):
        make_document(flow.lead, llc_file_type=kind)

    send(flow, a_file())

    assert flow.application.status == Status.IN_REVIEW


def test_after_the_submission_what_is_wrong_is_said_with_a_way_back(flow):
    move(flow, Status.DOCUMENTS_REQUIRED)

    response = send(flow, a_file("empty.pdf", b""))

    page = response.content.decode()
    assert said(response) == ["“empty.pdf” was not sent: it is empty."]
    assert 'name="then" value="back"' in page
    assert send(flow, then="back")["Location"] == flow.path("status")
    assert "Review and sign" not in page


@pytest.mark.parametrize("status", [Status.APPROVED, Status.DENIED])
def test_nothing_is_taken_once_it_is_decided(flow, status):
    move(flow, status)

    assert send(flow, a_file())["Location"] == flow.path("status")
    assert not Document.objects.exists()


# Who may look at a file


def look(flow, document):
    return flow.get(f"documents/{document.external_id}")


@pytest.mark.parametrize("kind", ["application/pdf", "image/png", "image/jpeg"])
def test_a_harmless_file_is_shown_alone_and_never_kept(flow, kind):
    name = f"a.{kind.partition('/')[2]}"
    document = make_document(flow.lead, detected_type=kind, file_name=name)

    response = look(flow, document)

    assert b"".join(response.streaming_content) == PDF
    assert response["Content-Type"] == kind
    assert response["Content-Disposition"] == f'inline; filename="{name}"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"].startswith("sandbox;")
    assert "no-store" in response["Cache-Control"]


@pytest.mark.parametrize("kind", ["text/plain", "image/heic", "application/zip", ""])
def test_any_other_file_is_only_ever_saved(flow, kind):
    response = look(flow, make_document(flow.lead, detected_type=kind))

    assert b"".join(response.streaming_content) == PDF
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"].startswith("attachment;")


def test_a_file_is_saved_under_the_extension_of_its_type(flow):
    document = make_document(flow.lead, detected_type="text/plain", file_name="bill.hta")

    assert look(flow, document)["Content-Disposition"] == 'attachment; filename="bill.hta.txt"'


@pytest.mark.parametrize("status", [DocumentStatus.QUARANTINED, DocumentStatus.REPLACED])
def test_what_is_doubtful_or_replaced_is_not_here(flow, status):
    assert look(flow, make_document(flow.lead, status=status)).status_code == 404


def test_a_file_before_its_scan_is_not_here(flow):
    unscanned = make_document(flow.lead, status=DocumentStatus.PENDING, scan_due_at=NOON)

    assert look(flow, unscanned).status_code == 404


def test_a_file_is_checked_and_malware_is_named_as_unusable(flow, scanner):
    assert send(flow, a_file(content=EICAR_PDF)).status_code == 303
    assert "We are checking that this file is safe." in flow.get("documents").content.decode()

    tasks.sweep()

    page = flow.get("documents").content.decode()
    assert Document.objects.get().status == DocumentStatus.QUARANTINED
    assert "We cannot use this file." in page
    assert "Eicar" not in page


def test_a_file_that_has_not_come_or_is_gone_is_not_here(flow):
    pending = Document.objects.create(
        lead=flow.lead,
        source_url="https://files.example.com/a.pdf",
        status=DocumentStatus.PENDING,
        uploaded_at=NOON,
    )
    gone = make_document(flow.lead)
    storages["documents"].delete(gone.file.name)

    assert look(flow, pending).status_code == 404
    assert look(flow, gone).status_code == 404


def test_another_leads_file_is_not_here(flow):
    assert look(flow, make_document()).status_code == 404
    assert flow.get(f"documents/{uuid4()}").status_code == 404


def test_nobody_looks_at_a_file_without_a_session(flow):
    document = make_document(flow.lead)
    path = flow.path(f"documents/{document.external_id}")

    assert Client().get(path)["Location"] == flow.path()


# In a frame


def test_in_a_frame_the_same_goes_with_the_key_in_the_header(db):
    application = make_application(at=timezone.now())
    opened = sessions.open_session(application, language="es", at=timezone.now(), is_embedded=True)
    root = f"/connect/v1/frame/{application.lead.external_id}/documents"
    key = {"Authorization": f"Bearer {opened.key}"}
    client = Client(enforce_csrf_checks=True)

    sent = client.post(root, {"files-OTHER": a_file(), "end": "1"}, headers=key)

    document = Document.objects.get()
    assert (sent.status_code, sent["Location"]) == (303, root)
    page = client.get(root, headers=key).content.decode()
    assert f'href="{root}/{document.external_id}"' in page
    assert f'action="{root}"' in page
    assert "csrfmiddlewaretoken" not in page
    shown = client.get(f"{root}/{document.external_id}", headers=key)
    assert b"".join(shown.streaming_content) == PDF
    assert client.get(f"{root}/{document.external_id}").status_code == 401


def test_storage_that_takes_no_files_is_told_as_such(flow, spool):
    spool.touch()  # a file where the folder should be

    response = send(flow, a_file(content=PDF + b"x" * 400_000))

    assert (response.status_code, response["Retry-After"]) == (503, "60")
    assert b"We cannot accept files right now" in response.content
    assert not Document.objects.exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [("note.txt", b"hello"), ("articles.docx", make_zip({"word/document.xml": b"<w/>"}))],
    ids=["text", "Word"],
)
def test_a_file_that_anybody_can_edit_is_not_kept(flow, name, content):
    file = BytesIO(content)
    file.name = name

    response = send(flow, file)

    assert "we need a PDF or a picture" in text_of(response)
    assert not Document.objects.exists()


class TestChangingAFile:
    """Before the submission an applicant removes and moves files that they sent."""

    @pytest.fixture
    def sent(self, flow):
        send(flow, a_file(), kind=EIN)
        return Document.objects.get()

    def press(self, flow, **values):
        return flow.post("documents", {"end": "1", **values})

    def test_a_removed_file_is_gone_from_the_page_and_stays_on_record(self, flow, sent):
        page = text_of(flow.get("documents"))

        response = self.press(flow, remove=str(sent.external_id))

        assert f'name="remove" value="{sent.external_id}"' in page
        assert response["Location"] == flow.path("documents")
        assert sent.file_name not in text_of(flow.get("documents"))
        sent.refresh_from_db()
        assert (sent.status, sent.status_reason) == ("REPLACED", "The applicant has removed it.")
        event = flow.lead.events.get(type="document.replaced")
        assert event.details["document_id"] == str(sent.external_id)

    def test_a_file_is_moved_to_another_kind(self, flow, sent):
        chosen = {f"kind-of-{sent.external_id}": "ARTICLES_OF_ORGANIZATION"}

        self.press(flow, move=str(sent.external_id), **chosen)

        sent.refresh_from_db()
        assert sent.llc_file_type == "ARTICLES_OF_ORGANIZATION"
        assert flow.lead.events.filter(type="document.kind_changed").exists()

    def test_a_move_needs_a_kind(self, flow, sent):
        response = self.press(flow, move=str(sent.external_id))

        assert "Choose the type of the document." in text_of(response)

    def test_a_partners_file_and_another_leads_file_cannot_be_removed(self, flow, sent):
        partners = make_document(flow.lead, llc_file_type=EIN)
        other = make_document(llc_file_type=EIN, supplied_by="APPLICANT")

        refused = self.press(flow, remove=str(partners.external_id))
        unknown = self.press(flow, remove=str(other.external_id))
        nonsense = self.press(flow, remove="x")

        assert "cannot be changed any more" in text_of(refused)
        assert (unknown.status_code, nonsense.status_code) == (404, 404)
        assert {one.status for one in Document.objects.all()} == {"RECEIVED"}

    def test_after_the_submission_nothing_is_removed(self, flow, sent):
        Application.objects.update(status=Status.SUBMITTED)

        response = self.press(flow, remove=str(sent.external_id))

        assert response["Location"] == flow.path("status")
        sent.refresh_from_db()
        assert sent.status == "RECEIVED"


def text_of(response):
    return response.content.decode()
