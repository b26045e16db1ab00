"""File store: files of documents, written in a transaction and deleted again if it fails."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from uuid import UUID

from django.core.files.storage import storages
from django.db import transaction

from onboarding.models import Document
from onboarding.uploads import Upload, writing

logger = logging.getLogger(__name__)
FOLDER = "leads"
BATCH_SIZE = 500


class FileStore:
    """A store that remembers the names of written files, to delete them if a transaction fails."""

    def __init__(self) -> None:
        self._storage = storages["documents"]
        self._names: list[str] = []

    def save(self, upload: Upload, name: str) -> str:
        """Write the file and return the name it got. Raises: StorageUnavailable."""
        self._names.append(name)  # before the write, which may fail halfway
        with writing(), upload.as_file() as content:
            stored = self._storage.save(name, content)
        if stored != name:
            self._names.append(stored)
        return stored

    def discard(self) -> None:
        """Delete the written files that have no row: a commit that raised may have succeeded.

        An exception is logged, not raised; the sweep then deletes the files.
        """
        try:
            for name in list_without_row(self._names):
                self._storage.delete(name)
        except Exception:
            logger.exception("Files of a failed request are left for the next sweep.")


class DryRunFileStore(FileStore):
    """A store that writes nothing, for a preview."""

    def save(self, upload: Upload, name: str) -> str:
        """Return the name that the file would get."""
        return name


@contextmanager
def file_transaction() -> Iterator[FileStore]:
    """Run a block in one transaction, and delete the files that it wrote if it fails.

    Write the files with the store that it yields.
    """
    files = FileStore()
    try:
        with transaction.atomic():
            yield files
    except BaseException:
        files.discard()
        raise


def list_without_row(names: Iterable[str]) -> Iterator[str]:
    """Yield the names of files that were written for documents but belong to no document."""
    written = ((name, key) for name in names if (key := _document_id(name)))
    while batch := list(islice(written, BATCH_SIZE)):
        documents = Document.objects.filter(external_id__in=[key for _, key in batch])
        recorded = set(documents.values_list("file", flat=True))
        yield from (name for name, _ in batch if name not in recorded)


def _document_id(name: str) -> UUID | None:
    """Return the id of the document that a file was written for; None for other files."""
    try:
        return UUID(name.rpartition("/")[2].partition("_")[0])
    except ValueError:
        return None
