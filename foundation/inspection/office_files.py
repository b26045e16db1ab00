"""Office files: parts of OOXML and OpenDocument packages that run or load something."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from lxml import etree

from foundation.inspection.file_limits import Limits

PARSED_MAX = 16 * 1024**2  # bytes of one part
MACROS = "The file contains macros or embedded programs."
LOADS = "The file loads content from another place."
COMMANDS = "The file contains fields or formulas that start programs or load data."
TOO_LARGE = "The Office file has a part that is too large to be checked."
BROKEN = "The Office file is damaged, so it cannot be checked."
CONTENT_TYPES = "[content_types].xml"
PARSER: Final = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)

PART_TYPE = re.compile(
    r"application/vnd\.openxmlformats-(?:officedocument|package)\..+"
    r"|application/vnd\.ms-(?:office|word|excel|powerpoint)\..+\+xml"
    r"|application/(?:xml|inkml\+xml|x-font[\w-]*|vnd\.ms-opentype|octet-stream)|text/xml"
    r"|(?:audio|font|image|model|video)/.+"
)
ACTIVE_TYPE = re.compile(
    r"activex|addin|customui|dialogsheet|macro|oleobject|taskpane|toolbar|vba|webext"
)
ACTIVE_RELATION = re.compile(
    r"activex|control$|vba|macrosheet|dialogsheet|oleobject|afchunk|extensibility|webext|toolbar"
    r"|connections$|frame$|subdocument"
)
PLAIN_LINK = re.compile(
    r"(?:https?|ftp|mailto|tel|sms):|file:///[^/\\]|(?![\\/]{2})[^:]*(?:$|[#?])", re.IGNORECASE
)
WORKBOOK = {"externallinkpath", "xlpathmissing"}
LOCAL = re.compile(
    r"(?:file:///(?:[a-z]:[\\/])?|[a-z]:[\\/]|/)?[^\\/:][^:]*", re.IGNORECASE | re.DOTALL
)
TEMPLATE = re.compile(r"(?:file:///|[a-z]:[\\/]|/).*|normal\.dotm?", re.IGNORECASE)

# Without one of these, in lower case, a part has nothing that the parser would find
SUSPECTS: Final = [
    b"|", b"\0", b"<!", b"instr", b"ppaction", b"ddelink", b"olelink", b"macrosheet", b"altchunk",
    b"webservice(", b"rtd(", b"call(", b"register", b"image(", b"dde(",
]  # fmt: skip
LETTER = re.compile(rb"&#(?:x0*[4-7][0-9a-f]|0*(?:6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7]));")
ENCODING = re.compile(rb"\s*<\?xml[^>]*encoding\s*=\s*[\"']([\w.:-]+)")
ENCODINGS: Final = {b"utf-8", b"utf-16", b"us-ascii", b"ascii", b"iso-8859-1", b"windows-1252"}
FORMULAS = [
    "{*}f", "{*}formula", "{*}formula1", "{*}formula2", "{*}definedName",
    "{*}calculatedColumnFormula", "{*}totalsRowFormula", "{*}oldFormula",
]  # fmt: skip
QUOTED = re.compile(r'"(?:[^"]|"")*"|\'(?:[^\']|\'\')*\'|\[[^\[\]]*\]')
LOADING_FUNCTION = re.compile(
    r"\b(?:WEBSERVICE|RTD|CALL|REGISTER(?:\.ID)?|IMAGE|DDE)\s*\(", re.IGNORECASE
)
FIELD = re.compile(
    r"[\s\\\"]*(?:(?:DDE|DDEAUTO|INCLUDE|INCLUDETEXT|IMPORT|LINK|DATABASE|RD)\b"
    r"|INCLUDEPICTURE\b.*(?://|\\\\\\\\))",
    re.IGNORECASE | re.DOTALL,
)
# Code before a nested field whose result becomes a part of the name, or of the address of a picture
UNFINISHED = re.compile(r"[\s\\\"]*(?:(?!=)\S*$|INCLUDEPICTURE\b)", re.IGNORECASE)
COMMAND_ACTION = re.compile(r"ppaction://(?:program|macro|ole)", re.IGNORECASE)
OPEN_DOCUMENT = b"application/vnd.oasis.opendocument"
OPEN_DOCUMENT_ACTIVE = [
    "{*}event-listener", "{*}object-ole", "{*}applet", "{*}plugin", "{*}floating-frame",
    "{*}dde-source", "{*}dde-connection-decl", "{*}dde-link", "{*}table-source",
    "{*}cell-range-source", "{*}database-source-sql", "{*}database-source-query",
    "{*}database-source-table", "{*}execute-macro", "{*}script",
]  # fmt: skip
# The template of a text is only compared with; links are followed by a person
OPEN_DOCUMENT_LINKS = (
    "//*[not(local-name() = 'a' or local-name() = 'template')]/@*[local-name() = 'href']"
)
OPEN_DOCUMENT_FORMULAS = "//@*[contains(local-name(), 'formula') or local-name() = 'condition']"
OUTSIDE = re.compile(r"[\w+.-]+:|[\\/]|\.\.")


@dataclass(frozen=True)
class ContentTypes:
    """Content types of the parts of an OOXML package, by name or by extension, in lower case."""

    by_name: dict[str, str]
    by_extension: dict[str, str]

    @classmethod
    def parse(cls, content: bytes) -> "ContentTypes":
        """Read `[Content_Types].xml`. Raises: etree.XMLSyntaxError."""
        root = parse(content)
        types: tuple[dict[str, str], dict[str, str]] = ({}, {})
        for column, tag, key in ((0, "Override", "PartName"), (1, "Default", "Extension")):
            for element in root.iter(f"{{*}}{tag}"):
                name = str(element.get(key, "")).lower().lstrip("/")
                types[column][name] = str(element.get("ContentType", "")).lower()
        return cls(*types)

    @property
    def are_active(self) -> bool:
        """Return whether a part is declared to run something, even one that is not there."""
        return any(map(ACTIVE_TYPE.search, self.by_name.values()))

    def of(self, name: str) -> str:
        """Return the content type of a part; empty if it has none, so that no program loads it."""
        name = name.lower()
        return self.by_name.get(name) or self.by_extension.get(name.rpartition(".")[2], "")


def parse(content: bytes) -> etree._Element:
    """Parse a part. Raises: etree.XMLSyntaxError, also for a DTD, which could hide values."""
    declared = ENCODING.match(content)
    if declared and declared[1].lower() not in ENCODINGS:
        raise etree.XMLSyntaxError("an encoding that Office does not write", 0, 0, 0)
    root = etree.fromstring(content, PARSER)
    if root.getroottree().docinfo.doctype:
        raise etree.XMLSyntaxError("a DTD", 0, 0, 0)
    return root


def is_xml(content: bytes) -> bool:
    """Return whether the content begins as XML does, in UTF-8 or UTF-16."""
    start = content[:64].replace(b"\0", b"").removeprefix(b"\xef\xbb\xbf")
    return start.removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff").lstrip().startswith(b"<")


def _is_large(content: bytes, limits: Limits) -> bool:
    limits.nodes -= content.count(b"<") + content.count(b"=")
    return len(content) > PARSED_MAX or limits.nodes < 0


def reason_of_part(name: str, content_type: str, content: bytes, limits: Limits) -> str:
    """Return why a part of an OOXML package is active; empty if harmless.

    Raises: etree.XMLSyntaxError.
    """
    if not PART_TYPE.fullmatch(content_type) or ACTIVE_TYPE.search(content_type):
        return MACROS
    if not is_xml(content):
        return ""
    if "relationships+xml" in content_type or name.lower().endswith(".rels"):
        return _reason_of_relations(name.lower(), content)
    declared = ENCODING.match(content)
    is_usual = not declared or declared[1].lower() == b"utf-8"
    text = content.lower()
    if is_usual and not any(word in text for word in SUSPECTS) and not LETTER.search(text):
        return ""
    return TOO_LARGE if _is_large(content, limits) else _reason_of_xml(parse(content))


def _reason_of_relations(name: str, content: bytes) -> str:
    for relation in parse(content).iter("{*}Relationship"):
        kind = str(relation.get("Type", "")).rpartition("/")[2].lower()
        target = str(relation.get("Target", "")).strip()
        if ACTIVE_RELATION.search(kind):
            return LOADS if relation.get("TargetMode") else MACROS
        is_outside = relation.get("TargetMode", "").lower() == "external" or "://" in target
        if is_outside and not _may_lead_to(name, kind, target):
            return LOADS
    return ""


def _may_lead_to(name: str, kind: str, target: str) -> bool:
    """Return whether a relationship may lead out of the package.

    Links may, since a person follows them; Word keeps the path of its template on a drive, and
    Excel that of other workbooks, which it does not open unasked.
    """
    if kind == "hyperlink":
        return bool(PLAIN_LINK.match(target)) and "/settings" not in name
    is_local = bool(LOCAL.fullmatch(unquote(target)))
    if kind == "attachedtemplate":
        return is_local and bool(TEMPLATE.fullmatch(target))
    return is_local and kind in WORKBOOK


def _reason_of_xml(root: etree._Element) -> str:
    if (
        next(root.iter("{*}ddeLink", "{*}oleLink", "{*}altChunk", "{*}macrosheet"), None)
        is not None
    ):
        return COMMANDS
    if any(COMMAND_ACTION.search(str(action)) for action in root.xpath("//@action")):
        return COMMANDS
    formulas = map(_own_text, root.iter(*FORMULAS))
    if any(map(_is_loading, formulas)) or any(map(FIELD.match, _fields(root))):
        return COMMANDS
    return ""


def _own_text(element: etree._Element) -> str:
    """Return the text of an element without that of its children, which are comments at most."""
    return "".join([element.text or "", *(child.tail or "" for child in element)])


def _is_loading(formula: str) -> bool:
    """Return whether a formula calls another program (`program|topic!item`) or server."""
    if "|" not in formula and not LOADING_FUNCTION.search(formula):
        return False
    bare = QUOTED.sub("", formula)
    return "|" in bare or bool(LOADING_FUNCTION.search(bare))


def _field_parts(root: etree._Element) -> Iterator[tuple[str, str, etree._Element | None]]:
    """Yield of each part of a field the kind, the code, and the alternative that it stands in.

    The alternative is an element of the text for some versions of Word only, else None.
    """
    for element in root.iter("{*}fldSimple", "{*}fldChar", "{*}instrText"):
        values = {etree.QName(key).localname: str(value) for key, value in element.items()}
        kind = "simple" if "instr" in values else values.get("fldCharType", "code")
        branch = next(element.iterancestors("{*}Choice", "{*}Fallback"), None)
        yield kind, values.get("instr", "".join(element.itertext())), branch


@dataclass
class _Field:
    """A field of Word that has begun; `branch` is the alternative of the text in which it began."""

    branch: etree._Element | None
    code: str = ""
    has_result: bool = False

    def depends_on(self, kind: str, branch: etree._Element | None) -> bool:
        """Return whether the next part makes the code depend on another field or Word's version."""
        is_nested = kind in {"begin", "simple"}
        is_alternative = branch is not self.branch and (is_nested or kind == "code")
        return is_alternative or (is_nested and bool(UNFINISHED.match(self.code)))


