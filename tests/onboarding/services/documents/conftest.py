"""Stores of documents, and files that are sent."""

from datetime import UTC, datetime

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, InMemoryStorage, Storage, storages

from onboarding.models import Document
from onboarding.services.documents.intake import inspect
from onboarding.uploads import MEMORY_BYTES, Uploads

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
PDF = b"%PDF-1.7\n"
LARGE = PDF + bytes(MEMORY_BYTES)


class Remote(Storage):
    """A store like S3: no paths, no folders, and it closes what it has read."""

    def __init__(self):
        self.objects = {}

    def _save(self, name, content):
        content.seek(0)
        self.objects[name] = content.read(), datetime.now(UTC)
        content.close()
        return name

    def _open(self, name, mode="rb"):
        return ContentFile(self.objects[name][0], name)

    def exists(self, name):
        return name in self.objects

    def delete(self, name):
        self.objects.pop(name, None)

    def get_modified_time(self, name):
        return self.objects[name][1]

    def listdir(self, path):
        prefix = f"{path}/" if path else ""
        inside = [name for name in self.objects if name.startswith(prefix)]
        found = [name.removeprefix(prefix).partition("/") for name in inside]
        folders = {first for first, slash, _ in found if slash}
        return sorted(folders), [first for first, slash, _ in found if not slash]


@pytest.fixture
def keep_in(monkeypatch, spool):
    """Keep documents in the given store."""

    def use(storage):
        monkeypatch.setitem(vars(storages)["_storages"], "documents", storage)
        monkeypatch.setattr(Document.file.field, "storage", storage)

    return use


@pytest.fixture
def disk(keep_in, tmp_path):
    keep_in(FileSystemStorage(tmp_path / "media"))
    return tmp_path / "media"


@pytest.fixture
def memory(keep_in):
    keep_in(InMemoryStorage())


@pytest.fixture
def remote(keep_in):
    keep_in(Remote())


@pytest.fixture(params=["disk", "memory", "remote"])
def any_store(request):
    request.getfixturevalue(request.param)


@pytest.fixture
def own(any_store, own_store):
    """Keep documents in any store, which belongs to this database."""


@pytest.fixture
def uploads():
    uploads = Uploads()
    yield uploads
    uploads.close()


@pytest.fixture
def incoming(uploads):
    """Make a file that is sent."""

    def make(content=PDF, **values):
        upload = uploads.new()
        upload.write(content)
        said = {"content_type": "application/pdf", "file_name": "letter.pdf", **values}
        return inspect(upload=upload, **said)

    return make
