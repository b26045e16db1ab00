"""Active content: scripts, actions and files in PDF files. Runs in the child process only."""

import codecs
import io
import re
from collections.abc import Iterator
from typing import Any, Final

import pypdf._crypt_providers._fallback
import pypdf.filters
import pypdf.xmp  # noqa: F401 - nothing can be imported later
from lxml import etree
from pypdf import PdfReader
from pypdf._utils import read_non_whitespace
from pypdf.errors import LimitReachedError
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    IndirectObject,
    NullObject,
    PdfObject,
    StreamObject,
    read_object,
)

from foundation.pdf.findings import Finding
from foundation.pdf.scripts import is_harmless_script

LEAVING: Final = {"/URI", "/GoToR", "/GoToE", "/SubmitForm"}  # actions that a person must start
STARTING: Final = {"/Launch", "/ImportData"}
MEDIA: Final = {"/RichMedia", "/Movie", "/Screen", "/Sound", "/3D"}
CLICKS: Final = {"/D", "/U"}  # of a mouse; other events of /AA need none
LONGEST_CHAIN = 100  # actions
OBJECT_HEADER = re.compile(rb"(?<!\d)(\d{1,10})[\0\s]{1,20}(\d{1,5})[\0\s]{1,20}obj")
SCRIPTED_XML = etree.XMLParser(resolve_entities=False, no_network=True)
for encoding in ("utf-16", "utf-16-be", "utf-16-le", "utf-8", "latin-1", "cp1252"):
    codecs.lookup(encoding)  # imports it


def find_active_content(content: bytes) -> bytes:
    """Return the first Finding in a PDF file; empty if it is harmless.

    Each object is looked at, reachable or not, former versions too, and decrypted with the empty
    password.
    """
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            return Finding.PASSWORD.encode()
        objects = _objects(content, reader)
        found = (finding for value in _values(objects) for finding in _findings(value))
        return next(found, "").encode()
    except (LimitReachedError, MemoryError):
        return Finding.SLOW.encode()
    except Exception:  # noqa: BLE001 - a hostile file raises anything
        return Finding.DAMAGED.encode()


def _objects(content: bytes, reader: PdfReader) -> Iterator[PdfObject | None]:
    """Yield the trailer, the current objects, and objects that no cross-reference table lists.

    Viewers that repair a file, or show a former version, find the unlisted objects.
    """
    yield reader.trailer
    for number in list(reader.xref_objStm):
        yield IndirectObject(number, 0, reader).get_object()
    listed = set()
    for generation, of in list(reader.xref.items()):
        for number in list(of):
            found = IndirectObject(number, generation, reader).get_object()
            yield found
            is_packed = generation == 0 and number in reader.xref_objStm
            if not is_packed and not isinstance(found, NullObject):
                listed.add(of[number])
                yield from _packed_objects(found, number, reader)
    for header in OBJECT_HEADER.finditer(content):
        if header.start() not in listed:
            yield from _read_unlisted(header.start(), reader)


def _read_unlisted(start: int, reader: PdfReader) -> Iterator[PdfObject]:
    reader.stream.seek(start)
    number, generation = reader.read_object_header(reader.stream)
    found = read_object(reader.stream, reader)
    plain = isinstance(found, DictionaryObject) and _name(found, "/Filter") == "/Standard"
    decryption = reader._encryption  # noqa: SLF001 - pypdf decrypts listed objects only
    if decryption and not plain:  # the strings of an encryption dictionary are not encrypted
        found = decryption.decrypt_object(found, number, generation)
    yield found
    yield from _packed_objects(found, -1, reader)


def _packed_objects(
    container: PdfObject | None, number: int, reader: PdfReader
) -> Iterator[PdfObject]:
    """Yield the objects of an object stream that the cross-reference tables do not list."""
    if not isinstance(container, StreamObject) or _name(container, "/Type") != "/ObjStm":
        return
    data, first = io.BytesIO(container.get_data()), int(str(container["/First"]))
    numbers = [int(one) for one in data.read(first).split()[: 2 * int(str(container["/N"]))]]
    seen = set()
    for inner, offset in zip(numbers[::2], numbers[1::2], strict=True):
        if inner in seen or reader.xref_objStm.get(inner, (0, 0))[0] != number:
            data.seek(first + offset)
            read_non_whitespace(data)
            data.seek(-1, io.SEEK_CUR)
            yield read_object(data, reader)
        seen.add(inner)


