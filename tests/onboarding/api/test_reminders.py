"""Partners switch the reminders to their applicants on and off."""

import pytest

from onboarding.choices import Permission
from onboarding.models import Partner
from tests.factories import make_api_key
from tests.onboarding.conftest import PartnerApi, codes

PATH = "reminders"


def test_a_partner_switches_its_reminders_off_and_on_again(api):
    before = api.get(PATH).json()

    off = api.post(PATH, {"isOn": False})
    kept = api.post(PATH, {"x": 1})

    assert before == {"isOn": True}
    assert (off.status_code, off.json()) == (200, {"isOn": False, "warnings": []})
    assert [warning["field"] for warning in kept.json()["warnings"]] == ["/x"]
    assert api.get(PATH).json() == {"isOn": False}
    assert api.post(PATH, {"isOn": True}).json()["isOn"]


def test_it_is_for_the_partners_own_applicants(api, other_api):
    api.post(PATH, {"isOn": False})

    assert other_api.get(PATH).json() == {"isOn": True}
    assert list(Partner.objects.filter(sends_nudges=False)) == [api.partner]


def test_another_value_than_a_boolean_is_refused(api):
    answer = api.post(PATH, {"isOn": "no"})

    assert (answer.status_code, codes(answer)) == (400, {"/isOn": "INVALID_TYPE"})


@pytest.mark.django_db
def test_a_key_that_only_reads_switches_nothing():
    issued = make_api_key(permissions=[Permission.LEAD_READ])
    reading = PartnerApi(issued)

    assert reading.get(PATH).json() == {"isOn": True}
    assert reading.post(PATH, {"isOn": False}).status_code == 403
    assert Partner.objects.get(pk=issued.key.partner_id).sends_nudges
