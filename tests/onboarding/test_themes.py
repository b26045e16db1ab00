import itertools
import re

import pytest
from django.conf import settings

from onboarding import themes
from onboarding.choices import Font

STEPS = ["00", "33", "66", "99", "cc", "ff"]
COLORS = ["#" + "".join(parts) for parts in itertools.product(STEPS, repeat=3)]
READABLE = [color for color in COLORS if themes.contrast(color, themes.WHITE) >= themes.READABLE]


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("#000000", "#ffffff", 21),
        ("#ffffff", "#ffffff", 1),
        ("#767676", "#ffffff", 4.54),
        ("#ff0000", "#ffffff", 4.00),
        ("#0f5b6e", "#ffffff", 7.66),
    ],
)
def test_contrast_is_as_wcag_defines_it_whichever_is_the_ground(one, other, ratio):
    assert themes.contrast(one, other) == pytest.approx(ratio, abs=0.005)
    assert themes.contrast(other, one) == themes.contrast(one, other)


def theme(brand="", font="", radius=None):
    return themes.Theme(brand, font, radius)


@pytest.mark.parametrize("brand", READABLE)
def test_whatever_the_colour_everything_can_be_read_in_light_and_dark(brand):
    found = re.findall(r"#[0-9a-f]{6}", theme(brand).stylesheet)
    light_brand, dark_brand, ink, light_link, dark_link = found

    assert light_brand == brand
    assert min(themes.contrast(ink, each) for each in (brand, dark_brand)) >= themes.READABLE
    assert min(themes.contrast(light_link, ground) for ground in themes.LIGHT) >= themes.READABLE
    assert min(themes.contrast(dark_link, ground) for ground in themes.DARK) >= themes.READABLE
    assert themes.contrast(dark_brand, themes.DARK[0]) >= themes.VISIBLE


def test_a_colour_that_can_be_read_stays_as_it_is():
    assert themes.tone("#0f5b6e", on=themes.LIGHT, ratio=themes.READABLE) == "#0f5b6e"


def test_the_style_sheet_holds_custom_properties_alone():
    assert theme("#0f5b6e").stylesheet == (
        ":root {\n"
        "  --brand: light-dark(#0f5b6e, #337484);\n"
        "  --brand-ink: #ffffff;\n"
        "  --link: light-dark(#0f5b6e, #7ba5af);\n"
        "}\n"
    )


def test_the_grounds_are_those_of_the_pages():
    css = (settings.BASE_DIR / "onboarding/static/onboarding/flow.css").read_text()
    pairs = re.findall(r"--(?:page|card|\w+-bg): light-dark\((#\w+), (#\w+)\)", css)

    assert {light for light, _dark in pairs} == {"#fff", *themes.LIGHT} - {themes.WHITE}
    assert {dark for _light, dark in pairs} == {*themes.DARK}


def test_another_colour_has_another_version():
    assert theme("#0f5b6e").version == theme("#0f5b6e").version
    assert theme("#0f5b6e").version != theme("#0f5b6f").version


def test_font_and_corners_are_custom_properties_by_themselves():
    assert theme(font="SERIF", radius=0).stylesheet == (
        ":root {\n"
        '  --font: ui-serif, Georgia, Cambria, "Times New Roman", serif;\n'
        "  --radius: 0px;\n"
        "}\n"
    )
    assert (theme().stylesheet, theme().version) == ("", "")


@pytest.mark.parametrize("font", Font)
def test_every_font_is_on_the_device_already(font):
    assert themes.FONTS[font].endswith("serif")
