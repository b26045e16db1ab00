"""Attach files and URLs to leads."""

from datetime import UTC, datetime

import pytest

from onboarding.choices import DocumentStatus, LlcFileType, Supplier
from onboarding.errors import ErrorCode
from onboarding.models import Document
from onboarding.services.documents.file_store import file_transaction
from onboarding.services.documents.intake import TooManyDocuments
from onboarding.uploads import MEMORY_BYTES
from tests.onboarding.services.documents.attaching import attach, files, note, write

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
PDF = b"%PDF-1.7\n"
LARGE = PDF + bytes(MEMORY_BYTES)


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


def test_a_file_of_the_spool_is_renamed_not_copied(encrypted_disk, spool, make_lead, incoming):
    sent = incoming(LARGE)
    (waiting,) = spool.iterdir()
    inode = waiting.stat().st_ino

    (attached,) = attach(make_lead(), sent)

    stored = encrypted_disk / "media" / attached.document.file.name
    assert stored.stat().st_ino == inode
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

    with file_transaction() as store:
        with django_assert_num_queries(2):
            write(lead, *sent, store=store)
        with django_assert_num_queries(0):
            write(lead, store=store)


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

    with file_transaction() as store, django_assert_num_queries(2):
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
