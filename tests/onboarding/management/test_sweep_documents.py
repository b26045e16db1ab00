import os
from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, storages
from django.core.management import CommandError, call_command
from uuid_utils.compat import uuid7

from banking.services import deployments
from tests.factories import NOON


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


def test_what_is_older_than_an_hour_goes(own_store, media, orphan, stale_upload, capsys):
    call_command("sweep_documents", "--yes")

    assert not orphan.exists()
    assert (media / "quarantine" / orphan.relative_to(media)).exists()
    assert not stale_upload.exists()
    assert capsys.readouterr().out == (
        "moved 1 files without a row to quarantine, put 0 back, deleted 0 from it "
        "and 1 stale uploads\n"
    )


def test_without_a_yes_too_many_files_stay(own_store, orphan, stale_upload):
    with pytest.raises(CommandError, match=r"^1 of 1 files have no row, more than 1 % or 100"):
        call_command("sweep_documents")

    assert orphan.exists()
    assert stale_upload.exists()


def test_a_dry_run_names_the_files_and_tells_a_refusal(
    own_store, media, orphan, stale_upload, capsys
):
    call_command("sweep_documents", "--dry-run")

    assert orphan.exists()
    assert stale_upload.exists()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{orphan.relative_to(media)} has no row"
    assert lines[1].startswith("a sweep is refused: 1 of 1 files have no row")
    assert lines[2].startswith("would have moved 1 files")


def test_a_store_of_another_deployment_is_refused(db, orphan):
    deployments.verify(at=NOON, may_record=True)

    with pytest.raises(CommandError, match=r"^The store has files and no deployment's id\."):
        call_command("sweep_documents", "--yes")

    assert orphan.exists()


def test_a_database_without_an_id_is_refused(db, orphan):
    with pytest.raises(CommandError, match=r"^The store has files, .* restore all of the database"):
        call_command("sweep_documents", "--yes")

    assert orphan.exists()


def test_the_age_is_an_option(own_store, orphan, stale_upload, capsys):
    call_command("sweep_documents", "--older-than", "62")

    assert orphan.exists()
    assert capsys.readouterr().out.startswith("moved 0 files")


def test_documents_without_their_file_are_named(own_store, make_document, media, capsys):
    document = make_document()
    (media / document.file.name).unlink()

    call_command("sweep_documents")

    assert capsys.readouterr().err == f"document {document.external_id} lacks its file\n"
