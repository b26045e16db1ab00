import pytest

from banking.imports.file_formats import FileFormat, detect
from banking.imports.transactions import UnreadableFile


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("checking.ofx", FileFormat.OFX),
        ("card.qfx", FileFormat.OFX),
        ("statement-v02.xml", FileFormat.CAMT),
        ("statement-v08.xml", FileFormat.CAMT),
        ("larkspur.csv", FileFormat.CSV),
    ],
)
def test_the_kind_of_a_file_is_found(files, name, kind):
    assert detect(files / name) == kind


@pytest.mark.parametrize("name", ["checking.ofx", "card.qfx", "statement-v08.xml"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_the_content_counts_and_not_the_name(files, make_file, name, mark):
    path = make_file(mark + (files / name).read_bytes(), "export.csv")

    assert detect(path) == detect(files / name)


def test_xml_in_utf_16_is_recognized(files, make_file):
    text = (files / "statement-v08.xml").read_text().replace("UTF-8", "UTF-16")

    assert detect(make_file(text.encode("utf-16"), "a.txt")) == FileFormat.CAMT


def test_text_is_csv_by_its_name_only(make_file):
    assert detect(make_file("a;b\n1;2\n", "a.TXT")) == FileFormat.CSV
    with pytest.raises(UnreadableFile, match="name its kind"):
        detect(make_file("a;b\n1;2\n", "a.pdf"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (" \n", "empty"),
        ("<html></html>", "neither OFX nor camt.053"),
        ("<<", "not XML"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><a/>', "document type"),
    ],
)
def test_a_file_of_no_kind_is_refused(make_file, content, reason):
    with pytest.raises(UnreadableFile, match=reason):
        detect(make_file(content, "a.xml"))
