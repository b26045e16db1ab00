"""The sectors of NAICS."""

import pytest
from django.utils import translation

from onboarding.industries import is_in_sector, list_sectors


@pytest.mark.parametrize(
    ("language", "name"), [("en", "Manufacturing"), ("es", "Industria manufacturera")]
)
def test_a_sector_is_named_in_the_readers_language(language, name):
    with translation.override(language):
        assert ("31", name) in list_sectors()


@pytest.mark.parametrize(
    ("code", "expected"),
    [("11", True), ("32", True), ("332710", True), ("92", True), ("34", False), ("", False)],
)
def test_a_code_begins_with_the_number_of_a_sector(code, expected):
    assert is_in_sector(code) is expected
