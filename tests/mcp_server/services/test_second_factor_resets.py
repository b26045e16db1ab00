"""Resets of the second factor; the page that proposes them has tests of its own."""

import pytest
from django_otp.plugins.otp_totp.models import TOTPDevice

from banking.models import StaffEvent
from mcp_server.services import second_factor, second_factor_resets
from tests.factories import NOON, make_user

pytestmark = pytest.mark.django_db


def test_a_reset_by_an_operator_is_a_staff_event():
    colleague = make_user(user_type="STAFF")
    TOTPDevice.objects.create(user=colleague, confirmed=True)

    second_factor_resets.reset(colleague, at=NOON)

    event = StaffEvent.objects.get()
    assert not second_factor.is_on(colleague)
    assert (event.type, event.who) == ("FACTOR_RESET", "")
    assert event.details["email"] == colleague.email


def test_nobody_resets_what_is_off():
    with pytest.raises(second_factor_resets.NothingToReset):
        second_factor_resets.propose_reset(make_user(), by=make_user(), at=NOON)
