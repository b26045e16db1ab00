"""A suspended partner is reinstated by two administrators."""

import pytest

from banking.services.staff_changes import ChangeVoid
from onboarding.services.partners import reinstatements
from tests.factories import NOON, later, make_partner, make_user
from tests.staff import confirm_change

pytestmark = pytest.mark.django_db


@pytest.fixture
def suspended():
    return make_partner(suspended_at=NOON)


def propose(partner):
    return reinstatements.propose(partner, by=make_user(user_type="STAFF"), at=NOON)


def test_the_second_administrator_ends_the_suspension(suspended):
    change = propose(suspended)
    suspended.refresh_from_db()
    assert suspended.suspended_at == NOON

    confirm_change()

    suspended.refresh_from_db()
    assert suspended.suspended_at is None
    assert change.summary == [
        f"{suspended}, which is suspended since Mar 2, 2026, can call the API again."
    ]


def test_another_suspension_voids_the_proposal(suspended):
    propose(suspended)
    suspended.reinstate()
    suspended.suspend(at=later(hours=1))

    with pytest.raises(ChangeVoid):
        confirm_change()

    suspended.refresh_from_db()
    assert suspended.suspended_at == later(hours=1)
