"""Read each request whole before a thread of Django's takes it, as a buffering proxy does.

A sender that stalls holds a thread that reads, which costs little and of which there are many.
Django's threads are few, because each holds a connection to the database.
"""

from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from queue import SimpleQueue
from tempfile import TemporaryFile
from threading import Thread
from typing import IO, Any

from django.core.handlers.wsgi import WSGIHandler
from django.db import connections

READERS = 256  # threads of the server, made as they are needed
PIECE_BYTES = 64 * 1024
MEMORY_BYTES = 1024**2  # a longer body is kept on disk
BODY_MAX_BYTES = 64 * 1024**2  # more is not read: every view accepts less
FORM = "multipart/form-data"  # its first bytes say which page explains that it is too large
Environ = dict[str, Any]
Answer = Iterable[bytes] | BaseException
Request = tuple[Environ, Callable[..., Any], SimpleQueue[Answer]]


class WholeBodies:
    """A WSGI application that runs Django in `threads` threads.

    A body that is announced as longer than `most_bytes`, and is no form, is not read: every view
    refuses it by its announced length, at once.
    """

    def __init__(self, application: WSGIHandler, *, threads: int, most_bytes: int) -> None:
        self.application = application
        self.most_bytes = most_bytes
        self.requests: SimpleQueue[Request] = SimpleQueue()
        for number in range(threads):
            Thread(target=self._work, name=f"django-{number}", daemon=True).start()

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        with BytesIO() if self._is_refused(environ) else whole(environ) as body:
            environ["wsgi.input"] = body
            answers: SimpleQueue[Answer] = SimpleQueue()
            self.requests.put((environ, start_response, answers))
            answer = answers.get()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _is_refused(self, environ: Environ) -> bool:
        is_form = environ.get("CONTENT_TYPE", "").startswith(FORM)
        return not is_form and int(environ.get("CONTENT_LENGTH") or 0) > self.most_bytes

    def _work(self) -> None:
        """Answer one request after the other, with less CPU than `concurrent.futures` takes."""
        while True:
            environ, start_response, answers = self.requests.get()
            try:
                answers.put(self._answer(environ, start_response))
            except BaseException as exc:  # noqa: BLE001 - the server's thread raises it
                answers.put(exc)

    def _answer(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        response = self.application(environ, start_response)
        if response.streaming:
            return Streamed(response)
        try:
            return list(response)
        finally:
            response.close()


class Streamed:
    """A response that a thread of the server reads; its queries use a connection of that thread.

    `close` closes that connection; no other code does.
    """

    def __init__(self, response: Any) -> None:
        self.response = response

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.response)

    def close(self) -> None:
        """Close the response and the connections of this thread."""
        self.response.close()
        connections.close_all()


def whole(environ: Environ) -> IO[bytes]:
    """Return the body once all of it has come, up to BODY_MAX_BYTES."""
    length = environ.get("CONTENT_LENGTH", "")
    is_chunked = "HTTP_TRANSFER_ENCODING" in environ
    is_small = not is_chunked and (not length or int(length) <= MEMORY_BYTES)
    body: IO[bytes] = BytesIO() if is_small else TemporaryFile()  # noqa: SIM115 - the caller closes it
    if length or is_chunked:
        source, left = environ["wsgi.input"], BODY_MAX_BYTES
        while left > 0 and (piece := source.read(min(PIECE_BYTES, left))):
            body.write(piece)
            left -= len(piece)
        body.seek(0)
    return body
