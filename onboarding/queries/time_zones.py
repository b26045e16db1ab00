"""Time zones of applicants, and times in words."""

from collections.abc import Iterable
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.formats import date_format

from foundation.code_lists import read_codes
from onboarding.models import Application

BY_STATE: Final = read_codes(Path(__file__).parents[1] / "data" / "time_zones.csv", column="zone")


def zone_of(application: Application) -> tzinfo:
    """Return the zone of the applicant's browser, else of their address, else the default, UTC.

    The address is that of the business, else of the home.
    """
    names = [application.time_zone, *_zones_of_addresses(application)]
    known = next(filter(None, names), "")
    return ZoneInfo(known) if known else timezone.get_default_timezone()


def say_time(at: datetime) -> str:
    """Return a time in the current time zone and language, with the name of the zone."""
    local = timezone.localtime(at)
    name = local.tzname() or ""
    named = name if name[:1].isalpha() else f"UTC{name}"  # the name of some zones is their offset
    return f"{date_format(local, 'DATETIME_FORMAT')} {named}"


def _zones_of_addresses(application: Application) -> Iterable[str]:
    lead = application.lead
    for address in (lead.business_address, lead.home):
        if address.get("country") in {None, "", "US"}:
            yield BY_STATE.get(address.get("state") or "", "")
