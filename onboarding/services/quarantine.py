"""Quarantine: where files without a row wait in the store before they are deleted."""

from collections.abc import Iterator
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
    storage = storages["documents"]
    names = list_files(storage, FOLDER)
    return [name for name in names if storage.get_modified_time(name) < before]


def _move(name: str, target: str) -> None:
    """Write a file anew, then delete it where it was: after a crash there are two, never none."""
    storage = storages["documents"]
    with storage.open(name) as content:
        storage.save(target, ContentFile(content.read()))
    storage.delete(name)
