"""Rotation: encrypt files that were stored plain, and wrap data keys again after a new key."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Final

from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, storages

from foundation.privacy.encrypted_files import HEADER_BYTES, rewrapped_stream, wrapped_key_of
from foundation.privacy.encrypted_storage import EncryptedStorage, walk
from foundation.privacy.key_providers import key_provider

PART_PREFIX: Final = ".encrypting-"  # of names of files that are being written


class Outcome(StrEnum):
    """The outcome for a file. CURRENT: nothing was to do. GONE: it was deleted meanwhile."""

    ENCRYPTED = "encrypted"
    REWRAPPED = "rewrapped"
    CURRENT = "current"
    GONE = "gone"


def encrypted_storages() -> list[EncryptedStorage]:
    """Return the storages that encrypt their files."""
    found = [storages[alias] for alias in settings.STORAGES]
    return [storage for storage in found if isinstance(storage, EncryptedStorage)]


def list_names(storage: EncryptedStorage) -> Iterator[str]:
    """Yield the names of all files that must be encrypted, whether they are or not yet."""
    for name in walk(storage):
        is_part = name.rpartition("/")[2].startswith(PART_PREFIX)
        if storage.wants_encryption(name) and not is_part and not name.startswith(storage.others):
            yield name


def renew(storage: EncryptedStorage, name: str, *, dry_run: bool = False) -> Outcome:
    """Encrypt a plain file, or wrap the data key of an encrypted one with the present key.

    With `dry_run` nothing is written, and the outcome is that of a run. Readers find the old file
    or the new one.
    Raises: UnreadableFile, KeyServiceUnavailable.
    """
    try:
        with storage.store.open(name) as opened:
            wrapped = wrapped_key_of(opened.read(HEADER_BYTES))
            if wrapped is not None and key_provider().is_current(wrapped):
                return Outcome.CURRENT
            if not dry_run:
                _replace(storage, name, _renewed(storage, name, opened, wrapped))
    except FileNotFoundError:  # deleted meanwhile
        return Outcome.GONE
    return Outcome.ENCRYPTED if wrapped is None else Outcome.REWRAPPED


def verify(storage: EncryptedStorage, name: str) -> Outcome:
    """Authenticate a whole file. Return CURRENT, under any key, or GONE if it was deleted.

    Raises: UnreadableFile, KeyServiceUnavailable.
    """
    try:
        storage.open(name).close()
    except FileNotFoundError:  # deleted meanwhile
        return Outcome.GONE
    return Outcome.CURRENT


def remove_parts(storage: EncryptedStorage, *, before: datetime) -> None:
    """Delete the unfinished files that interrupted runs left before a time in a storage on disk."""
    if not isinstance(storage.store, FileSystemStorage):
        return
    for part in Path(storage.store.location).rglob(f"{PART_PREFIX}*"):
        with suppress(FileNotFoundError):  # another run has renamed it
            if part.stat().st_mtime < before.timestamp():
                part.unlink()


def _renewed(
    storage: EncryptedStorage, name: str, opened: "File[bytes]", wrapped: str | None
) -> "File[bytes]":
    if wrapped is None:
        return storage.encrypted(opened, name)
    header = storage.header(storage.unwrap(wrapped, name), name)
    return File(rewrapped_stream(opened, header=header), name)


def _replace(storage: EncryptedStorage, name: str, content: "File[bytes]") -> None:
    if isinstance(storage.store, FileSystemStorage):
        _replace_on_disk(Path(storage.store.path(name)), content)
    else:
        storage.store._save(name, content)  # noqa: SLF001 - replaces an object as a whole


def _replace_on_disk(path: Path, content: "File[bytes]") -> None:
    """Write a file beside the old one and rename it; its owner, mode and times are kept.

    The old file is looked for after the copy, so that a file deleted meanwhile stays deleted.
    Raises: FileNotFoundError if it was.
    """
    descriptor, part = tempfile.mkstemp(dir=path.parent, prefix=PART_PREFIX)
    try:
        with os.fdopen(descriptor, "wb") as file:
            shutil.copyfileobj(content, file)
            file.flush()
            os.fsync(descriptor)
            old = path.stat()
            os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
            with suppress(PermissionError):  # only root may give files away
                os.fchown(descriptor, old.st_uid, old.st_gid)
        os.utime(part, ns=(old.st_atime_ns, old.st_mtime_ns))
        Path(part).replace(path)
    finally:
        Path(part).unlink(missing_ok=True)
