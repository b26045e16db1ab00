"""The second person: the wait of new accounts, and accounts that one of the two created."""

from datetime import timedelta

import pytest

from banking.models import User
from onboarding.services import second_person
from onboarding.services.second_person import AccountTooNew, CreatedByOther
from tests.factories import NOON

YEAR = timedelta(days=365)


def make(**values):
    return User(**{"date_joined": NOON - YEAR, **values})


@pytest.fixture(autouse=True)
def three_days(settings):
    settings.SECOND_PERSON_WAIT = timedelta(days=3)


@pytest.mark.parametrize("column", ["date_joined", "access_changed_at"])
def test_the_wait_ends_after_three_days(column):
    user = make(**{column: NOON})

    with pytest.raises(AccountTooNew, match="from Mar 5, 12:00 UTC on") as refusal:
        second_person.require_wait_over(user, at=NOON + timedelta(days=3, seconds=-1))
    second_person.require_wait_over(user, at=NOON + timedelta(days=3))

    assert "Your account, its role or its second factor is new." in str(refusal.value)


def test_without_a_wait_an_account_of_today_counts(settings):
    settings.SECOND_PERSON_WAIT = timedelta(0)

    second_person.require_wait_over(make(date_joined=NOON), at=NOON - YEAR)


def test_two_accounts_that_a_third_person_created_count():
    first, second = make(pk=1, created_by_id=3), make(pk=2, created_by_id=3)

    second_person.require_two_people(first, second, at=NOON)


@pytest.mark.parametrize(("first", "second"), [(None, 1), (2, None)])
def test_an_account_and_its_creator_are_not_two_people(first, second):
    proposer, confirmer = make(pk=1, created_by_id=first), make(pk=2, created_by_id=second)

    with pytest.raises(CreatedByOther):
        second_person.require_two_people(proposer, confirmer, at=NOON)
