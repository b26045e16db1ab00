"""XML from other parties: nothing is fetched, no entity is replaced, nesting is limited.

Call `root_of` first: only it refuses a DTD. The number of elements is not limited, so a parser
frees with `forget` the elements that it has read.
"""

from pathlib import Path
from typing import Any

from lxml import etree

from banking.imports.transactions import UnreadableFile

SAFELY: dict[str, Any] = {
    "resolve_entities": False,
    "load_dtd": False,
    "no_network": True,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}


def root_of(path: Path) -> etree.QName:
    """Return the name of the first element. Raises: UnreadableFile for no XML, or with a DTD."""
    try:
        with path.open("rb") as file:
            _, root = next(etree.iterparse(file, ("start",), **SAFELY))
    except StopIteration:
        raise UnreadableFile("The file is empty.") from None
    except etree.XMLSyntaxError as exc:
        raise UnreadableFile(f"The file is not XML: {exc.msg}.") from None
    if root.getroottree().docinfo.internalDTD is not None:
        raise UnreadableFile("The file has a document type declaration, which is refused.")
    try:
        return etree.QName(root)
    except ValueError:
        raise UnreadableFile("The file's first element has no proper name.") from None


def forget(element: Any) -> None:
    """Free the memory of an element and of its earlier siblings."""
    element.clear()
    parent = element.getparent()
    while element.getprevious() is not None:
        del parent[0]
