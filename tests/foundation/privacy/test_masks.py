"""Personal numbers are shown by their last four characters at most."""

import pytest

from foundation.privacy import masks


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("123456789", "••••6789"),
        ("X12345678", "••••5678"),
        ("12345678", "••••"),
        ("1234", "••••"),
        ("1", "••••"),
        ("", ""),
    ],
)
def test_a_number_shows_its_last_four_if_they_are_less_than_half(text, shown):
    assert masks.mask(text) == shown


def test_of_an_email_address_the_first_character_and_the_domain_are_shown():
    assert masks.mask_email("ada@example.com") == "a••••@example.com"
