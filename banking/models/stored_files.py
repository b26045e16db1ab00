"""Files of records, stored once under the hash of their content."""

import hashlib
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages
from django.db import models

from banking.choices import ScanState
from foundation.files import Download
from foundation.inspection.file_names import safe_name
from foundation.privacy.verified_files import open_verified


def file_storage() -> Storage:
    """Return the storage of statements, files that came with records, uploads and job results.

    A function, so that settings may change the storage after the models were loaded.
    """
    return storages["papers"]


class StoredFile(models.Model):
    """The columns of a file that is stored at a path made from its hash.

    If a row is rolled back, its file stays; storing the same content again reuses the file.
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
        """Return whether the storage has the file: a request to it. The content is not checked."""
        name = self.file.name
        return name is not None and self.file.storage.exists(name)

    @property
    def safe_name(self) -> str:
        """Return the name to save the file under."""
        return self.file_name

    def open_file(self) -> "File[bytes]":
        """Return the file, opened, if its content has the SHA-256 that was stored.

        Every reader calls this. Raises: FileNotFoundError, UnreadableFile.
        """
        return open_verified(self.file, self.sha256, of=f"{self._meta.verbose_name} {self.pk}")

    def read(self) -> Download:
        """Return the whole file. Raises: FileNotFoundError, UnreadableFile."""
        with self.open_file() as opened:
            content, name = opened.read(), self.file.name or ""
        return Download(self.content_type, self.safe_name, content, stored_as=name)


FOUND = "Malware was found in it."
UNSCANNED = "It waits for its malware scan; try again in some minutes."


class NotOpenable(Exception):
    """A file that came from outside may not be opened; the message says why."""


class SentFile(StoredFile):
    """The columns of a file that came from outside, and of its malware scans.

    A file that was sent while there was a scanner awaits its first scan; nobody opens it before.
    """

    awaits_scan_since = models.DateTimeField(null=True, blank=True, editable=False)
    scanned_at = models.DateTimeField("scanned", null=True, blank=True, editable=False)
    scanned_with = models.CharField(max_length=100, default="", db_default="", editable=False)
    malware = models.CharField(max_length=255, default="", db_default="", editable=False)

    class Meta:
        abstract = True
        indexes = [
            models.Index(name="%(class)s_scanned_with", fields=["scanned_with", "scanned_at"]),
            models.Index(
                name="%(class)s_awaits_scan",
                fields=["awaits_scan_since"],
                condition=models.Q(awaits_scan_since__isnull=False),
            ),
            models.Index(
                name="%(class)s_malware", fields=["scanned_at"], condition=~models.Q(malware="")
            ),
        ]

    @property
    def awaits_scan(self) -> bool:
        """Return whether the file waits for its first scan."""
        return self.awaits_scan_since is not None

    @property
    def scan_state(self) -> ScanState:
        """Return the result of the newest malware scan."""
        if self.malware:
            return ScanState.QUARANTINED
        if self.awaits_scan:
            return ScanState.PENDING
        return ScanState.CLEAN if self.scanned_with else ScanState.NOT_SCANNED

    @property
    def is_openable(self) -> bool:
        """Return whether the file may be opened: it waits for no scan and no malware is known."""
        return not self.awaits_scan and not self.malware

    @property
    def safe_name(self) -> str:
        """Return the name to save the file under, whose extension is of the type of the file."""
        return safe_name(self.file_name, self.content_type)

    def read(self) -> Download:
        """Return the whole file. Raises: NotOpenable, FileNotFoundError, UnreadableFile."""
        if not self.is_openable:
            raise NotOpenable(FOUND if self.malware else UNSCANNED)
        return super().read()


def store(download: Download, *, owner: str = "") -> dict[str, Any]:
    """Store a file unless it is there, and return the columns of the row that keeps it.

    Rows of equal content share a file. With an `owner` the file is stored for that owner alone, so
    that it can be deleted with its row.
    """
    sha256 = hashlib.sha256(download.content).hexdigest()
    name = hashlib.sha256(f"{owner} {sha256}".encode()).hexdigest() if owner else sha256
    place = f"{name[:2]}/{name}"
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


def old_files(folder: str, *, before: datetime) -> Iterator[str]:
    """Yield the names of the files in a folder that were stored before a time."""
    storage = file_storage()
    try:
        _, files = storage.listdir(folder)
    except FileNotFoundError:  # nothing was stored yet
        return
    for file in files:
        name = f"{folder}/{file}"
        if storage.get_modified_time(name) < before:
            yield name
