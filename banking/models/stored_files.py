"""Files of records, stored once under the hash of their content."""

import hashlib
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages
from django.db import models

from foundation.files import Download


def file_storage() -> Storage:
    """Return the storage of statements, files of bills and results of jobs.

    A function, so that settings may change the storage after the models were loaded.
    """
    return storages["papers"]


class StoredFile(models.Model):
    """The columns of a stored file; its place in the store follows from its hash.

    A file whose row was never committed is found again, not stored twice.
    """

    file_name = models.CharField(max_length=255)
    content_type = models.CharField(max_length=100)
    size_bytes = models.PositiveIntegerField()
    sha256 = models.CharField("SHA-256", max_length=64)
    file = models.FileField(storage=file_storage, max_length=255, editable=False)

    class Meta:
        abstract = True

    @property
    def is_in_the_store(self) -> bool:
        """Say whether the file is where it was kept."""
        name = self.file.name
        return name is not None and self.file.storage.exists(name)

    def read(self) -> Download:
        """Return the whole file."""
        with self.file.open("rb") as opened:
            return Download(self.content_type, self.file_name, opened.read())


def store(download: Download) -> dict[str, Any]:
    """Store a file unless it is there, and return the columns of the row that keeps it."""
    sha256 = hashlib.sha256(download.content).hexdigest()
    place = f"{sha256[:2]}/{sha256}"
    storage = file_storage()
    if storage.exists(place) and storage.size(place) != len(download.content):
        storage.delete(place)  # half of it, from a process that was killed
    if not storage.exists(place):
        place = storage.save(place, ContentFile(download.content))
    return {
        "file_name": download.file_name,
        "content_type": download.content_type,
        "size_bytes": len(download.content),
        "sha256": sha256,
        "file": place,
    }
