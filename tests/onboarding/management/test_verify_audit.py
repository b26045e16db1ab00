"""manage.py verify_audit."""

import pytest
from django.core.management import CommandError, call_command

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Lead
from onboarding.services.applications import lifecycle
from onboarding.services.events.history import APPLICANT
from tests.factories import NOON


@pytest.fixture
def lead(make_application):
    application = make_application()
    lifecycle.move(application, Status.IN_PROGRESS, by=APPLICANT, at=NOON)
    return application.lead


def test_a_whole_audit_says_how_much_was_seen(run, lead):
    assert run("verify_audit") == ["the audit is whole: 1 events, no fault"]


def test_a_fault_is_named_and_fails(capsys, lead):
    Application.objects.update(status=Status.APPROVED)

    with pytest.raises(CommandError, match="1 faults among 1 events"):
        call_command("verify_audit")

    assert str(Lead.objects.get().external_id) in capsys.readouterr().out
