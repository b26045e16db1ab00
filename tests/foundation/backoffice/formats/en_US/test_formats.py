"""The formats of Django's own lists and fields in the back office."""

import pytest
from django.utils import translation
from django.utils.formats import date_format

from tests.factories import NOON


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("DATE_FORMAT", "Mar 2, 2026"),
        ("TIME_FORMAT", "12:00"),
        ("DATETIME_FORMAT", "Mar 2, 2026, 12:00 UTC"),
    ],
)
def test_django_writes_times_as_the_back_office_does(name, shown):
    with translation.override("en-us"):
        assert date_format(NOON, name) == shown


def test_other_pages_keep_the_formats_of_their_language():
    with translation.override("en"):
        assert date_format(NOON, "DATE_FORMAT") == "March 2, 2026"
