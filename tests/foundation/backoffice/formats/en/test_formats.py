"""The formats of English pages and mails of applicants and owners."""

from datetime import timedelta

import pytest
from django.utils import translation
from django.utils.formats import date_format

from tests.factories import NOON


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("DATE_FORMAT", "December 2, 2026"),
        ("TIME_FORMAT", "12:00 PM"),
        ("DATETIME_FORMAT", "December 2, 2026 at 12:00 PM"),
    ],
)
def test_english_pages_have_the_form_in_which_browsers_write_times(name, shown):
    with translation.override("en"):
        assert date_format(NOON + timedelta(days=275), name) == shown
