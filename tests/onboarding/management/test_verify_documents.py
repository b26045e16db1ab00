"""manage.py verify_documents."""

import pytest
from django.core.management import CommandError, call_command

from foundation.privacy.encrypted_files import HEADER_BYTES
from onboarding.models import Document
from tests.factories import make_document

pytestmark = pytest.mark.one_database


@pytest.fixture
def documents(encrypted_disk, db):
    """Three documents of which one file is missing and one was changed, and the folder."""
    whole, missing, changed = (make_document(content=b"%PDF " + bytes([n])) for n in b"abc")
    (encrypted_disk / "media" / missing.file.name).unlink()
    path = encrypted_disk / "media" / changed.file.name
    content = bytearray(path.read_bytes())
    content[HEADER_BYTES] ^= 1
    path.write_bytes(content)
    return whole, missing, changed


def test_whole_files_are_counted_and_the_next_run_goes_on_behind_them(run, encrypted_disk):
    first = make_document(content=b"%PDF 1")

    lines = run("verify_documents")

    end = f"--after onboarding.document={first.pk}"
    assert lines == [
        "onboarding.document: 1 files read",
        "no fault in 1 files, 6 bytes",
        f"later, read newer files with {end}",
    ]
    assert run("verify_documents", *end.split()) == ["no fault in 0 files, 0 bytes"]


def test_a_missing_and_a_damaged_file_are_named(documents, capsys):
    _, missing, changed = documents

    with pytest.raises(CommandError, match="2 faults among 3 files"):
        call_command("verify_documents")

    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith(f"document {missing.external_id}: its file ")
    assert said[0].endswith("is missing")
    assert said[1].startswith(f"document {changed.external_id}: its file ")
    assert "is damaged: piece 1 of 1 is not as written" in said[1]


def test_a_row_of_another_content_or_size_is_named(run, encrypted_disk, capsys):
    one, other = make_document(content=b"%PDF 1"), make_document(content=b"%PDF 2")
    Document.objects.filter(pk=one.pk).update(size_bytes=7)
    Document.objects.filter(pk=other.pk).update(sha256="0" * 64)

    with pytest.raises(CommandError, match="2 faults among 2 files"):
        run("verify_documents")
    with pytest.raises(CommandError, match="2 faults among 2 files"):
        call_command("verify_documents", "--sample", "5")

    said = capsys.readouterr().out
    assert f"document {one.external_id}: its file has 6 bytes, its row says 7" in said
    assert "its content has another SHA-256 than its row" in said


def test_an_unknown_kind_to_go_on_behind_is_refused(db):
    with pytest.raises(CommandError, match=r"onboarding\.lead=3 is not KIND=ID"):
        call_command("verify_documents", "--after", "onboarding.lead=3")
