"""Who holds a key."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from onboarding.models import Application, FlowSession
from onboarding.queries.sessions import get_session
from onboarding.services.access import sessions
from tests.factories import NOON, later


@pytest.fixture
def key(make_application):
    return sessions.open_session(make_application(), language="en", at=NOON).key


def test_a_key_finds_session_lead_and_partner_in_one_statement(key):
    with CaptureQueriesContext(connection) as captured:
        partner = get_session(key, at=NOON).application.lead.partner

    assert partner.name
    assert len(captured) == 1


@pytest.mark.parametrize("wrong", ["", "made up"])
def test_another_key_finds_nothing(key, wrong):
    with pytest.raises(FlowSession.DoesNotExist):
        get_session(wrong, at=NOON)


def test_a_session_that_was_not_used_is_over(key):
    with pytest.raises(FlowSession.DoesNotExist):
        get_session(key, at=later(hours=1))


def test_a_session_ends_with_its_attempt(key):
    Application.objects.update(is_current=False)

    with pytest.raises(FlowSession.DoesNotExist):
        get_session(key, at=NOON)
