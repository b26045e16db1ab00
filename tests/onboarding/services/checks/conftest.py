"""Submitted applications, and cases that a reviewer has claimed."""

import pytest

from onboarding.models import Application, Lead
from tests.factories import later
from tests.onboarding.cases import make_reviewer
from tests.onboarding.services.checks.submitted import complete, give, make_submitted, screen


@pytest.fixture
def submitted(db):
    def make(serial="6789", **values):
        return make_submitted(serial, **values)

    return make


@pytest.fixture
def in_production(settings):
    settings.CHECK_PROVIDERS = ["BUILT_IN", "MANUAL"]
    settings.AUTO_APPROVAL = "never"


@pytest.fixture
def ada(db):
    return make_reviewer()


@pytest.fixture
def case(submitted, in_production, ada):
    """Return a case of Ada's that staff review, of data that did not change lately."""
    application = submitted()
    complete(application)
    screen()
    Lead.objects.update(updated_at=later(days=-1))
    give(application, ada)
    return Application.objects.select_related("lead").get()
