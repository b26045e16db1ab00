"""Pictures and pages measured by the child process."""

import io
import struct
import zlib

import pytest
from PIL import Image

from foundation.pdf.child_processes import Unreadable
from foundation.pictures.reading import measure_pages, measure_picture
from tests.id_pictures import card, pages, surface


def test_a_picture_is_measured():
    measured = measure_picture(card())

    assert (measured.width, measured.height) == (1000, 700)
    assert measured.spread > 100
    assert measured.sharpness > measure_picture(card(blur=12)).sharpness
    assert measured.brightness > measure_picture(card(light=0.2)).brightness


def test_jpeg_and_png_measure_alike():
    png, jpeg = (measure_picture(card(form=form)) for form in ("PNG", "JPEG"))

    assert abs(png.brightness - jpeg.brightness) < 5
    assert (png.width, png.height) == (jpeg.width, jpeg.height)


@pytest.mark.parametrize("form", ["JPEG", "MPO"])
def test_a_photo_of_a_phone_has_an_orientation_and_more_than_one_picture(form):
    values = Image.Exif()
    values[0x0112] = 6
    file = io.BytesIO()
    with Image.open(io.BytesIO(card(form="JPEG"))) as photo:
        more = {"save_all": True, "append_images": [photo.copy()]} if form == "MPO" else {}
        photo.save(file, form, exif=values.tobytes(), **more)

    assert measure_picture(file.getvalue()).width == 1000


def test_a_surface_has_no_spread():
    assert measure_picture(surface()).spread == 0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no picture",
        card(form="JPEG")[:-2000],
        card()[:-2000],
        card(form="GIF"),
    ],
    ids=["empty", "text", "half a JPEG", "half a PNG", "another format"],
)
def test_what_is_no_whole_picture_is_unreadable(content):
    with pytest.raises(Unreadable) as refused:
        measure_picture(content)

    assert not refused.value.is_slow


def test_a_picture_of_too_many_pixels_is_not_decoded():
    def chunk(name, data):
        crc = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + crc

    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0)
    line = zlib.compress(bytes(60_001) * 100)
    bomb = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", line) + chunk(b"IEND", b"")

    with pytest.raises(Unreadable):
        measure_picture(bomb)


def test_pages_are_counted_and_blank_ones_seen():
    assert measure_pages(pages("one", "two")).pages == 2
    assert measure_pages(pages("", "two")).spread > 20
    assert measure_pages(pages("", "")).spread == 0


@pytest.mark.parametrize("content", [b"", b"no PDF", b"%PDF-1.7\n"])
def test_what_is_no_pdf_is_unreadable(content):
    with pytest.raises(Unreadable):
        measure_pages(content)
