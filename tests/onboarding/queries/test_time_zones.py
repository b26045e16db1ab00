"""Time zones: of the browser, the state of an address, or UTC; and times in words."""

from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone, translation

from banking.us_states import STATES
from foundation.times import is_known
from onboarding.models import Application, Lead
from onboarding.queries.time_zones import BY_STATE, say_time, zone_of
from tests.factories import NOON

CALIFORNIA = {"state": "CA", "country": "US"}


def test_each_state_has_a_zone_that_exists():
    assert STATES.keys() - BY_STATE.keys() == {"AA", "AE", "AP"}  # of the armed forces
    assert all(is_known(name) for name in BY_STATE.values())


@pytest.mark.parametrize(
    ("values", "browser", "zone"),
    [
        ({}, "", "UTC"),
        ({"state": "NY"}, "", "America/New_York"),
        ({"state": "NY", "business_address": CALIFORNIA}, "", "America/Los_Angeles"),
        ({"state": "NY", "business_address": CALIFORNIA}, "Europe/Berlin", "Europe/Berlin"),
        ({"state": "CA", "country": "CA"}, "", "UTC"),  # a state of another country
    ],
)
def test_the_zone_is_that_of_the_browser_else_of_the_business_else_of_the_home(
    values, browser, zone
):
    assert str(zone_of(Application(lead=Lead(**values), time_zone=browser))) == zone


@pytest.mark.parametrize(
    ("zone", "english", "spanish"),
    [
        ("UTC", "March 2, 2026 at 12:00 PM UTC", "2 de marzo de 2026 a las 12:00 UTC"),
        ("America/New_York", "March 2, 2026 at 7:00 AM EST", "2 de marzo de 2026 a las 07:00 EST"),
        (
            "America/Sao_Paulo",
            "March 2, 2026 at 9:00 AM UTC-03",
            "2 de marzo de 2026 a las 09:00 UTC-03",
        ),
    ],
)
def test_a_time_is_said_with_its_zone(zone, english, spanish):
    with timezone.override(ZoneInfo(zone)):
        assert say_time(NOON) == english
        with translation.override("es"):
            assert say_time(NOON) == spanish
