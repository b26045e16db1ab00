"""XML of lists: files are untrusted, so entities and document types are refused."""

import io
from collections.abc import Iterator, Sequence
from typing import Any

from lxml import etree

from banking.imports.transactions import UnreadableFile
from banking.imports.xml_files import SAFELY, forget, root_of
from onboarding.screening.lists.reading import BrokenFile, Files


def open_list(files: Files, root: str) -> tuple[bytes, dict[str, str]]:
    """Return the content of the main file, and the attributes of its first element.

    Raises: BrokenFile if the file is no XML, has a document type, or another first element than
    `root`.
    """
    path, content = files.main, files.read(files.main)
    try:
        name = root_of(path)
    except UnreadableFile as exc:
        raise BrokenFile(path.name, 1, str(exc).rstrip(".")) from None
    if name.localname != root:
        raise BrokenFile(path.name, 1, f"the first element is {name.localname} instead of {root}")
    _, element = next(etree.iterparse(io.BytesIO(content), ("start",), **SAFELY))
    return content, {str(key): str(value) for key, value in element.attrib.items()}


def iterate(file: str, content: bytes, tags: Sequence[str]) -> Iterator[Any]:
    """Yield the elements with these local names, each emptied when the next one is asked for.

    Raises: BrokenFile if the content is no XML.
    """
    wanted = [f"{{*}}{tag}" for tag in tags]
    try:
        for _, element in etree.iterparse(io.BytesIO(content), ("end",), tag=wanted, **SAFELY):
            yield element
            forget(element)
    except etree.XMLSyntaxError as exc:
        raise BrokenFile(file, exc.lineno or 1, f"it is not XML: {exc.msg}") from None


def children(element: Any, tag: str) -> list[Any]:
    """Return the children with this local name."""
    return list(element.findall(f"{{*}}{tag}"))


def text_of(element: Any, path: str) -> str:
    """Return the text of the first child with this local name, stripped; empty without one."""
    found = element.find(f"{{*}}{path}")
    return " ".join((found.text or "").split()) if found is not None else ""
