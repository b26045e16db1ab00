"""Time zones by name, and the one form in which staff read days and times."""

from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.formats import date_format
from django.utils.timezone import localtime

DAY_FORMAT: Final = "M j, Y"  # Nov 27, 2026
CLOCK_FORMAT: Final = "H:i T"  # 10:12 EST
TIME_FORMAT: Final = f"{DAY_FORMAT}, {CLOCK_FORMAT}"


def is_known(name: str) -> bool:
    """Return whether a name, for example from a browser, is the name of a time zone."""
    try:
        ZoneInfo(name)
    except (ValueError, KeyError, OSError):  # zoneinfo looks for a file of this name
        return False
    return True


def validate_zone(name: str) -> None:
    """Check the name of a time zone. Raises: ValidationError."""
    if not is_known(name):
        raise ValidationError("There is no time zone of this name.")


def zone_of_staff(name: str) -> ZoneInfo:
    """Return the time zone that a member of staff chose, else STAFF_TIME_ZONE."""
    return ZoneInfo(name if name and is_known(name) else settings.STAFF_TIME_ZONE)


def show_time(at: datetime) -> str:
    """Return the day and the time in the current time zone, with the zone's name."""
    return date_format(localtime(at), TIME_FORMAT)


def show_clock(at: datetime) -> str:
    """Return the time of day in the current time zone, with the zone's name."""
    return date_format(localtime(at), CLOCK_FORMAT)


def show_day(at: datetime) -> str:
    """Return the day of a timestamp in the current time zone."""
    return date_format(localtime(at), DAY_FORMAT)


def iso_time(at: datetime) -> str:
    """Return a timestamp as ISO 8601 in UTC, in seconds."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
