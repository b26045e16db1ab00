"""Client of clamd, the scanning daemon of ClamAV: commands VERSION and INSTREAM.

Source: clamd(8), section COMMANDS.
"""

import socket
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

CONNECT_SECONDS: Final = 5.0
REPLY_MAX_BYTES: Final = 4096
CLEAN: Final = "stream: OK"
FOUND_PREFIX: Final = "stream: "
FOUND_SUFFIX: Final = " FOUND"
TOO_LARGE: Final = "INSTREAM size limit exceeded"


class ScanFailed(Exception):
    """clamd gave no verdict: it is away, too slow, or reports an error. A retry may help.

    The text says why, for staff and operators.
    """


@dataclass(frozen=True)
class Clamd:
    """A clamd at the path of a Unix socket, or at host:port.

    Units: `seconds` for a whole command; the default is more than clamd's own MaxScanTime of 120.
    """

    address: str
    seconds: float = 140

    def ask_version(self) -> str:
        """Return the versions of the program and of its signatures, as one text.

        Shape: `ClamAV 1.4.3/27800/Mon Nov 23 08:26:31 2026`; the second part is the version of the
        daily database, and absent without one. Raises: ScanFailed.
        """
        version = self._ask([b"zVERSION\0"])
        if not version.startswith("ClamAV "):
            raise ScanFailed(f"clamd answered {version!r} to VERSION")
        return version

    def scan(self, pieces: Iterable[bytes]) -> str:
        """Return the name of the malware found in a file; empty if none was found.

        Raises: ScanFailed, and the exceptions of `pieces`.
        """
        reply = self._ask(_frames(pieces))
        if reply == CLEAN:
            return ""
        if reply.startswith(FOUND_PREFIX) and reply.endswith(FOUND_SUFFIX):
            return reply.removeprefix(FOUND_PREFIX).removesuffix(FOUND_SUFFIX)
        if reply.startswith(TOO_LARGE):
            raise ScanFailed("the file is larger than StreamMaxLength in clamd.conf")
        raise ScanFailed(f"clamd answered {reply!r}")

    def _ask(self, frames: Iterable[bytes]) -> str:
        """Send the frames of a command and return the reply. Raises: ScanFailed."""
        ends_at = time.monotonic() + self.seconds
        with self._connect() as connection:
            for frame in frames:
                if not _send(connection, frame, ends_at):
                    break
            return _receive(connection, ends_at)

    def _connect(self) -> socket.socket:
        try:
            if not self.address.startswith("/"):
                host, _, port = self.address.rpartition(":")
                return socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS)
            return _connect_to_socket(self.address)
        except OSError as exc:
            raise ScanFailed(f"clamd is away: {exc}") from exc


def _connect_to_socket(path: str) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(CONNECT_SECONDS)
        connection.connect(path)
    except OSError:
        connection.close()
        raise
    return connection


def _frames(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the command INSTREAM, each piece after its length, and the end: a length of 0."""
    yield b"zINSTREAM\0"
    for piece in pieces:
        if piece:
            yield len(piece).to_bytes(4, "big") + piece
    yield bytes(4)


def _send(connection: socket.socket, frame: bytes, ends_at: float) -> bool:
    """Send a frame; return False if clamd has closed the connection, which may hold its reply.

    Raises: ScanFailed.
    """
    try:
        connection.settimeout(_left(ends_at))
        connection.sendall(frame)
    except (BrokenPipeError, ConnectionResetError):
        return False
    except OSError as exc:
        raise ScanFailed(f"clamd takes no data: {exc}") from exc
    return True


def _receive(connection: socket.socket, ends_at: float) -> str:
    """Return the reply, which ends with a NUL. Raises: ScanFailed."""
    reply = b""
    try:
        while not reply.endswith(b"\0") and len(reply) < REPLY_MAX_BYTES:
            connection.settimeout(_left(ends_at))
            piece = connection.recv(REPLY_MAX_BYTES)
            if not piece:
                raise ScanFailed("clamd closed the connection without a whole reply")
            reply += piece
    except OSError as exc:
        raise ScanFailed(f"clamd does not answer: {exc}") from exc
    return reply.rstrip(b"\0").decode("utf-8", "replace")


def _left(ends_at: float) -> float:
    """Return the seconds until the deadline. Raises: ScanFailed."""
    left = ends_at - time.monotonic()
    if left <= 0:
        raise ScanFailed("clamd did not answer in time")
    return left