def _fields(root: etree._Element) -> Iterator[str]:
    """Yield the codes of Word's fields; `LINK` for a code that depends on another field.

    The code also depends on the version of Word if a part of it stands in an alternative.
    """
    begun: list[_Field] = []
    for kind, code, branch in _field_parts(root):
        outer = begun[-1] if begun and not begun[-1].has_result else None
        if outer and outer.depends_on(kind, branch):
            yield "LINK"
        if kind == "simple" or (kind == "code" and not begun):
            yield code
        elif kind == "begin":
            begun.append(_Field(branch))
        elif kind == "separate" and begun:
            begun[-1].has_result = True
        elif kind == "end" and begun:
            yield begun.pop().code
        elif kind == "code":
            begun[-1].code += code
    yield from (field.code for field in begun)


def reason_of_open_document(content: bytes, limits: Limits) -> str:
    """Return why the XML of an OpenDocument file is active; empty if harmless.

    Raises: etree.XMLSyntaxError.
    """
    if _is_large(content, limits):
        return TOO_LARGE
    root = parse(content)
    if next(root.iter(*OPEN_DOCUMENT_ACTIVE), None) is not None:
        return COMMANDS
    if any(_is_loading(str(formula)) for formula in root.xpath(OPEN_DOCUMENT_FORMULAS)):
        return COMMANDS
    links = root.xpath(OPEN_DOCUMENT_LINKS)
    is_outside = any(OUTSIDE.match(str(link).strip()) for link in links)
    return LOADS if is_outside else ""
