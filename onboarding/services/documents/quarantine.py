"""Quarantine: a folder of the store for files without a row, before they are deleted."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.core.files.storage import storages

from foundation.privacy.encrypted_storage import store_below, walk

FOLDER = "quarantine"


@contextmanager
def or_gone(name: str) -> Iterator[None]:
    """Suppress any exception of a block if the file does not exist any more.

    Another sweep may have moved the file, and each storage raises its own exception for that.
    """
    try:
        yield
    except Exception:
        if storages["documents"].exists(name):
            raise


def holds(name: str) -> bool:
    """Return whether a file of this name is in quarantine."""
    return storages["documents"].exists(f"{FOLDER}/{name}")


def put_in(name: str) -> None:
    """Move a file into quarantine."""
    _move(name, f"{FOLDER}/{name}")


def put_back(name: str) -> None:
    """Move a file from quarantine back to the name in its document's row."""
    _move(f"{FOLDER}/{name}", name)


def list_old(*, before: datetime) -> list[str]:
    """Return the storage names of files that were put in quarantine before a time."""
    return [name for name in walk(storages["documents"], FOLDER) if is_older(name, before)]


def is_older(name: str, before: datetime) -> bool:
    """Return whether a file exists and was stored before a time."""
    with or_gone(name):
        return storages["documents"].get_modified_time(name) < before
    return False


def _move(name: str, target: str) -> None:
    """Copy a file as it is stored, then delete the original, so that a crash loses no file.

    A file that cannot be decrypted is moved as well, such as one that was not written to its end.
    Does nothing if another sweep has moved the file.
    """
    store = store_below(storages["documents"])
    with or_gone(name):
        with store.open(name) as content:
            store.save(target, content)
        store.delete(name)
