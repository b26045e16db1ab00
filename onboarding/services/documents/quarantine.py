"""Quarantine: where files without a row wait in the store before they are deleted."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.core.files.base import ContentFile
from django.core.files.storage import Storage, storages

FOLDER = "quarantine"


def list_files(storage: Storage, folder: str) -> Iterator[str]:
    """Yield the names of all files below a folder of the store."""
    try:
        folders, files = storage.listdir(folder)
    except FileNotFoundError:  # nothing was stored yet
        return
    yield from (f"{folder}/{file}" for file in files)
    for inner in folders:
        yield from list_files(storage, f"{folder}/{inner}")


@contextmanager
def or_gone(name: str) -> Iterator[None]:
    """Suppress the error of a block that needs a file which another sweep has taken away.

    Each store has an exception of its own for a file that is not there.
    """
    try:
        yield
    except Exception:
        if storages["documents"].exists(name):
            raise


def holds(name: str) -> bool:
    """Return whether a file of this name waits in quarantine."""
    return storages["documents"].exists(f"{FOLDER}/{name}")


def put_in(name: str) -> None:
    """Move a file into quarantine."""
    _move(name, f"{FOLDER}/{name}")


def put_back(name: str) -> None:
    """Move a file from quarantine to where its document has it."""
    _move(f"{FOLDER}/{name}", name)


def list_old(*, before: datetime) -> list[str]:
    """Return the names, in the store, of files that were put in before a time."""
    return [name for name in list_files(storages["documents"], FOLDER) if is_older(name, before)]


def is_older(name: str, before: datetime) -> bool:
    """Return whether a file is there, and was stored before a time."""
    with or_gone(name):
        return storages["documents"].get_modified_time(name) < before
    return False


def _move(name: str, target: str) -> None:
    """Write a file anew, then delete it where it was: after a crash there are two, never none.

    A file that another sweep has moved stays where that sweep put it.
    """
    storage = storages["documents"]
    with or_gone(name):
        with storage.open(name) as content:
            storage.save(target, ContentFile(content.read()))
        storage.delete(name)
