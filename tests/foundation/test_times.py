from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from foundation import times
from tests.factories import NOON


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "Mars/Base", "é", "\0x", "a" * 5000])
def test_what_is_no_zone_is_not_known(name):
    assert not times.is_known(name)
    with pytest.raises(ValidationError):
        times.validate_zone(name)


def test_times_are_shown_in_the_current_zone_with_its_name():
    with timezone.override(ZoneInfo("Pacific/Honolulu")):
        assert times.show_time(NOON) == "Mar 2, 2026, 02:00 HST"
        assert times.show_clock(NOON) == "02:00 HST"
        assert times.show_day(NOON.replace(hour=1)) == "Mar 1, 2026"
        assert times.iso_time(NOON) == "2026-03-02T12:00:00Z"


@pytest.mark.parametrize(
    ("chosen", "zone"),
    [
        ("Pacific/Honolulu", "Pacific/Honolulu"),
        ("", "America/Chicago"),
        ("Mars", "America/Chicago"),
    ],
)
def test_staff_read_times_in_their_zone_or_in_that_of_the_bank(settings, chosen, zone):
    settings.STAFF_TIME_ZONE = "America/Chicago"

    assert times.zone_of_staff(chosen) == ZoneInfo(zone)
