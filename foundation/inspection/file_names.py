"""File names: extensions that agree with the content, for files that others named."""

import unicodedata
from typing import Final

from foundation.inspection.file_types import (
    ACTIVE_TYPES,
    EXTENSIONS,
    OFFICE_TYPES,
    PDF,
    PLAIN,
    RTF,
    XML,
    ZIP,
    contradicts,
    extension_of,
)

IN_ARCHIVES: Final = {*EXTENSIONS, "", "ds_store"}  # macOS adds the last to archives
ADDED: Final = {  # by detected type
    PDF: "pdf", PLAIN: "txt", RTF: "rtf", XML: "xml", ZIP: "zip",
    **dict(zip(OFFICE_TYPES, ("docx", "xlsx", "pptx"), strict=True)),
    "image/bmp": "bmp", "image/gif": "gif", "image/heic": "heic", "image/jpeg": "jpg",
    "image/png": "png", "image/tiff": "tif", "image/webp": "webp",
}  # fmt: skip
NOTHING_OPENS_IT: Final = "bin"


def safe_name(file_name: str, detected: str) -> str:
    """Return the name under which a computer opens a file as its detected type and no other.

    An extension that is not known, or is of another type, is followed by the one of the type.
    """
    shown = "".join(map(_harmless, file_name)).rstrip(". ") or "file"
    extension = extension_of(shown)
    if detected in ACTIVE_TYPES:
        return f"{shown}.{NOTHING_OPENS_IT}"
    if extension in EXTENSIONS and not contradicts(EXTENSIONS[extension], detected):
        return shown
    return f"{shown}.{ADDED.get(detected, NOTHING_OPENS_IT)}"


def reason_of_member_name(member: str) -> str:
    """Return why an archive must be quarantined for the name of a member; empty if none.

    The person who unpacks an archive gets its members under these names.
    """
    path = member.replace("\\", "/")
    if path.startswith("/") or ".." in path.split("/"):
        return "The archive contains a path that leads out of its folder."
    extensions = (extension_of(part) for part in path.split("/")[-1].split(":"))
    unknown = next((one for one in extensions if one not in IN_ARCHIVES), "")
    if not unknown:
        return ""
    return f"The archive contains a file of a type that is not accepted: .{unknown[:40]}."


def _harmless(char: str) -> str:
    """Return the character; `_` for control characters and characters that paths give a meaning."""
    return "_" if char in '/\\:*?"<>|' or unicodedata.category(char)[0] == "C" else char
