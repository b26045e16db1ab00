"""Files of rows, compared with the SHA-256 of the row."""

import hashlib
from types import SimpleNamespace

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage
from django.db.models import FileField
from django.db.models.fields.files import FieldFile

from foundation.privacy.encrypted_files import UnreadableFile
from foundation.privacy.verified_files import PIECE_BYTES, open_verified

CONTENT = b"12345678" * PIECE_BYTES  # more than one piece
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class RecordingStorage(FileSystemStorage):
    """A folder that remembers what was opened in it."""

    def __init__(self, folder):
        super().__init__(folder)
        self.opened = []

    def open(self, name, mode="rb"):
        self.opened.append(super().open(name, mode))
        return self.opened[-1]


@pytest.fixture
def file(tmp_path):
    """Return a stored file as a row has it."""
    storage = RecordingStorage(tmp_path)
    field = FileField(storage=storage)
    return FieldFile(SimpleNamespace(), field, storage.save("file", ContentFile(CONTENT)))


def test_a_file_with_the_sha_256_is_read_from_its_beginning(file):
    with open_verified(file, SHA256, of="document 7") as opened:
        assert opened.read() == CONTENT


def test_the_row_does_not_keep_the_opened_file(file):
    with open_verified(file, SHA256, of="document 7"):
        assert vars(file).get("_file") is None

    with open_verified(file, SHA256, of="document 7") as again:
        assert again.read() == CONTENT


@pytest.mark.parametrize("sha256", ["", hashlib.sha256(b"another").hexdigest(), SHA256.upper()])
def test_a_file_with_another_sha_256_is_closed_and_logged(file, sha256, caplog):
    with pytest.raises(UnreadableFile, match="another SHA-256"):
        open_verified(file, sha256, of="document 7")

    assert file.storage.opened[0].closed
    assert caplog.messages == ["the file of document 7 is not the received file"]