def _values(objects: Iterator[PdfObject | None]) -> Iterator[DictionaryObject]:
    """Yield all dictionaries, those of streams and those within other objects too."""
    for whole in objects:
        waiting: list[PdfObject | None] = [whole]
        while waiting:
            value = waiting.pop()
            if isinstance(value, DictionaryObject):
                yield value
                waiting.extend(value.values())
            elif isinstance(value, ArrayObject):
                waiting.extend(list.__iter__(value))


def _findings(value: DictionaryObject) -> Iterator[Finding]:
    if "/JS" in value and not is_harmless_script(_text(value["/JS"])):
        yield Finding.SCRIPT
    if _name(value, "/S") in STARTING or any(map(_leaves, _automatic(value))):
        yield Finding.START
    if isinstance(_entry(value, "/EF"), DictionaryObject):
        yield Finding.FILES
    is_external = isinstance(value, StreamObject) and "/F" in value
    if is_external or isinstance(_entry(value, "/Ref"), DictionaryObject):
        yield Finding.OUTSIDE
    if _name(value, "/Subtype") in MEDIA:
        yield Finding.MEDIA
    if "/XFA" in value:
        yield from _findings_in_form(value["/XFA"])


def _entry(value: DictionaryObject, key: str) -> PdfObject | None:
    """Return a value of a dictionary, itself and not a reference to it; None if it is missing."""
    return value[key] if key in value else None  # noqa: SIM401 - `get` returns the reference


def _name(value: DictionaryObject, key: str) -> str:
    name = _entry(value, key)
    return name if isinstance(name, str) else ""


def _automatic(value: DictionaryObject) -> Iterator[PdfObject]:
    """Yield the actions that start without a click."""
    if "/OpenAction" in value:
        yield value["/OpenAction"]
    events = _entry(value, "/AA")
    if isinstance(events, DictionaryObject):
        yield from (events[event] for event in events if event not in CLICKS)


def _leaves(action: PdfObject) -> bool:
    """Return whether an action, or an action that follows it, leads out of the document.

    A chain of more than LONGEST_CHAIN actions counts as one that does.
    """
    waiting = [action]
    for _ in range(LONGEST_CHAIN):
        if not waiting:
            return False
        one = waiting.pop().get_object()
        if isinstance(one, ArrayObject):
            waiting.extend(part for part in one if isinstance(part, DictionaryObject))
        elif isinstance(one, DictionaryObject):
            if _name(one, "/S") in LEAVING:
                return True
            if "/Next" in one:
                waiting.append(one["/Next"])
    return True


def _findings_in_form(form: PdfObject) -> Iterator[Finding]:
    """Yield the findings in an XFA form.

    The form is a stream, or an array of names and of streams that together are XML.
    """
    parts = [part.get_object() for part in form] if isinstance(form, ArrayObject) else [form]
    packets = (part.get_data() for part in parts if isinstance(part, StreamObject))
    root = etree.fromstring(b"".join(packets), SCRIPTED_XML)
    for element in root.iter("{*}script", "{*}submit", "{*}execute"):
        if not element.tag.endswith("script"):
            yield Finding.START
        elif not is_harmless_script("".join(element.itertext())):
            yield Finding.SCRIPT


def _text(script: Any) -> str:
    """Return the text of a script, which the PDF file holds as a string or a stream."""
    if isinstance(script, str):
        return script
    data = script.get_data() if isinstance(script, StreamObject) else bytes(script)
    is_utf16 = data.startswith((b"\xfe\xff", b"\xff\xfe"))
    return data.decode("utf-16" if is_utf16 else "latin-1", "replace")
