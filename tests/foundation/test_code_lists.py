"""Lists of codes are CSV files that name their source and date."""

import gzip
from pathlib import Path

import pytest
from django.utils import translation

from foundation.code_lists import NamedCodes, read_codes, read_rows

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path for app in ("banking", "onboarding") for path in (ROOT / app / "data").iterdir()
)


def test_comments_are_left_out_and_codes_keep_their_zeros(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text('# Source: a book\ncode,name\n0742,"Sand, gravel"\n', encoding="utf-8")

    assert read_codes(path) == {"0742": "Sand, gravel"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_file_names_its_source_and_date(path):
    content = path.read_bytes()
    text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
    lines = text.splitlines()

    assert lines[0].startswith("# Source: ")
    assert lines[1].startswith("# As of: ")
    assert all(None not in row and all(row.values()) for row in read_rows(path))


def test_a_code_is_found_by_itself_and_by_its_names(tmp_path):
    path = tmp_path / "fruits.csv"
    path.write_text('# made up\ncode,name,name_es\nAP,Apple,Manzana\nPI,"Pear, ripe",Pera\n')
    fruits = NamedCodes(path, {"granny": "AP"})

    assert [fruits.find(text) for text in ("ap", "MANZANA", "Péar  ripe", "granny", "x")] == [
        "AP",
        "AP",
        "PI",
        "AP",
        "",
    ]
    with translation.override("es"):
        assert fruits.name("AP") == "Manzana"
    with translation.override("eo"):
        assert fruits.name("AP") == "Apple"
    assert fruits.list_names("es") == ["Manzana", "Pera"]
