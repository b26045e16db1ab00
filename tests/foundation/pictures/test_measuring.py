"""The measures of a picture, in this process."""

import json

from foundation.pictures.measuring import measure_pages, measure_picture
from tests.id_pictures import card, pages


def sharpness(**looks):
    return json.loads(measure_picture(card(**looks)))["sharpness"]


def test_blur_lowers_the_sharpness_and_weak_light_does_not():
    sharp = sharpness()

    assert sharpness(blur=3) < sharp / 2
    assert sharpness(blur=14) < sharp / 10
    assert abs(sharpness(light=0.5) - sharp) < sharp / 5


def test_a_small_copy_of_a_large_picture_is_as_sharp():
    assert abs(sharpness(size=(3000, 2100)) - sharpness()) < sharpness() / 2


def test_a_page_with_few_words_is_not_blank():
    assert json.loads(measure_pages(pages("x")))["spread"] > 100
