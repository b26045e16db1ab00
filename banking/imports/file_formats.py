"""The formats of transaction files."""

import codecs
from enum import StrEnum
from pathlib import Path
from typing import Final

from banking.imports import xml_files
from banking.imports.transactions import UnreadableFile

HEAD: Final = 4096
MARK_OF_UTF8: Final = codecs.BOM_UTF8.decode("latin-1")
MARKS_OF_UTF16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class FileFormat(StrEnum):
    """The file formats that can be imported."""

    CSV = "csv"
    OFX = "ofx"
    CAMT = "camt"


SUFFIXES: Final = {
    ".csv": FileFormat.CSV,
    ".tsv": FileFormat.CSV,
    ".txt": FileFormat.CSV,
    ".ofx": FileFormat.OFX,
    ".qfx": FileFormat.OFX,
}


def detect(path: Path) -> FileFormat:
    """Return the format of a file by its content or, if that tells none, by the end of its name.

    Raises: UnreadableFile for empty files and other formats.
    """
    with path.open("rb") as file:
        head = file.read(HEAD)
    if not head.strip():
        raise UnreadableFile("The file is empty.")
    text = head.decode("utf-16" if head.startswith(MARKS_OF_UTF16) else "latin-1", "replace")
    text = text.removeprefix(MARK_OF_UTF8).lstrip()
    upper = text.upper()
    if upper.startswith(("OFXHEADER", "<OFX>", "<?OFX")) or "<?OFX" in upper:
        return FileFormat.OFX
    if text.startswith("<"):
        return _kind_of_xml(path)
    kind = SUFFIXES.get(path.suffix.lower())
    if kind is None:
        raise UnreadableFile("The file is neither OFX nor camt.053; name its kind.")
    return kind


def _kind_of_xml(path: Path) -> FileFormat:
    root = xml_files.root_of(path)
    if root.localname.upper() == "OFX":
        return FileFormat.OFX
    if "camt.053" in (root.namespace or ""):
        return FileFormat.CAMT
    raise UnreadableFile(f"The file is XML, but neither OFX nor camt.053: {root.localname[:40]}.")
