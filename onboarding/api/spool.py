"""Streaming of large bodies: documents are decoded piece by piece, in bounded memory.

A scanner tracks its path in the JSON text and replaces each content of a document with a name.
The rest of the text is small and is passed unchanged to the strict parser. The scanner validates
nothing: malformed JSON stays malformed, so that the parser refuses it.
"""

import codecs
import hashlib
import json
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from django.conf import settings

from onboarding.errors import ErrorCode, InvalidValue, Refused
from onboarding.uploads import Base64Decoder, Upload, Uploads

PIECE = 64 * 1024
STRUCTURE = re.compile(rb'["{}\[\]:,]')
STRING = re.compile(rb'(?:[^"\\]+|\\u.{4}|\\[^u])*', re.DOTALL)  # stops before an incomplete escape
ITEM = None  # path step of a list element
CONTENT = ["documentDataList", ITEM, "content"]


class RequestTooLarge(Refused):
    """The body exceeds a size limit."""

    code = ErrorCode.REQUEST_TOO_LARGE


class Stream(Protocol):
    """An object from which a request body can be read, such as an HttpRequest."""

    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True)
class SpooledBody:
    """A large body: `json` without the contents, and the contents as uploads or faults.

    `sha256` and `size_bytes` describe the body as sent. Close `uploads` at the end of the request.
    """

    json: bytes
    size_bytes: int
    sha256: str
    uploads: Uploads
    contents: dict[str, Upload | InvalidValue]

    def insert_contents(self, data: Any) -> Any:
        """Return `data`, the parsed `json`, with contents in the place of their names.

        `data` is changed in place. A content is an Upload, or the InvalidValue of a faulty one.
        """
        documents = data.get(CONTENT[0]) if isinstance(data, dict) else None
        for document in documents if isinstance(documents, list) else []:
            if isinstance(document, dict):
                sent = document.get("content")
                if isinstance(sent, str) and sent in self.contents:
                    document["content"] = self.contents[sent]
        return data


def read_large_body(stream: Stream, *, limit: int) -> SpooledBody:
    """Read `stream` to its end in bounded memory, and decode the documents in it.

    Raises: RequestTooLarge if the body is longer than `limit` bytes, or its decoded documents or
    the rest of its JSON than their own limits.
    """
    digest, size, scanner = hashlib.sha256(), 0, JsonScanner()
    try:
        while piece := stream.read(PIECE):
            size += len(piece)
            if size > limit:
                raise RequestTooLarge(limit=limit)
            digest.update(piece)
            scanner.feed(piece)
    except BaseException:
        scanner.uploads.close()
        raise
    return SpooledBody(
        bytes(scanner.json), size, digest.hexdigest(), scanner.uploads, scanner.contents
    )


