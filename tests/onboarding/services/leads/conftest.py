"""Fixtures that create and update leads as partners do."""

import pytest

from onboarding.services.leads import amendments, registration
from tests.factories import NOON
from tests.onboarding.services.file_stores import write
from tests.onboarding.services.leads.values import EMAIL, customer_id


@pytest.fixture
def partner(make_partner):
    return make_partner()


@pytest.fixture
def create(partner):
    def create(*, at=NOON, **details):
        return write(
            registration.create_lead, partner=partner, details={"email": EMAIL, **details}, at=at
        )

    return create


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
