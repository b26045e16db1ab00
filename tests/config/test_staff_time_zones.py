"""The time zone in which a member of staff sees the back office."""

import pytest
from django.utils import timezone, translation

from banking.models import User
from tests import factories, staff

chief = staff.chief
PAGE = "/admin/time-zone/"


def choose(client, zone):
    response = client.post(PAGE, {"time_zone": zone})
    assert response.status_code == 302


def test_who_chose_no_zone_sees_that_of_the_bank(chief, settings):
    settings.STAFF_TIME_ZONE = "America/Chicago"

    assert "Times in C" in chief.get("/admin/").content.decode()  # CST or CDT


def test_staff_choose_the_zone_in_which_they_see_times(chief):
    lead = factories.make_lead()
    type(lead).objects.update(created_at=factories.NOON)

    choose(chief, "America/New_York")

    page = chief.get(f"/admin/onboarding/lead/{lead.pk}/change/").content.decode()
    assert "Mar 2, 2026, 07:00 EST" in page
    assert User.objects.filter(time_zone="America/New_York").count() == 1


def test_the_zone_of_a_page_ends_with_it(chief):
    choose(chief, "Pacific/Honolulu")

    chief.get("/admin/")

    assert timezone.get_current_timezone_name() == "UTC"
    assert translation.get_language() == "en"


def test_a_zone_that_does_not_exist_is_refused(chief):
    page = chief.post(PAGE, {"time_zone": "Mars/Base"}).content.decode()

    assert "Select a valid choice" in page
    assert not User.objects.exclude(time_zone="").exists()


def test_a_zone_that_is_no_longer_known_is_that_of_the_bank(chief):
    User.objects.update(time_zone="Mars/Base")

    assert "Times in UTC" in chief.get("/admin/").content.decode()


@pytest.mark.parametrize("method", ["get", "post"])
def test_only_staff_choose_a_zone(client, make_user, method):
    client.force_login(make_user())

    assert getattr(client, method)(PAGE).status_code in {302, 403}
    assert not User.objects.exclude(time_zone="").exists()
