"""Office files for tests, written part by part: ordinary and active."""

import io
import zipfile
from xml.sax.saxutils import quoteattr

OOXML = "application/vnd.openxmlformats-officedocument."
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
MICROSOFT = "http://schemas.microsoft.com/office/2006/relationships/"
RELATIONSHIPS_TYPE = "application/vnd.openxmlformats-package.relationships+xml"
MAIN = {
    "word": ("word/document.xml", OOXML + "wordprocessingml.document.main+xml"),
    "xl": ("xl/workbook.xml", OOXML + "spreadsheetml.sheet.main+xml"),
    "ppt": ("ppt/presentation.xml", OOXML + "presentationml.presentation.main+xml"),
}
WORD_NAMESPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHEET = OOXML + "spreadsheetml.worksheet+xml"


def make_zip(members, method=zipfile.ZIP_DEFLATED):
    """Return a ZIP file of members: a dictionary, or pairs of which a name may come twice."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in members.items() if isinstance(members, dict) else members:
            archive.writestr(name, content)
    return buffer.getvalue()


def relations(*rows):
    """Return the XML of relationships: type, target and perhaps "External"."""
    xml = "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'>"
    for number, (kind, target, *mode) in enumerate(rows):
        outside = f" TargetMode={quoteattr(mode[0])}" if mode else ""
        ends = f"Type={quoteattr(kind)} Target={quoteattr(target)}{outside}"
        xml += f"<Relationship Id='rId{number}' {ends}/>"
    return f"<?xml version='1.0' encoding='UTF-8'?>{xml}</Relationships>"


def word(body):
    """Return the XML of a text with a body."""
    return f"<w:document xmlns:w='{WORD_NAMESPACE}'><w:body>{body}</w:body></w:document>"


def field(*codes):
    """Return a field of Word, its code in several runs."""
    code = "".join(f"<w:r><w:instrText>{part}</w:instrText></w:r>" for part in codes)
    kinds = "<w:r><w:fldChar w:fldCharType='{}'/></w:r>".format
    return kinds("begin") + code + kinds("separate") + "<w:r><w:t>1</w:t></w:r>" + kinds("end")


def make_office(kind, parts=None, *, types=None, outside=(), main=None, defaults=None):
    """Return an Office file: `parts` by name, `types` of parts, relationships of the main part."""
    name, main_type = MAIN[kind]
    overrides = {name: main_type, **(types or {})}
    extensions = {"rels": RELATIONSHIPS_TYPE, "xml": "application/xml", "png": "image/png"}
    extensions |= defaults or {}
    xml = "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'>"
    for extension, mime in extensions.items():
        xml += f"<Default Extension='{extension}' ContentType='{mime}'/>"
    for part, mime in overrides.items():
        xml += f"<Override PartName='/{part}' ContentType='{mime}'/>"
    folder, _, file_name = name.partition("/")
    members = {
        "[Content_Types].xml": f"<?xml version='1.0' encoding='UTF-8'?>{xml}</Types>",
        "_rels/.rels": relations((RELATIONS + "officeDocument", name)),
        name: main or (word("<w:p/>") if kind == "word" else "<main/>"),
        f"{folder}/_rels/{file_name}.rels": relations(*outside),
        **(parts or {}),
    }
    return make_zip(members)


def workbook(sheet):
    """Return a workbook with a sheet."""
    name = "xl/worksheets/sheet1.xml"
    link = (RELATIONS + "worksheet", "worksheets/sheet1.xml")
    return make_office("xl", {name: sheet}, types={name: SHEET}, outside=[link])


def formula(text):
    """Return a workbook with a formula."""
    return workbook(f"<worksheet><sheetData><c r='A1'><f>{text}</f></c></sheetData></worksheet>")


def open_document(content, kind="text"):
    """Return an OpenDocument file with the XML of its content."""
    mime = f"application/vnd.oasis.opendocument.{kind}"
    return make_zip({"mimetype": mime, "content.xml": content, "META-INF/manifest.xml": "<m/>"})
