"""Request buffering: each body is read whole before a Django thread handles the request.

A slow client blocks only one of many cheap reader threads. Django threads are few, because each
holds a database connection. A network of clients may hold BODIES_PER_NETWORK readers of a process;
a read has no deadline, because the server's `read` returns only at the end of the body.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from queue import SimpleQueue
from tempfile import SpooledTemporaryFile
from threading import Lock, Thread
from typing import IO, Any, NoReturn, cast

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.handlers.wsgi import WSGIHandler
from django.db import connections

from config.paths import BANK_API, WITH_FILES
from foundation.metrics import declared as metrics
from onboarding.uploads import StorageUnavailable, writing

READERS = 256  # reader threads, started on demand
PIECE_BYTES = 64 * 1024
MEMORY_BYTES = 1024**2  # longer bodies are kept on disk
FORM = "multipart/form-data"  # a browser may lose the response if the form is not read
REFUSAL_HEADERS = [
    ("Content-Type", "text/plain; charset=utf-8"),
    ("X-Content-Type-Options", "nosniff"),
    ("Retry-After", "1"),
]
ARRIVED = "vestibule.arrived"  # in the environ, by `time.perf_counter`
Environ = dict[str, Any]
Answer = Iterable[bytes] | BaseException
Request = tuple[Environ, Callable[..., Any], SimpleQueue[Answer]]


class TooManyBodies(Exception):
    """The client's network is sending as many bodies as it may."""


class BrokenOff(Exception):
    """The connection ended before the body had its announced length."""


class WholeBodies:
    """WSGI application that runs Django in `threads` threads.

    `most_bytes` is the longest body that a view below WITH_FILES accepts; the record feed accepts
    FEED_BODY_MAX_BYTES with a bank key, other views DATA_UPLOAD_MAX_MEMORY_SIZE. A longer body that
    is no form is not read: every view refuses it by its Content-Length. Reading a longer form stops
    at the limit, and a view that reads the form gets an error, because missing fields would look
    like empty ones.
    """

    def __init__(self, application: WSGIHandler, *, threads: int, most_bytes: int) -> None:
        from config.middleware import client_address, client_network  # Django must be set up
        from onboarding.api.authentication import has_bank_key

        self.address_of, self.network_of = client_address, client_network
        self.has_bank_key = has_bank_key
        self.application = application
        self.most_bytes = most_bytes
        self.requests: SimpleQueue[Request] = SimpleQueue()
        self.readers: Counter[str] = Counter()  # in use, by network
        self.lock = Lock()  # of `readers`
        metrics.THREADS.add(threads)
        for number in range(threads):
            Thread(target=self._work, name=f"django-{number}", daemon=True).start()

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        try:
            with self._reader(environ):
                body = self._receive(environ)
        except TooManyBodies:
            metrics.LIMIT_REFUSALS.count("bodies")
            start_response("429 Too Many Requests", REFUSAL_HEADERS)
            return [b"Too many unfinished requests from your network.\n"]
        except BrokenOff:
            start_response("400 Bad Request", REFUSAL_HEADERS)
            return [b"The body is shorter than its Content-Length.\n"]
        environ["wsgi.input"], environ[ARRIVED] = body, time.perf_counter()
        answers: SimpleQueue[Answer] = SimpleQueue()
        self.requests.put((environ, start_response, answers))
        answer = answers.get()
        if isinstance(answer, Streamed):
            answer.body = body  # which it may read while it is iterated
        else:
            _close(body)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    @contextmanager
    def _reader(self, environ: Environ) -> Iterator[None]:
        """Count this thread as a reader of the client's network while a body is read.

        Raises: TooManyBodies.
        """
        if not has_body(environ):
            yield
            return
        network = self.network_of(environ)
        with self.lock:
            if self.readers[network] >= settings.BODIES_PER_NETWORK:
                raise TooManyBodies
            self.readers[network] += 1
        try:
            yield
        finally:
            with self.lock:
                self.readers[network] -= 1
                if not self.readers[network]:
                    del self.readers[network]

    def _receive(self, environ: Environ) -> IO[bytes]:
        most = self._longest(environ)
        is_form = environ.get("CONTENT_TYPE", "").startswith(FORM)
        is_too_long = int(environ.get("CONTENT_LENGTH") or 0) > most
        if is_too_long and not is_form:
            return BytesIO()
        body = whole(environ, most_bytes=most)
        if is_too_long:
            with suppress(OSError):
                body.close()
            return CutForm()
        return body

    def _longest(self, environ: Environ) -> int:
        """Return the length of the longest body that the view of a request accepts. Units: bytes.

        A longer body for the record feed is read only from a caller with a bank key.
        """
        path = environ.get("PATH_INFO", "")
        if not path.startswith(BANK_API):
            has_files = path.startswith(WITH_FILES)
            return self.most_bytes if has_files else settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        is_long = int(environ.get("CONTENT_LENGTH") or 0) > self.most_bytes or is_chunked(environ)
        return (
            settings.FEED_BODY_MAX_BYTES if is_long and self._is_bank(environ) else self.most_bytes
        )

    def _is_bank(self, environ: Environ) -> bool:
        """Return whether a system of the bank calls; the view authenticates it again."""
        try:
            header = environ.get("HTTP_AUTHORIZATION", "")
            return self.has_bank_key(header, address=self.address_of(environ))
        finally:
            connections.close_all()

    def _work(self) -> None:
        """Handle one request after the other, with less CPU time than `concurrent.futures`."""
        while True:
            environ, start_response, answers = self.requests.get()
            metrics.THREADS_BUSY.add(1)
            try:
                answer: Answer = self._answer(environ, start_response)
            except BaseException as exc:  # noqa: BLE001 - the server's thread raises it
                answer = exc
            metrics.THREADS_BUSY.add(-1)
            answers.put(answer)

    def _answer(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        response = self.application(environ, start_response)
        if response.streaming:
            return Streamed(response)
        try:
            return list(response)
        finally:
            response.close()


class Streamed:
    """Response that a server thread iterates, so that its queries use a connection of that thread.

    Only `close` closes this connection.
    """

    def __init__(self, response: Any) -> None:
        self.response = response
        self.body: IO[bytes] = BytesIO()

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.response)

    def close(self) -> None:
        """Close the response, the body of the request and the connections of this thread."""
        self.response.close()
        _close(self.body)
        connections.close_all()


