"""Files of rows that are kept for good."""

import pytest

from foundation.privacy import row_files
from tests.factories import make_document

pytestmark = pytest.mark.one_database


def test_files_for_good_are_those_of_documents_and_records():
    assert [model._meta.label_lower for model in row_files.file_models()] == [
        "banking.billattachment",
        "banking.receiptfile",
        "banking.statement",
        "banking.taxstatement",
        "mcp_server.accesslogarchive",
        "onboarding.document",
    ]


def test_rows_without_a_file_and_rows_that_were_read_before_are_left_out(db):
    read, unread = make_document(), make_document(content=b"%PDF 2")
    make_document(file="", sha256="", status="NOT_FETCHED", source_url="https://example.com/a")

    [batch] = row_files.read_files(after={"onboarding.document": read.pk}, threads=1)

    assert batch == row_files.Batch("onboarding.document", unread.pk, 1, 6, [])


def test_a_store_that_fails_is_a_fault_of_the_file(db, monkeypatch):
    document = make_document()
    monkeypatch.setattr(
        type(document), "open_file", lambda _self: (_ for _ in ()).throw(OSError("I/O"))
    )

    [batch] = row_files.read_files()

    name = f"document {document.external_id}: its file {document.file.name}"
    assert batch.faults == [f"{name} cannot be read: OSError: I/O"]
