import csv
import io
import tracemalloc
import zipfile

import pytest

from foundation import files


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("Coffee", "Coffee"),
        (-5, "-5"),
        (None, ""),
    ],
)
def test_text_that_a_spreadsheet_would_evaluate_is_defused(cell, written):
    assert files.defuse(cell) == written


def test_rows_come_back_from_the_csv_as_they_went_in():
    rows = [["a,b", 'say "hi"', "two\nlines"], ["ü", "", "-"]]

    text = b"".join(files.stream_csv(["x", "y", "z"], rows)).decode()

    assert list(csv.reader(io.StringIO(text, newline=""))) == [
        ["x", "y", "z"],
        ["a,b", 'say "hi"', "two\nlines"],
        ["ü", "", "'-"],
    ]


def test_small_chunks_are_sent_together_but_for_the_first():
    chunks = [b"first", *[b"x" * 1000] * 200, b"last"]

    sent = list(files.gathered(chunks))

    assert b"".join(sent) == b"".join(chunks)
    assert sent[0] == b"first"
    assert [len(chunk) for chunk in sent[1:]] == [66_000, 66_000, 66_000, 2_004]


def test_nothing_is_sent_of_nothing():
    assert list(files.gathered([])) == []


def test_files_come_back_from_the_zip_as_they_went_in():
    packed = b"".join(files.stream_zip([("a.pdf", b"1" * 1000), ("b/c.pdf", b"")]))

    archive = zipfile.ZipFile(io.BytesIO(packed))

    assert archive.testzip() is None
    assert {name: archive.read(name) for name in archive.namelist()} == {
        "a.pdf": b"1" * 1000,
        "b/c.pdf": b"",
    }


def test_the_same_files_give_the_same_archive():
    pair = [("a.pdf", b"1"), ("b.pdf", b"2")]

    assert b"".join(files.stream_zip(pair)) == b"".join(files.stream_zip(pair))


def test_a_zip_holds_one_file_at_a_time():
    contents = ((f"{number}.pdf", bytes(200_000)) for number in range(100))
    tracemalloc.start()

    size = sum(len(chunk) for chunk in files.stream_zip(contents))

    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size > 20_000_000
    assert peak < 3_000_000
