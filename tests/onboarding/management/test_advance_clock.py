"""manage.py advance_clock."""

from datetime import timedelta

import pytest
from django.core.management import CommandError
from django.utils import timezone

from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Event, Lead, Mail
from onboarding.services.applications import lifecycle


@pytest.fixture
def idle(make_application):
    """One application to expire, one applicant to remind, and one with nothing to do."""
    now = timezone.now()
    make_application(at=now - timedelta(days=31))
    make_application(at=now - timedelta(days=4), status=Status.DOCUMENTS_REQUIRED)
    make_application(at=now)
    Lead.objects.update(updated_at=now - timedelta(days=31))


def test_the_clock_expires_and_reminds(run, idle):
    owners = "reminded the owners of 0 applications"
    assert run("advance_clock") == ["expired 1 applications", "reminded 1 applicants", owners]
    assert run("advance_clock") == ["expired 0 applications", "reminded 0 applicants", owners]
    assert Application.objects.filter(status=Status.EXPIRED).count() == 1
    assert Mail.objects.count() == 1


def test_a_dry_run_counts_and_does_nothing(run, idle):
    assert run("advance_clock", "--dry-run") == [
        "would expire 1 applications",
        "would remind 1 applicants",
        "would remind the owners of 0 applications",
    ]
    assert not Event.objects.exists()
    assert not Mail.objects.exists()


def test_what_fails_is_named_and_fails_the_command_in_the_end(run, idle, monkeypatch, capsys):
    def fail(*args, **options):
        raise lifecycle.InvalidMove(source=Status.CREATED, target=Status.EXPIRED)

    monkeypatch.setattr(lifecycle, "move", fail)

    with pytest.raises(CommandError, match="1 failed"):
        run("advance_clock")

    assert "InvalidMove" in capsys.readouterr().err
    assert Mail.objects.count() == 1
