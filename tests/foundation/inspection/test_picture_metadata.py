"""Metadata of pictures: gone, while the picture stays as it was and the right way up."""

import io

import pytest
from PIL import Image, PngImagePlugin

from foundation.inspection.picture_metadata import without_metadata
from tests.id_pictures import card

ORIENTATION, MAKE, GPS = 0x0112, 0x010F, 0x8825
ZIP = b"PK\3\4 a file behind the picture"


def exif(orientation=6):
    values = Image.Exif()
    values[ORIENTATION], values[MAKE] = orientation, "A phone"
    values.get_ifd(GPS)[1] = "N"
    values.get_ifd(GPS)[2] = (38.0, 53.0, 23.0)
    return values.tobytes()


def opened(content):
    return Image.open(io.BytesIO(content))


def pixels(content):
    return opened(content).convert("RGB").tobytes()


def make(form, *, progressive=False, orientation=6):
    file = io.BytesIO()
    with opened(card()) as picture:
        options = {"exif": exif(orientation)}
        if form == "JPEG":
            options |= {"progressive": progressive, "comment": b"my home"}
        else:
            notes = PngImagePlugin.PngInfo()
            notes.add_text("Author", "Ada")
            options["pnginfo"] = notes
        picture.convert("RGB").save(file, form, **options)
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [make("JPEG"), make("JPEG", progressive=True), make("PNG")],
    ids=["JPEG", "progressive JPEG", "PNG"],
)
def test_metadata_is_gone_and_the_picture_is_the_same(content):
    cleaned = without_metadata(content + ZIP)

    assert pixels(cleaned) == pixels(content)
    assert dict(opened(cleaned).getexif()) == {ORIENTATION: 6}
    for secret in (b"A phone", b"my home", b"Author", b"PK\3\4"):
        assert secret not in cleaned
    assert without_metadata(cleaned) == cleaned


@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_a_picture_that_is_upright_has_no_metadata(form):
    cleaned = without_metadata(make(form, orientation=1))

    assert dict(opened(cleaned).getexif()) == {}


@pytest.mark.parametrize("length", [3, 20, 200, 2000])
@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_a_broken_picture_stays_as_it_is(form, length):
    broken = make(form)[:-length] if length > 3 else make(form)[:length]

    assert without_metadata(broken) == broken


@pytest.mark.parametrize("content", [b"", b"%PDF-1.7", b"\xff\xd8", b"\xff\xd8\xff\xe1\0\1", ZIP])
def test_other_files_stay_as_they_are(content):
    assert without_metadata(content) == content


def test_an_orientation_that_makes_no_sense_is_upright():
    content = make("JPEG").replace(b"MM\0*\0\0\0\x08", b"MM\0*\xff\xff\xff\xff", 1)

    assert dict(opened(without_metadata(content)).getexif()) == {}
