"""Fixtures that create and update leads as partners do."""

import pytest

from onboarding.services.leads import amendments
from tests.factories import NOON
from tests.onboarding.services.file_stores import write
from tests.onboarding.services.leads.values import EMAIL, customer_id


@pytest.fixture
def update(partner):
    def update(*, at=NOON, **details):
        return write(
            amendments.update_lead,
            partner=partner,
            customer_id=customer_id(),
            details={"email": EMAIL, **details},
            at=at,
        )

    return update


@pytest.fixture
def files(stored_files):
    return stored_files
