"""Commands are called as from a shell."""

from io import StringIO

import pytest
from django.core.management import call_command

from onboarding.choices import ApplicationStatus as Status
from onboarding.services.applications import lifecycle
from onboarding.services.events.history import APPLICANT
from tests.factories import NOON


@pytest.fixture
def run(db):
    """Run a command and return the lines that it prints."""

    def run(name, *arguments):
        out = StringIO()
        call_command(name, *arguments, stdout=out)
        return out.getvalue().splitlines()

    return run


@pytest.fixture
def lead(make_application):
    """A lead whose audit has one event."""
    application = make_application()
    lifecycle.move(application, Status.IN_PROGRESS, by=APPLICANT, at=NOON)
    return application.lead
