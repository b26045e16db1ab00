"""Codes that are mailed before the first factor."""

from datetime import timedelta

import pytest

from foundation.throttling import rate_limits
from mcp_server.services import mailed_codes
from tests.factories import NOON
from tests.mcp_server.pages.conftest import mailed_code

pytestmark = pytest.mark.django_db


def test_a_code_is_right_for_ten_minutes_however_it_is_typed(make_user):
    user = make_user()
    kept = mailed_codes.send(user, at=NOON)
    code = mailed_code()

    later = [NOON, NOON + mailed_codes.LIFETIME, NOON + timedelta(minutes=11)]
    found = [mailed_codes.is_right(user, kept, code.replace(" ", "-"), at=at) for at in later]

    assert found == [True, True, False]
    assert code.replace(" ", "") not in kept


def test_a_code_is_right_for_its_user_alone(make_user):
    kept = mailed_codes.send(make_user(), at=NOON)

    assert not mailed_codes.is_right(make_user(), kept, mailed_code(), at=NOON)


@pytest.mark.usefixtures("limits_on")
def test_five_mails_an_hour_are_sent(make_user):
    user = make_user()
    for _ in range(5):
        mailed_codes.send(user, at=NOON)

    with pytest.raises(rate_limits.RateLimited):
        mailed_codes.send(user, at=NOON)
