"""Uploads: files that were received and decoded, before they are stored."""

import binascii
import hashlib
import io
import logging
import string
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from django.conf import settings
from django.core.files import File

from foundation.inspection.file_types import HEAD_BYTES
from foundation.privacy.encrypted_spools import EncryptedSpool
from onboarding.errors import ErrorCode, InvalidValue, Refused

logger = logging.getLogger(__name__)
MEMORY_BYTES = 256 * 1024  # larger uploads are written to disk
ALPHABET = f"{string.ascii_letters}{string.digits}+/=".encode()
STANDARD = bytes.maketrans(b"-_", b"+/")  # from the URL-safe to the standard alphabet
LINE_BREAKS = b"\r\n"


class StorageUnavailable(Refused):
    """The disk or the object store accepts no files: full, read-only, broken or unreachable."""

    code = ErrorCode.SERVICE_UNAVAILABLE


@contextmanager
def writing() -> Iterator[None]:
    """Log any exception of the block as critical, and raise StorageUnavailable instead.

    Put only the write in the block: every exception counts as a failure of the storage.
    """
    try:
        yield
    except Exception as exc:
        logger.critical("files cannot be stored", exc_info=exc)
        raise StorageUnavailable from exc


class Upload:
    """A file to be stored: in memory, or encrypted in the directory `spool` once it is large.

    Shape: `head` holds the first bytes, for type detection. `close` removes the file in `spool`.
    """

    def __init__(self, spool: Path | None = None) -> None:
        self.size_bytes = 0
        self.head = b""
        self._digest = hashlib.sha256()
        self._folder = spool
        self._content: io.BytesIO | EncryptedSpool = io.BytesIO()

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of the content in hexadecimal."""
        return self._digest.hexdigest()

    def write(self, data: bytes) -> None:
        """Append to the content.

        Raises: InvalidValue if it would exceed `settings.DOCUMENT_MAX_BYTES`, StorageUnavailable.
        """
        size = self.size_bytes + len(data)
        if size > settings.DOCUMENT_MAX_BYTES:
            raise InvalidValue(ErrorCode.DOCUMENT_TOO_LARGE, limit=settings.DOCUMENT_MAX_BYTES)
        with writing():
            if self._folder and size > MEMORY_BYTES and isinstance(self._content, io.BytesIO):
                waiting, self._content = self._content.getvalue(), EncryptedSpool(self._folder)
                self._content.write(waiting)
            self._content.write(data)
        self._digest.update(data)
        self.head += data[: HEAD_BYTES - len(self.head)]
        self.size_bytes = size

    def as_file(self) -> "File[bytes]":
        """Return the content as a file for a storage, which may move a file on disk by renaming it.

        The upload stays readable even then, so that its content can be stored again.
        """
        if isinstance(self._content, EncryptedSpool):
            return self._content.as_file()
        return File(io.BytesIO(self._content.getvalue()), name="upload")

    def close(self) -> None:
        """Discard the content. A file that a storage has moved stays."""
        self._content.close()


class Uploads:
    """The uploads of one request; closing them removes their files on disk."""

    def __init__(self) -> None:
        self._closing = ExitStack()
        self._uploads: list[Upload] = []

    @property
    def size_bytes(self) -> int:
        """Return the total size of the uploads."""
        return sum(upload.size_bytes for upload in self._uploads)

    def new(self) -> Upload:
        """Return a new, empty upload of this request. The method `close` closes the upload, too."""
        upload = Upload(settings.DOCUMENT_SPOOL)
        self._uploads.append(upload)
        self._closing.callback(upload.close)
        return upload

    def close(self) -> None:
        """Close every upload; may be called again."""
        self._closing.close()


class Base64Decoder:
    """Decodes Base64 text, piece by piece, into an upload. Call `finish` after the last piece.

    The standard and the URL-safe alphabet are accepted, padding is optional, line breaks are
    skipped.
    Source: RFC 4648 sections 4 and 5; RFC 2045 section 6.8 for the line breaks.
    """

    def __init__(self, upload: Upload) -> None:
        self._upload = upload
        self._rest = b""  # up to three characters of an incomplete group
        self._is_padded = False

    def write_plain(self, text: bytes) -> bool:
        """Decode one more piece if it is in the standard alphabet without line breaks.

        Return False if it is not: then nothing was decoded, and `write` must get the same piece.
        Raises: InvalidValue if the upload becomes too large, StorageUnavailable.
        """
        text = self._rest + text
        whole = len(text) - len(text) % 4
        groups, rest = text[:whole], text[whole:]
        if self._is_padded or rest.strip(ALPHABET):
            return False
        try:
            data = binascii.a2b_base64(groups, strict_mode=True)
        except binascii.Error:
            return False
        self._rest, self._is_padded = rest, groups.endswith(b"=")
        self._upload.write(data)
        return True

    def write(self, text: bytes) -> None:
        """Decode one more piece. Raises: InvalidValue, StorageUnavailable."""
        text = self._rest + text.translate(STANDARD, LINE_BREAKS)
        whole = len(text) - len(text) % 4
        self._rest = text[whole:]
        self._decode(text[:whole])

    def finish(self) -> None:
        """Decode the rest.

        Raises: InvalidValue, also if the content is empty; StorageUnavailable.
        """
        if b"=" in self._rest:
            raise InvalidValue(ErrorCode.INVALID_BASE64)
        self._decode(self._rest.ljust(4, b"=") if self._rest else b"")
        if not self._upload.size_bytes:
            raise InvalidValue(ErrorCode.DOCUMENT_EMPTY)

    def _decode(self, groups: bytes) -> None:
        if not groups:
            return
        if self._is_padded:
            raise InvalidValue(ErrorCode.INVALID_BASE64)
        try:
            data = binascii.a2b_base64(groups, strict_mode=True)
        except binascii.Error:
            raise InvalidValue(ErrorCode.INVALID_BASE64) from None
        self._is_padded = groups.endswith(b"=")
        self._upload.write(data)


def decode_base64(text: str | bytes) -> Upload:
    """Decode Base64 to an upload in memory, which need not be closed. Raises: InvalidValue."""
    upload = Upload()
    decoder = Base64Decoder(upload)
    try:
        decoder.write(text.encode("ascii") if isinstance(text, str) else text)
    except UnicodeEncodeError:
        raise InvalidValue(ErrorCode.INVALID_BASE64) from None
    decoder.finish()
    return upload
