"""Active content: what a PDF file would do in a viewer. Runs in the child process only."""

import codecs
import io
from collections.abc import Iterator
from typing import Any, Final

import pypdf._crypt_providers._fallback
import pypdf.filters
import pypdf.xmp  # noqa: F401 - nothing can be imported later
from lxml import etree
from pypdf import PdfReader
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, PdfObject, StreamObject

from foundation.pdf.findings import Finding
from foundation.pdf.scripts import is_harmless_script

LEAVING: Final = {"/URI", "/GoToR", "/GoToE", "/SubmitForm"}  # actions that a person must start
STARTING: Final = {"/Launch", "/ImportData"}
MEDIA: Final = {"/RichMedia", "/Movie", "/Screen", "/Sound", "/3D"}
CLICKS: Final = {"/D", "/U"}  # of a mouse; other events of /AA need none
LONGEST_CHAIN = 100  # actions
SCRIPTED_XML = etree.XMLParser(resolve_entities=False, no_network=True)
for encoding in ("utf-16", "utf-16-be", "utf-16-le", "utf-8", "latin-1", "cp1252"):
    codecs.lookup(encoding)  # imports it


def find_active_content(content: bytes) -> bytes:
    """Return the first Finding in a PDF file; empty if it is harmless.

    Each current object is looked at, reachable or not, and decrypted with the empty password.
    """
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            return Finding.PASSWORD.encode()
        found = (finding for value in _values(reader) for finding in _findings(value))
        return next(found, "").encode()
    except Exception:  # noqa: BLE001 - a hostile file raises anything
        return Finding.DAMAGED.encode()


def _values(reader: PdfReader) -> Iterator[DictionaryObject]:
    """Yield all dictionaries, those of streams and those within other objects too."""
    places = [(number, 0) for number in reader.xref_objStm]
    places += [(number, generation) for generation, of in reader.xref.items() for number in of]
    for number, generation in [(0, 0), *places]:
        whole = IndirectObject(number, generation, reader).get_object() if number else None
        waiting: list[PdfObject | None] = [whole if number else reader.trailer]
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
    if value.get("/S") in STARTING or any(map(_leaves, _automatic(value))):
        yield Finding.START
    if isinstance(value.get("/EF"), DictionaryObject):
        yield Finding.FILES
    if value.get("/Subtype") in MEDIA:
        yield Finding.MEDIA
    if "/XFA" in value:
        yield from _findings_in_form(value["/XFA"])


def _automatic(value: DictionaryObject) -> Iterator[PdfObject]:
    """Yield the actions that start without a click."""
    if "/OpenAction" in value:
        yield value["/OpenAction"]
    events = value.get("/AA")
    if isinstance(events, DictionaryObject):
        yield from (events[event] for event in events if event not in CLICKS)


def _leaves(action: PdfObject) -> bool:
    """Return whether an action, or one that follows it, leads out of the document."""
    waiting = [action]
    for _ in range(LONGEST_CHAIN):
        if not waiting:
            return False
        one = waiting.pop().get_object()
        if isinstance(one, ArrayObject):
            waiting.extend(part for part in one if isinstance(part, DictionaryObject))
        elif isinstance(one, DictionaryObject):
            if one.get("/S") in LEAVING:
                return True
            if "/Next" in one:
                waiting.append(one["/Next"])
    return True


def _findings_in_form(form: PdfObject) -> Iterator[Finding]:
    """Look at an XFA form: a stream, or an array of names and of streams that together are XML."""
    parts = [part.get_object() for part in form] if isinstance(form, ArrayObject) else [form]
    packets = (part.get_data() for part in parts if isinstance(part, StreamObject))
    root = etree.fromstring(b"".join(packets), SCRIPTED_XML)
    for element in root.iter("{*}script", "{*}submit", "{*}execute"):
        if not element.tag.endswith("script"):
            yield Finding.START
        elif not is_harmless_script("".join(element.itertext())):
            yield Finding.SCRIPT


def _text(script: Any) -> str:
    """Return a script: a string or a stream."""
    if isinstance(script, str):
        return script
    data = script.get_data() if isinstance(script, StreamObject) else bytes(script)
    is_utf16 = data.startswith((b"\xfe\xff", b"\xff\xfe"))
    return data.decode("utf-16" if is_utf16 else "latin-1", "replace")
