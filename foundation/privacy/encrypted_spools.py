"""Temporary files that are encrypted on disk, and that a storage may keep by renaming them."""

import io
import os
import tempfile
from pathlib import Path
from typing import IO

from django.core.files import File

from foundation.privacy.encrypted_files import PieceWriter, decrypting_stream, new_key


class EncryptedSpool:
    """A temporary file in a folder, under a data key that only this process has.

    `close` removes the file, unless a storage has renamed it; it can be read until then.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=folder, prefix="upload-")
        self.path, self.key = Path(name), new_key()
        self._file = io.FileIO(descriptor, "r+b")
        self._writer: PieceWriter | None = PieceWriter(self._file, self.key)

    def write(self, data: bytes | memoryview) -> None:
        """Append to the content, before the first `as_file`."""
        assert self._writer  # noqa: S101 - the last piece is not written
        self._writer.write(data)

    def as_file(self) -> "File[bytes]":
        """End writing and return the content, for a storage, which may take the file on disk.

        It takes the file by `with_header`.
        """
        if self._writer:
            self._writer.finish()
            self._writer = None
        handle = os.fdopen(os.dup(self._file.fileno()), "rb")
        return SpooledFile(decrypting_stream(handle, key=self.key, is_verified=True), self)

    def with_header(self, header: bytes) -> "File[bytes]":
        """Write the header, and return the encrypted file, which a storage moves by its path."""
        os.pwrite(self._file.fileno(), header, 0)
        return MovableFile(os.fdopen(os.dup(self._file.fileno()), "rb"), self.path)

    def close(self) -> None:
        """Discard the content."""
        self._file.close()
        self.path.unlink(missing_ok=True)


class SpooledFile(File):  # type: ignore[type-arg]  # not at run time
    """The decrypted content of an EncryptedSpool, as a Django file."""

    def __init__(self, content: IO[bytes], spool: EncryptedSpool) -> None:
        super().__init__(content, name="upload")
        self._spool = spool

    @property
    def spool(self) -> EncryptedSpool | None:
        """Return the spool, or None once a storage has taken its file on disk."""
        return self._spool if self._spool.path.exists() else None


class MovableFile(File):  # type: ignore[type-arg]  # not at run time
    """A file on disk. A storage on the same disk renames it instead of copying it."""

    def __init__(self, handle: io.BufferedReader, path: Path) -> None:
        super().__init__(handle, name=path.name)
        self._path = path

    def temporary_file_path(self) -> str:
        """Return the path; Django's storages look for this method."""
        return str(self._path)
