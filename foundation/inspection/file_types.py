"""File types: detection by the first bytes, and comparison with the declared type."""

import re
from typing import Final

import filetype

HEAD_BYTES: Final = 8 * 1024  # of a file, for `detect_type`
UNKNOWN = "application/octet-stream"
PLAIN = "text/plain"
XML = "application/xml"
PDF = "application/pdf"
ZIP = "application/zip"
OFFICE = "application/vnd.openxmlformats-officedocument."
OPEN_DOCUMENT = "application/vnd.oasis.opendocument."
OLE = "application/x-ole-storage"
RTF = "application/rtf"
PROGRAM = "application/x-executable"

ONENOTE: Final = bytes.fromhex("E4525C7B8CD8A74DAEB15378D02996D3")
BIFF: Final = [  # the beginnings of bare Excel sheets, which can hold macros
    b"\x09\0\4\0", b"\x09\2\6\0", b"\x09\4\6\0", b"\x09\x08\x08\0", b"\x09\x08\x10\0",
]  # fmt: skip

# Signatures that `filetype` lacks, or matches too broadly, in order.
BINARY_SIGNATURES: Final = [
    (b"MZ", "application/vnd.microsoft.portable-executable"),
    (b"\x7fELF", PROGRAM),
    (b"\xca\xfe\xba\xbe", "application/java-vm"),  # or a universal binary of macOS
    (b"\xfe\xed\xfa\xce", "application/x-mach-binary"),
    (b"\xfe\xed\xfa\xcf", "application/x-mach-binary"),
    (b"\xce\xfa\xed\xfe", "application/x-mach-binary"),
    (b"\xcf\xfa\xed\xfe", "application/x-mach-binary"),
    (b"dex\n", "application/vnd.android.dex"),
    (b"L\0\0\0\x01\x14\x02\0", "application/x-ms-shortcut"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (b"{\\rt", RTF),  # Word asks for no more
    (ONENOTE, "application/onenote"),
    (bytes.fromhex("A12FF43FD9EF764C9EE210EA5722765F"), "application/onenote"),  # its contents
    (b"ITSF\3\0\0\0", "application/vnd.ms-htmlhelp"),
    (b"\0\1\0\0Standard ", "application/x-msaccess"),
    (b"!BDN", "application/vnd.ms-outlook-pst"),
    (b"\x60\xea", "application/x-arj"),
    (b"MSWIM\0\0\0", "application/x-wim"),
    (b"conectix", "application/x-vhd"),
    (b"vhdxfile", "application/x-vhdx"),
    (b"xar!", "application/x-xar"),
    *((start, "application/x-biff") for start in BIFF),
]
TEXT_SIGNATURES: Final = [
    ("#!", "text/x-shellscript"),
    ("%PDF-", PDF),
    ("{\\rt", RTF),
    ("%!PS", "application/postscript"),
]
ZIP_CONTENTS: Final = [  # names of members, which precede each member uncompressed
    (b"META-INF/MANIFEST.MF", "application/java-archive"),
    (b"word/", OFFICE + "wordprocessingml.document"),
    (b"xl/", OFFICE + "spreadsheetml.sheet"),
    (b"ppt/", OFFICE + "presentationml.presentation"),
]
OFFICE_TYPES: Final = [mime for _, mime in ZIP_CONTENTS if mime.startswith(OFFICE)]
CONTROLS: Final = frozenset(range(32)) - frozenset(b"\t\n\f\r\x1b")
TAGS = "body|embed|form|head|html|iframe|img|link|meta|object|script|style|title"
HTML = re.compile(rf"<!doctype\s+html|<(?:{TAGS})[\s/>]|\bjavascript:", re.IGNORECASE)
SVG = re.compile(r"<(?:\w+:)?svg[\s/>]", re.IGNORECASE)
ACTIVE_XML = re.compile(r"<\?xml-stylesheet|<(?:\w+:)?script[\s/>]|www\.w3\.org/1999/xhtml")
COMMENTS = r"(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*"
JAVASCRIPT = re.compile(
    COMMENTS
    + r"""(?:['"]use\ strict['"]|(?:async\s+)?function\b[^\n]{0,80}\(|\(\s*(?:function|\(\))
    |(?:var|let|const)\s+[\w${[]|import\s[^\n]{0,200}from\s*['"]|eval\s*\(
    |export\s+(?:default|const|class|function)\s|(?:document|window|globalThis)\s*[.[])""",
    re.VERBOSE,
)
SYLK = re.compile(  # sheets as text, with macros
    r"ID;P[A-Z0-9]{0,20}(?:;[A-Z0-9]{1,9})*\s*\n(?:[BCFOPW];[A-Z]|N[ENUL];[A-Z]|E\s)"
)
SCRIPT = re.compile(r"\s*@?(?:echo\s+off|setlocal)\b|\s*(?:<\?php|<%|WScript\.)", re.IGNORECASE)

ACTIVE_TYPES: Final = {
    "application/ecmascript", "application/hta", "application/java-archive", "application/java-vm",
    "application/javascript", "application/postscript", "application/vnd.android.dex",
    "application/vnd.microsoft.portable-executable", PROGRAM, "application/x-bat",
    "application/x-google-chrome-extension", "application/x-httpd-php", "application/x-javascript",
    "application/x-mach-binary", "application/x-ms-shortcut", "application/x-msdos-program",
    "application/x-msdownload", "application/x-sh", "application/x-shellscript",
    "application/x-shockwave-flash", "application/x-sylk", "application/wasm",
    "application/xhtml+xml", "image/svg+xml", "text/ecmascript", "text/html", "text/javascript",
    "text/vbscript", "text/x-shellscript",
}  # fmt: skip
ACTIVE_EXTENSIONS: Final = {
    "accde", "apk", "app", "appinstaller", "application", "appx", "bat", "cgi", "chm", "class",
    "cmd", "com", "cpl", "dll", "dmg", "docm", "dotm", "dqy", "exe", "gadget", "hta", "htm",
    "html", "img", "inf", "iqy", "iso", "jar", "jnlp", "js", "jse", "library-ms", "lnk", "mht",
    "mhtml", "mjs", "msc", "msi", "msix", "msp", "odc", "one", "onepkg", "oqy", "php", "pif", "pl",
    "potm", "ppam", "ppsm", "pptm", "ps", "ps1", "py", "rb", "rdp", "reg", "rqy", "scf", "scr",
    "sct", "search-ms", "settingcontent-ms", "sh", "shtml", "slk", "so", "svg", "svgz", "swf",
    "url", "vb", "vbe", "vbs", "vhd", "vhdx", "vsto", "wasm", "website", "wll", "wsc", "wsf",
    "wsh", "xht", "xhtml", "xla", "xlam", "xll", "xlsb", "xlsm", "xltm", "xsl", "xslt",
}  # fmt: skip
EXTENSIONS: Final = {
    "bmp": "image/bmp", "csv": "text/csv", "doc": "application/msword",
    "docx": OFFICE + "wordprocessingml.document", "gif": "image/gif", "gz": "application/gzip",
    "heic": "image/heic", "heif": "image/heif", "jpeg": "image/jpeg", "jpg": "image/jpeg",
    "json": "application/json", "log": PLAIN, "md": PLAIN,
    "odp": OPEN_DOCUMENT + "presentation", "ods": OPEN_DOCUMENT + "spreadsheet",
    "odt": OPEN_DOCUMENT + "text", "pdf": PDF, "png": "image/png",
    "ppt": "application/vnd.ms-powerpoint", "pptx": OFFICE + "presentationml.presentation",
    "rtf": RTF, "tif": "image/tiff", "tiff": "image/tiff", "tsv": "text/tab-separated-values",
    "txt": PLAIN,
    "webp": "image/webp", "xls": "application/vnd.ms-excel",
    "xlsx": OFFICE + "spreadsheetml.sheet", "xml": XML, "zip": ZIP,
}  # fmt: skip
ALIASES: Final = {
    "application/x-pdf": PDF, "application/x-zip-compressed": ZIP, "application/x-gzip":
    "application/gzip", "image/jpg": "image/jpeg", "image/pjpeg": "image/jpeg", "image/tif":
    "image/tiff", "image/x-ms-bmp": "image/bmp", "image/x-png": "image/png", "text/rtf":
    RTF, "text/xml": XML,
}  # fmt: skip
GENERIC: Final = {
    UNKNOWN, "application/binary", "application/download", "application/force-download",
    "application/unknown", "application/x-download", "application/x-unknown",
    "binary/octet-stream", "unknown/unknown",
}  # fmt: skip
CONTAINERS: Final = {  # types of which only the container may be detected
    OFFICE + "wordprocessingml.document": ZIP,
    OFFICE + "spreadsheetml.sheet": ZIP,
    OFFICE + "presentationml.presentation": ZIP,
    **{OPEN_DOCUMENT + kind: ZIP for kind in ("presentation", "spreadsheet", "text")},
    "application/msword": OLE,
    "application/vnd.ms-excel": OLE,
    "application/vnd.ms-powerpoint": OLE,
    "image/heif": "image/heic",
}
TEXTS: Final = {"application/json", "text/csv", "text/tab-separated-values", PLAIN, XML}
RECOGNIZED: Final = {*EXTENSIONS.values()} - TEXTS
MEDIA: Final = {"audio", "font", "image", "video"}
# What can be looked into; archives of other kinds and databases cannot
CHECKED: Final = {PDF, PLAIN, XML, UNKNOWN, ZIP, OLE, RTF, *OFFICE_TYPES, "application/font-sfnt",
                  "application/font-woff"}  # fmt: skip
DRAWING: Final = "image/vnd.dwg"  # can have macros


def detect_type(head: bytes) -> str:
    """Return the MIME type that the first bytes of a file show.

    Shape: `text/plain` for text of no known type; `application/octet-stream` if unknown.
    """
    text = _as_text(head)
    return _type_of_binary(head) if text is None else type_of_text(text)


def quarantine_reason(declared: str, file_name: str, detected: str) -> str:
    """Return why a file must be quarantined, for staff; empty if there is no reason.

    Reasons are active content, a type that cannot be checked, and content that contradicts its
    declared type or name.
    """
    claimed = _canonical(declared)
    active, extension = active_extension(file_name), extension_of(file_name)
    if reason := reason_of_type(detected):
        return reason
    if claimed in ACTIVE_TYPES:
        return f"Declared as active content: {claimed}."
    if active:
        return f"Named as active content: .{active}."
    if contradicts(claimed, detected):
        return f"Declared as {claimed}, but the content is {detected}."
    if contradicts(EXTENSIONS.get(extension, UNKNOWN), detected):
        return f"Named .{extension}, but the content is {detected}."
    return ""


def reason_of_type(detected: str) -> str:
    """Return why no file of a detected type may be received; empty if it may be."""
    if detected in ACTIVE_TYPES:
        return f"Active content: {detected}."
    is_media = detected.partition("/")[0] in MEDIA and detected != DRAWING
    is_checked = detected in CHECKED or is_media
    return "" if is_checked else f"Files of the type {detected} cannot be checked."


def active_extension(file_name: str) -> str:
    """Return the extension of a file name if it stands for active content; else an empty text.

    Windows ignores dots and spaces at the end, and everything after a colon (`a.html::$DATA`).
    """
    extensions = map(extension_of, file_name.split(":"))
    return next((one for one in extensions if one in ACTIVE_EXTENSIONS), "")


def extension_of(file_name: str) -> str:
    """Return the extension of a file name in lower case, without its dot; empty if it has none.

    Dots and spaces at the end of the name are ignored.
    """
    return file_name.rstrip(". ").rpartition(".")[2].lower() if "." in file_name else ""


def _as_text(head: bytes) -> str | None:
    """Return `head` as text in Unicode or a one-byte encoding; None if it is binary."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", "ignore")
    if not CONTROLS.isdisjoint(head):
        return None
    return head.decode("utf-8", "replace").removeprefix("\ufeff")


def _type_of_binary(head: bytes) -> str:
    for signature, mime in BINARY_SIGNATURES:
        if head.startswith(signature):
            return mime
    found: str | None = filetype.guess_mime(head)
    if found is None and b"%PDF-" in head[:1024]:
        return PDF
    if found is None:
        shown = type_of_markup(head.decode("latin-1"))
        return UNKNOWN if shown == PLAIN else shown
    if head.startswith(b"PK\3\4"):
        return next((mime for name, mime in ZIP_CONTENTS if name in head), ZIP)
    return _canonical(found)


def type_of_text(text: str) -> str:
    """Return the MIME type that the beginning of a text shows."""
    start = text.lstrip()
    for signature, mime in TEXT_SIGNATURES:
        if start.startswith(signature):
            return mime
    shown = type_of_markup(start)
    if shown != PLAIN:
        return shown
    if JAVASCRIPT.match(start):
        return "text/javascript"
    if SCRIPT.match(start):
        return "text/x-shellscript"
    if SYLK.match(start):
        return "application/x-sylk"
    return PDF if "%PDF-" in text[:1024] else PLAIN


def type_of_markup(text: str) -> str:
    """Return the MIME type of the markup in a text, wherever in it; `text/plain` without any."""
    is_active = HTML.search(text) or ACTIVE_XML.search(text)
    if SVG.search(text):
        return "image/svg+xml"
    if text.startswith("<?xml"):
        return "application/xhtml+xml" if is_active else XML
    return "text/html" if is_active else PLAIN


def _canonical(mime: str) -> str:
    bare = mime.partition(";")[0].strip().lower()
    return ALIASES.get(bare, bare)


def contradicts(claimed: str, detected: str) -> bool:
    """Return whether a file of the type `detected` cannot be of the type `claimed`."""
    if claimed in GENERIC or detected in {claimed, CONTAINERS.get(claimed)}:
        return False
    if claimed in RECOGNIZED:
        return True  # `detect_type` recognizes this type
    family = claimed.partition("/")[0]
    if detected in {PLAIN, XML}:
        return family in MEDIA
    if detected == UNKNOWN:
        return family == "text"
    return family in {"text", *MEDIA} and family != detected.partition("/")[0]
