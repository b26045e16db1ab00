import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from banking.pdf.typefaces import (
    BOLD,
    FOLDER,
    REGULAR,
    UNKNOWN,
    fitted,
    fitting_size,
    legible,
    width_of,
    wrapped,
)

LISTED = re.findall(
    r"^\| (\S+\.ttf) \| \S+ \| (\w{64}) \|$", (FOLDER / "README.md").read_text(), re.M
)


def test_the_typefaces_are_those_of_the_readme():
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in FOLDER.glob("*.ttf")
    }

    assert found == dict(LISTED)
    assert "SIL OPEN FONT LICENSE Version 1.1" in (FOLDER / "LICENSE").read_text()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Müller & Söhne GmbH", "Müller & Söhne GmbH"),
        ("Zoe\N{COMBINING DIAERESIS}", "Zoë"),
        ("  two\n\tlines ", "two lines"),
        ("nul\x00", f"nul{UNKNOWN}"),
        ("\u202egnp.exe", f"{UNKNOWN}gnp.exe"),
        ("銀行 🙂", f"{UNKNOWN}{UNKNOWN} {UNKNOWN}"),
        ("\ud800", UNKNOWN),
        ("x" * 10_000, "x" * 2_000 + "…"),
    ],
)
def test_what_cannot_be_shown_becomes_a_box(text, shown):
    assert legible(text) == shown


@given(st.text(max_size=300), st.floats(20, 400), st.sampled_from([REGULAR, BOLD]))
def test_a_fitted_text_is_never_wider(text, width, font):
    assert width_of(fitted(text, font, 8.5, width), font, 8.5) <= width


@given(st.text(max_size=300), st.floats(20, 400))
def test_wrapped_lines_fit_and_lose_nothing(text, width):
    lines = wrapped(text, REGULAR, 9, width)

    assert all(width_of(line, REGULAR, 9) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == legible(text).replace(" ", "")


def test_an_amount_becomes_smaller_instead_of_cut():
    amount = "-$92,233,720,368,547,758.07"

    size = fitting_size(amount, BOLD, 14, 60)

    assert size < 14
    assert width_of(amount, BOLD, size) == pytest.approx(60)
    assert fitting_size("$1.00", BOLD, 14, 60) == 14