class JsonScanner:
    """Split a JSON text, fed in pieces, into the contents of documents and the rest.

    The scanner has two states: between strings, or in a string, which is a content, a key or
    another text. Its path has a step for each open container: the current key, or `ITEM`.
    """

    def __init__(self) -> None:
        self._most_json = settings.JSON_MAX_BYTES
        self.json = bytearray()
        self.uploads = Uploads()
        self.contents: dict[str, Upload | InvalidValue] = {}
        self._nonce = secrets.token_hex(16)  # no client can predict the name of a content
        self._path: list[str | None] = []
        self._is_in_string = False
        self._awaits_key = False
        self._key_start: int | None = None  # in `json`, while in a key
        self._content: Content | None = None  # while in a content
        self._held = b""  # an incomplete escape at the end of the last piece
        self._utf8 = codecs.getincrementaldecoder("utf-8")()

    def feed(self, piece: bytes) -> None:
        """Scan the next piece. Raises: RequestTooLarge if documents or other JSON are too long."""
        self._require_utf8(piece)
        piece, self._held = self._held + piece, b""
        position = 0
        while position < len(piece):
            step = self._in_string if self._is_in_string else self._between_strings
            position = step(piece, position)

    def _require_utf8(self, piece: bytes) -> None:
        try:
            self._utf8.decode(piece)
        except UnicodeDecodeError:
            self._keep(b"\xff")  # makes the parser refuse the body
            self._utf8.reset()

    def _between_strings(self, piece: bytes, position: int) -> int:
        found = STRUCTURE.search(piece, position)
        end = found.end() if found else len(piece)
        self._keep(piece[position:end])
        if found:
            self._pass(found[0])
        return end

    def _pass(self, token: bytes) -> None:
        if token == b'"':
            self._open_string()
        elif token in b"{[":
            self._path.append("" if token == b"{" else ITEM)
        elif token in b"}]" and self._path:
            self._path.pop()
        in_object = bool(self._path) and self._path[-1] is not ITEM
        self._awaits_key = in_object and token in b"{,"

    def _open_string(self) -> None:
        self._is_in_string = True
        self._key_start = len(self.json) if self._awaits_key else None
        if self._path == CONTENT and not self._awaits_key:
            self._content = Content(self.uploads, number=len(self.contents) + 1)

    def _in_string(self, piece: bytes, position: int) -> int:
        end = end_of_string(piece, position)
        if self._content is not None:
            self._decode(self._content, piece[position:end])
        else:
            self._keep(piece[position:end])
        if piece[end : end + 1] == b'"':
            self._close_string()
            return end + 1
        self._held = piece[end:]
        return len(piece)

    def _close_string(self) -> None:
        if self._content is not None:
            name = f"{self._nonce}-{len(self.contents)}"
            self.contents[name] = self._content.finish()
            self._keep(name.encode())
        elif self._key_start is not None:
            self._path[-1] = key_of(bytes(self.json[self._key_start :]))
        self._keep(b'"')
        self._content, self._is_in_string = None, False

    def _decode(self, content: "Content", text: bytes) -> None:
        if not content.write_plain(text):  # avoids unescaping most pieces
            plain = unescape(text)
            if plain is None:
                self._keep(b"\0")  # makes the parser refuse the body
                return
            content.write(plain.encode("ascii", "replace"))
        if self.uploads.size_bytes > settings.DOCUMENTS_MAX_BYTES_PER_REQUEST:
            raise RequestTooLarge(limit=settings.DOCUMENTS_MAX_BYTES_PER_REQUEST)

    def _keep(self, text: bytes) -> None:
        self.json += text
        if len(self.json) > self._most_json:
            raise RequestTooLarge(limit=self._most_json)


class Content:
    """The Base64 content of one document, which is decoded into an upload piece by piece.

    After a fault, its other pieces are skipped.
    """

    def __init__(self, uploads: Uploads, *, number: int) -> None:
        self._fault: InvalidValue | None = None
        limit = settings.DOCUMENTS_MAX_PER_REQUEST
        if number > limit:
            self._fault = InvalidValue(ErrorCode.TOO_MANY_DOCUMENTS, limit=limit)
            return
        self._upload = uploads.new()
        self._decoder = Base64Decoder(self._upload)

    def write_plain(self, text: bytes) -> bool:
        """Decode the next piece unless it has escapes; return whether the piece was consumed."""
        return self._fault is None and self._attempt(lambda: self._decoder.write_plain(text))

    def write(self, text: bytes) -> None:
        """Decode the next piece, in which the caller has resolved all escapes."""
        if self._fault is None:
            self._attempt(lambda: self._decoder.write(text))

    def finish(self) -> Upload | InvalidValue:
        """Return the upload, or the fault of the content."""
        if self._fault is None:
            self._attempt(self._decoder.finish)
        return self._fault or self._upload

    def _attempt(self, step: Callable[[], bool | None]) -> bool:
        """Run a decoding step; return whether it consumed its piece. A fault closes the upload."""
        try:
            return step() is not False
        except InvalidValue as exc:
            self._fault = exc
            self._upload.close()
            return True


def end_of_string(piece: bytes, position: int) -> int:
    """Return the index in `piece` at which the string around `position` ends.

    The result is the index of the closing quote or of an incomplete escape, or the piece's length.
    """
    quote = piece.find(b'"', position)
    end = len(piece) if quote < 0 else quote
    if piece.find(b"\\", position, end) < 0:
        return end
    found = STRING.match(piece, position)
    return found.end() if found else position


def key_of(text: bytes) -> str:
    """Return the key from the text between its quotes; an empty key for malformed JSON.

    Non-ASCII bytes become other non-ASCII characters.
    """
    return (unescape(text) or "") if b"\\" in text else text.decode("latin-1")


def unescape(text: bytes) -> str | None:
    """Return the value of the text between the quotes of a JSON string; None if malformed.

    Non-ASCII bytes become other non-ASCII characters.
    """
    try:
        plain: str = json.loads(f'"{text.decode("latin-1")}"')
    except ValueError:
        return None
    return plain
