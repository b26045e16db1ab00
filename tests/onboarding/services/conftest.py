"""What the tests of services build on, beside rows."""

import pytest


@pytest.fixture
def stored_files(settings, tmp_path):
    """Keep documents on disk, and return a function that lists their files."""
    disk = {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": str(tmp_path / "media")},
    }
    settings.STORAGES = {**settings.STORAGES, "documents": disk}
    return lambda: [path for path in (tmp_path / "media").rglob("*") if path.is_file()]
