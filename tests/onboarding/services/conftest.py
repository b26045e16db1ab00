"""What the tests of services build on, beside rows."""

import pytest
from django.core.files.storage import FileSystemStorage, storages

from onboarding.models import Document


@pytest.fixture
def stored_files(monkeypatch, tmp_path):
    """Keep documents on disk, and return a function that lists their files."""
    disk = FileSystemStorage(tmp_path / "media")
    monkeypatch.setitem(vars(storages)["_storages"], "documents", disk)
    monkeypatch.setattr(Document.file.field, "storage", disk)
    return lambda: [path for path in (tmp_path / "media").rglob("*") if path.is_file()]
