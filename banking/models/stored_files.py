"""Files that a record keeps: stored once, by what they hold."""

from django.core.files.storage import Storage, storages
from django.db import models


def papers_storage() -> Storage:
    """Return where the bank's files are kept; looked up late, so that settings may change it."""
    return storages["papers"]


class StoredFile(models.Model):
    """The columns of a stored file; its place in the store follows from its hash."""

    file_name = models.CharField(max_length=255)
    content_type = models.CharField(max_length=100)
    size_bytes = models.PositiveIntegerField()
    sha256 = models.CharField("SHA-256", max_length=64)
    file = models.FileField(storage=papers_storage, max_length=255, editable=False)

    class Meta:
        abstract = True
