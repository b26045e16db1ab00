"""Encrypted files: a header with the wrapped data key, then pieces encrypted with the data key.

The header is MAGIC and the wrapped key, padded with spaces to HEADER_BYTES. A piece is PIECE_BYTES
of content, or fewer if it is the last, and a tag. Its nonce is its number and whether it is the
last piece, so no piece can be moved, left out or cut off. No piece fits into another file, because
each file has a data key of its own.
Source: AES-256-GCM of NIST SP 800-38D; STREAM of Hoang, Reyhanitabar, Rogaway and Vizár (2015).
"""

import io
import os
from collections.abc import Iterator
from itertools import chain
from typing import IO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

MAGIC = b"vestibule-file1 "
HEADER_BYTES = 1024
PIECE_BYTES = 64 * 1024
KEY_BYTES = 32
TAG_BYTES = 16
ENCRYPTED_PIECE_BYTES = PIECE_BYTES + TAG_BYTES


class UnreadableFile(Exception):
    """A stored file was changed, cut or moved, or its key is gone: no byte of it can be trusted."""


def new_key() -> bytes:
    """Return a random data key."""
    return os.urandom(KEY_BYTES)


def make_header(wrapped_key: str) -> bytes:
    """Return the header of a file. Raises: ValueError if the wrapped key is too long."""
    header = MAGIC + wrapped_key.encode()
    if len(header) > HEADER_BYTES:
        raise ValueError("The wrapped key does not fit into the header.")
    return header.ljust(HEADER_BYTES)


def wrapped_key_of(header: bytes) -> str | None:
    """Return the wrapped key of a header, or None if the file is not encrypted.

    Raises: UnreadableFile.
    """
    if not header.startswith(MAGIC):
        return None
    if len(header) < HEADER_BYTES or not header.isascii():
        raise UnreadableFile("its header is damaged")
    return header.removeprefix(MAGIC).decode().rstrip()


def content_size(stored_bytes: int) -> int:
    """Return the size of the content of an encrypted file of `stored_bytes`."""
    return max(0, stored_bytes - HEADER_BYTES - _piece_count(stored_bytes) * TAG_BYTES)


def encrypting_stream(content: IO[bytes], *, key: bytes, header: bytes) -> IO[bytes]:
    """Return the encrypted file of a content, which is read once, in pieces."""
    return io.BufferedReader(_Chunks(chain([header], _encrypted(content, key))), PIECE_BYTES)


def rewrapped_stream(stored: IO[bytes], *, header: bytes) -> IO[bytes]:
    """Return an encrypted file with another header; its pieces are copied as they are."""
    stored.seek(HEADER_BYTES)
    pieces = iter(lambda: stored.read(PIECE_BYTES), b"")
    return io.BufferedReader(_Chunks(chain([header], pieces)), PIECE_BYTES)


def decrypting_stream(stored: IO[bytes], *, key: bytes, is_verified: bool = False) -> IO[bytes]:
    """Return the content of an encrypted file, seekable; closing it closes `stored`.

    Unless `is_verified`, the whole file is authenticated before this returns.
    Raises: UnreadableFile, also while the content is read.
    """
    pieces = PieceReader(stored, key)
    if not is_verified:
        for number in range(pieces.count):
            pieces.load(number)
    return io.BufferedReader(pieces, PIECE_BYTES)


class PieceWriter:
    """Encrypts a content into a file, behind the space for a header that follows later."""

    def __init__(self, file: io.FileIO, key: bytes) -> None:
        self._file, self._cipher = file, AESGCM(key)
        self._rest = bytearray()
        self._number = 0
        file.seek(HEADER_BYTES)

    def write(self, data: bytes | memoryview) -> None:
        """Append to the content. The last piece stays in memory until `finish`."""
        self._rest += data
        while len(self._rest) > PIECE_BYTES:
            self._append(bytes(memoryview(self._rest)[:PIECE_BYTES]), is_last=False)
            del self._rest[:PIECE_BYTES]

    def finish(self) -> None:
        """Write the last piece; nothing may be written after it."""
        self._append(bytes(self._rest), is_last=True)

    def _append(self, content: bytes, *, is_last: bool) -> None:
        left = memoryview(
            self._cipher.encrypt(_nonce(self._number, is_last=is_last), content, MAGIC)
        )
        self._number += 1
        while left:  # a write to disk may be partial
            left = left[self._file.write(left) :]


class PieceReader(io.RawIOBase):
    """Decrypts a stored file piece by piece. Raises: UnreadableFile."""

    def __init__(self, stored: IO[bytes], key: bytes) -> None:
        super().__init__()
        self._stored, self._cipher = stored, AESGCM(key)
        stored.seek(0, os.SEEK_END)
        stored_bytes = stored.tell()
        self.count = max(1, _piece_count(stored_bytes))
        self._size = content_size(stored_bytes)
        self._loaded, self._content = -1, b""
        self._position = 0

    def load(self, number: int) -> None:
        """Decrypt a piece. Raises: UnreadableFile."""
        if number == self._loaded:
            return
        self._stored.seek(HEADER_BYTES + number * ENCRYPTED_PIECE_BYTES)
        encrypted = self._stored.read(ENCRYPTED_PIECE_BYTES)
        nonce = _nonce(number, is_last=number == self.count - 1)
        try:
            self._content = self._cipher.decrypt(nonce, encrypted, MAGIC)
        except (InvalidTag, ValueError) as exc:
            raise UnreadableFile(f"piece {number + 1} of {self.count} is not as written") from exc
        self._loaded = number

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}[whence]
        self._position = max(0, start + offset)
        return self._position

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # a buffer, in fact
        if self._position >= self._size:
            return 0
        number, start = divmod(self._position, PIECE_BYTES)
        self.load(number)
        found = self._content[start : start + len(buffer)]
        buffer[: len(found)] = found
        self._position += len(found)
        return len(found)

    def close(self) -> None:
        if not self.closed:
            self._stored.close()
            self._content = b""  # a closed file that somebody still refers to needs no memory
        super().close()


class _Chunks(io.RawIOBase):
    """A stream of the chunks that an iterator yields."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        super().__init__()
        self._chunks, self._rest = chunks, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # a buffer, in fact
        self._rest = self._rest or memoryview(next(self._chunks, b""))
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count


def _encrypted(content: IO[bytes], key: bytes) -> Iterator[bytes]:
    """Yield the encrypted pieces of a content; an empty content has one piece."""
    cipher, number = AESGCM(key), 0
    piece, following = _whole_piece(content), _whole_piece(content)
    while following:
        yield cipher.encrypt(_nonce(number, is_last=False), piece, MAGIC)
        piece, following, number = following, _whole_piece(content), number + 1
    yield cipher.encrypt(_nonce(number, is_last=True), piece, MAGIC)


def _whole_piece(content: IO[bytes]) -> bytes:
    """Read a piece, with as many reads as it takes."""
    piece = content.read(PIECE_BYTES)
    while piece and len(piece) < PIECE_BYTES and (more := content.read(PIECE_BYTES - len(piece))):
        piece += more
    return piece


def _piece_count(stored_bytes: int) -> int:
    return -(-(stored_bytes - HEADER_BYTES) // ENCRYPTED_PIECE_BYTES)


def _nonce(number: int, *, is_last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([is_last])
