"""manage.py verify_audit."""

import pytest
from django.core.management import CommandError, call_command

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Lead


def test_a_whole_audit_says_how_much_was_seen(run, lead):
    assert run("verify_audit") == ["the audit is whole: 1 events, no fault"]


def test_a_fault_is_named_and_fails(capsys, lead):
    Application.objects.update(status=Status.APPROVED)

    with pytest.raises(CommandError, match="1 faults among 1 events"):
        call_command("verify_audit")

    assert str(Lead.objects.get().external_id) in capsys.readouterr().out