class NotKept(BytesIO):
    """Body that could not be written to disk; a view that reads it responds with 503."""

    error: type[Exception] = StorageUnavailable

    def read(self, size: int | None = -1, /) -> NoReturn:
        """Raise `error`."""
        raise self.error

    readline = read


class CutForm(NotKept):
    """Form that is longer than views accept; a view that reads it responds with 400 or 413."""

    error = RequestDataTooBig


def whole(environ: Environ, *, most_bytes: int) -> IO[bytes]:
    """Read the whole body, but at most `most_bytes` and one byte more.

    A body that cannot be stored is read all the same, so that the client gets the response. A
    chunked body for the record feed gets the length that was read as its Content-Length.
    Raises: BrokenOff. A chunked body that breaks off is not told from a whole one.
    """
    if not has_body(environ):
        return BytesIO()
    announced = None if is_chunked(environ) else int(environ["CONTENT_LENGTH"])
    is_small = announced is not None and announced <= MEMORY_BYTES
    body: IO[bytes] = BytesIO() if is_small else _spooled()
    source, left = environ["wsgi.input"], most_bytes + 1
    while left > 0 and (piece := source.read(min(PIECE_BYTES, left))):
        left -= len(piece)
        if not isinstance(body, NotKept):
            body = _append(body, piece)
    size = most_bytes + 1 - left
    if announced is not None and size < min(announced, most_bytes + 1):
        _close(body)
        raise BrokenOff
    if announced is None and environ.get("PATH_INFO", "").startswith(BANK_API):
        environ["CONTENT_LENGTH"] = str(size)
    body.seek(0)
    return body


def _close(body: IO[bytes]) -> None:
    with suppress(OSError):  # the disk is full
        body.close()


def has_body(environ: Environ) -> bool:
    """Return whether a body follows the head."""
    return bool(environ.get("CONTENT_LENGTH")) or is_chunked(environ)


def is_chunked(environ: Environ) -> bool:
    """Return whether the body comes in chunks, without an announced length."""
    return "HTTP_TRANSFER_ENCODING" in environ


def _append(body: IO[bytes], piece: bytes) -> IO[bytes]:
    """Return the body with `piece` appended, or NotKept if the disk is full."""
    try:
        with writing():
            body.write(piece)
            body.flush()
    except StorageUnavailable:
        with suppress(OSError):
            body.close()
        return NotKept()
    return body


def _spooled() -> IO[bytes]:
    """Return a file that moves from memory to disk when longer than MEMORY_BYTES."""
    with suppress(OSError):  # the first write to disk then fails as well
        settings.DOCUMENT_SPOOL.mkdir(mode=0o700, parents=True, exist_ok=True)
    spool = str(settings.DOCUMENT_SPOOL)
    return cast("IO[bytes]", SpooledTemporaryFile(MEMORY_BYTES, "w+b", dir=spool))
