"""A storage that encrypts files on their way into another storage."""

import logging
import posixpath
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, Storage, storages

from foundation.metrics import declared as metrics
from foundation.metrics.instruments import timed
from foundation.privacy import encrypted_files, key_providers
from foundation.privacy.encrypted_files import HEADER_BYTES, UnreadableFile, wrapped_key_of
from foundation.privacy.encrypted_spools import SpooledFile
from foundation.privacy.encryption import DecryptionError

logger = logging.getLogger(__name__)
REFUSE = "refuse"


class EncryptedStorage(Storage):
    """Encrypts each file with a data key of its own, which is wrapped for the name of the file.

    `store` has the settings of the storage below. `label` tells its files from those of other
    storages. Files whose names begin with one of `plain` are not encrypted. A file without a
    header is read as it is, unless UNENCRYPTED_FILES is `refuse`: it was stored before encryption.
    A file in the folder `moved` has the key of its name without the folder. Files whose names begin
    with one of `others` belong to another storage, which in a bucket lies within this one.
    """

    def __init__(
        self,
        *,
        store: dict[str, Any],
        label: str,
        plain: Sequence[str] = (),
        moved: str = "",
        others: Sequence[str] = (),
    ) -> None:
        self.store: Any = storages.create_storage(store)  # Any: it is asked for its own _save
        self.label = label
        self.plain = tuple(plain)
        self.moved = moved
        self.others = tuple(others)

    def wants_encryption(self, name: str) -> bool:
        """Return whether a file of this name is to be encrypted."""
        return not name.startswith(self.plain)

    def header(self, key: bytes, name: str) -> bytes:
        """Return the header of a file, with its data key wrapped. Raises: KeyServiceUnavailable."""
        wrapped = key_providers.key_provider().wrap(key, context=self._context(name))
        return encrypted_files.make_header(wrapped)

    def unwrap(self, wrapped: str, name: str) -> bytes:
        """Return the data key of a file. Raises: UnreadableFile, KeyServiceUnavailable."""
        try:
            return key_providers.unwrap(wrapped, context=self._context(name))
        except DecryptionError as exc:
            raise UnreadableFile("no key unwraps its data key, or it was moved") from exc

    def encrypted(self, content: "File[bytes]", name: str) -> "File[bytes]":
        """Return the encrypted file of a content. Raises: KeyServiceUnavailable."""
        key = encrypted_files.new_key()
        content.seek(0)
        header = self.header(key, name)
        return File(encrypted_files.encrypting_stream(content, key=key, header=header), name)

    def delete(self, name: str) -> None:
        with _measured("delete"):
            self.store.delete(name)

    def exists(self, name: str) -> bool:
        with _measured("exists"):
            return bool(self.store.exists(name))

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        with _measured("list"):
            folders, files = self.store.listdir(path)
        return folders, files

    def size(self, name: str) -> int:
        """Return the size of the content in bytes."""
        with self.store.open(name) as opened:
            is_encrypted = opened.read(HEADER_BYTES).startswith(encrypted_files.MAGIC)
        stored: int = self.store.size(name)
        return encrypted_files.content_size(stored) if is_encrypted else stored

    def get_modified_time(self, name: str) -> datetime:
        found: datetime = self.store.get_modified_time(name)
        return found

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return str(self.store.get_available_name(name, max_length=max_length))

    def _open(self, name: str, mode: str = "rb") -> "File[bytes]":
        """Return the content, authenticated.

        Raises: FileNotFoundError, UnreadableFile, KeyServiceUnavailable; ValueError for other modes
        than `rb`.
        """
        if mode != "rb":
            raise ValueError("Files are opened for reading; `save` writes them.")
        with _measured("open"):
            opened = self.store.open(name)
        try:
            with self._logged(name):
                return self._content(opened, name)
        except BaseException:
            opened.close()
            raise

    def _content(self, opened: "File[bytes]", name: str) -> "File[bytes]":
        wrapped = wrapped_key_of(opened.read(HEADER_BYTES))
        if wrapped is not None:
            key = self.unwrap(wrapped, name)
            return File(encrypted_files.decrypting_stream(opened, key=key), name)
        if settings.UNENCRYPTED_FILES == REFUSE and self.wants_encryption(name):
            raise UnreadableFile("it is not encrypted, and UNENCRYPTED_FILES is refuse")
        opened.seek(0)
        return opened

    def _save(self, name: str, content: "File[bytes]") -> str:
        if not self.wants_encryption(name):
            return self._save_below(name, content)
        with self._encrypted_upload(content, name) as encrypted:
            stored = self._save_below(name, encrypted)
        if stored != name:  # another process took the name for which the key is wrapped
            self.store.delete(stored)
            return self._save(self.get_available_name(name), content)
        return stored

    def _save_below(self, name: str, content: "File[bytes]") -> str:
        with _measured("save"):
            return str(self.store._save(name, content))  # noqa: SLF001 - what a storage defines

    def _encrypted_upload(self, content: "File[bytes]", name: str) -> "File[bytes]":
        """Return the encrypted content.

        Of a spooled upload into a folder it is the upload's own file, which the store renames.
        Raises: KeyServiceUnavailable.
        """
        spool = content.spool if isinstance(content, SpooledFile) else None
        if spool and isinstance(self.store, FileSystemStorage):
            return spool.with_header(self.header(spool.key, name))
        return self.encrypted(content, name)

    def _context(self, name: str) -> str:
        return f"file {self.label}/{name.removeprefix(self.moved)}"

    @contextmanager
    def _logged(self, name: str) -> Iterator[None]:
        try:
            yield
        except UnreadableFile as exc:
            logger.critical("the file %s/%s cannot be read: %s", self.label, name, exc)
            raise


@contextmanager
def _measured(operation: str) -> Iterator[None]:
    """Count and time an operation of the store below; a missing file counts as `missing`."""
    with timed(metrics.STORE_OPERATIONS, metrics.STORE_OPERATION_DURATION, operation) as block:
        try:
            yield
        except FileNotFoundError:
            block.outcome = "missing"
            raise


def store_below(storage: Storage) -> Storage:
    """Return the storage below an EncryptedStorage, which has its files as they are stored.

    Any other storage is returned itself.
    """
    below: Storage = storage.store if isinstance(storage, EncryptedStorage) else storage
    return below


def walk(storage: Storage, folder: str = "") -> Iterator[str]:
    """Yield the names of all files below a folder.

    Of a bucket all keys are listed, a thousand by a request, instead of a request for each folder.
    """
    store = store_below(storage)
    if hasattr(store, "bucket"):
        yield from _walk_bucket(store, folder)
        return
    try:
        folders, files = storage.listdir(folder)
    except FileNotFoundError:  # nothing was stored yet, or the folder was deleted meanwhile
        return
    yield from (posixpath.join(folder, file) for file in files)
    for inner in folders:
        yield from walk(storage, posixpath.join(folder, inner))


def _walk_bucket(store: Any, folder: str) -> Iterator[str]:
    root = f"{store.location.strip('/')}/".lstrip("/")
    prefix = f"{root}{folder}/" if folder else root
    with _measured("list"):
        for found in store.bucket.objects.filter(Prefix=prefix):
            if not found.key.endswith("/"):  # some programs write a key for a folder
                yield found.key.removeprefix(root)
