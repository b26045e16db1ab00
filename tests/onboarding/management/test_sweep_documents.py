import os
from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, storages
from django.core.management import call_command
from uuid_utils.compat import uuid7


@pytest.fixture(autouse=True)
def media(settings, monkeypatch, tmp_path):
    """Keep documents in files, whose age can be set."""
    settings.DOCUMENT_SPOOL = tmp_path / "spool"
    settings.DOCUMENT_SPOOL.mkdir()
    storage = FileSystemStorage(tmp_path / "media")
    monkeypatch.setitem(vars(storages)["_storages"], "documents", storage)
    return tmp_path / "media"


def age(path, *, minutes):
    then = (datetime.now(UTC) - timedelta(minutes=minutes)).timestamp()
    os.utime(path, (then, then))


@pytest.fixture
def orphan(media):
    name = storages["documents"].save(f"leads/{uuid7()}/{uuid7()}", ContentFile(b"x"))
    age(media / name, minutes=61)
    return media / name


@pytest.fixture
def stale_upload(settings):
    path = settings.DOCUMENT_SPOOL / "upload-abc"
    path.touch()
    age(path, minutes=61)
    return path


def test_what_is_older_than_an_hour_goes(db, orphan, stale_upload, capsys):
    call_command("sweep_documents")

    assert not orphan.exists()
    assert not stale_upload.exists()
    assert capsys.readouterr().out == "deleted 1 files without a row and 1 stale uploads\n"


def test_a_dry_run_only_counts(db, orphan, stale_upload, capsys):
    call_command("sweep_documents", "--dry-run")

    assert orphan.exists()
    assert stale_upload.exists()
    assert capsys.readouterr().out == "would delete 1 files without a row and 1 stale uploads\n"


def test_the_age_is_an_option(db, orphan, stale_upload, capsys):
    call_command("sweep_documents", "--older-than", "62")

    assert orphan.exists()
    assert capsys.readouterr().out == "deleted 0 files without a row and 0 stale uploads\n"


def test_documents_without_their_file_are_named(make_document, media, capsys):
    document = make_document()
    (media / document.file.name).unlink()

    call_command("sweep_documents")

    assert capsys.readouterr().err == f"document {document.external_id} lacks its file\n"
