"""Reminders: which an application gets in each status. Their sending is tested with the service."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Lead
from onboarding.queries.reminders import first_look, list_reminders
from tests.factories import NOON


@pytest.mark.parametrize("status", Status)
def test_reminders_are_looked_for_before_or_when_the_first_is_due(status):
    lead = Lead(updated_at=NOON)
    application = Application(
        lead=lead, status=status, status_changed_at=NOON, link_expires_at=NOON
    )
    application.expiration_date = NOON.replace(day=20).date()

    reminders = list_reminders(application)

    looks = first_look(status, at=NOON)
    assert bool(reminders) == (looks is not None)
    assert all(looks <= one.due_at for one in reminders)
    assert reminders == sorted(reminders)
