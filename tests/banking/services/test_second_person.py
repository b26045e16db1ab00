"""The second person: the wait of new accounts, and accounts that one of the two created."""

from datetime import timedelta

import pytest

from banking.models import User
from banking.services import second_person
from banking.services.second_person import AccountTooNew, CreatedByOther, CreatedBySame
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

    with pytest.raises(AccountTooNew, match="from Mar 5, 2026, 12:00 UTC") as refusal:
        second_person.require_wait_over(user, at=NOON + timedelta(days=3, seconds=-1))
    second_person.require_wait_over(user, at=NOON + timedelta(days=3))

    assert "Your account, your role or your two-step verification is new." in str(refusal.value)


def test_without_a_wait_an_account_of_today_counts(settings):
    settings.SECOND_PERSON_WAIT = timedelta(0)

    second_person.require_wait_over(make(date_joined=NOON), at=NOON - YEAR)


@pytest.fixture
def create(db):
    """Create the account of a member of staff."""

    def create(email, creator=None, confirmer=None):
        values = {"user_type": "STAFF", "created_by": creator, "date_joined": NOON - YEAR}
        values["confirmed_by"] = confirmer
        return User.objects.create_user(f"{email}@example.com", **values)

    return create


def are_two(first, second):
    """Return whether either of two people can confirm what the other proposes: both or neither."""
    outcomes = set()
    for proposer, confirmer in ((first, second), (second, first)):
        try:
            second_person.require_two_people(proposer, confirmer, at=NOON)
        except (CreatedByOther, CreatedBySame):
            outcomes.add(False)
        else:
            outcomes.add(True)
    (outcome,) = outcomes
    return outcome


def test_two_accounts_of_one_creator_are_not_two_people(create):
    chief = create("chief")

    assert not are_two(create("ada", chief), create("bob", chief))
    assert not are_two(create("cleo", create("clerk", chief)), create("dora", chief))


def test_two_accounts_of_one_creator_count_once_a_second_person_confirmed_both(create):
    chief, second = create("chief"), create("second")
    ada, bob = create("ada", chief, second), create("bob", chief, second)

    assert are_two(ada, bob)
    assert not are_two(ada, create("cleo", chief))
    assert not are_two(chief, ada)


def test_accounts_of_two_creators_count(create):
    assert are_two(create("ada", create("chief")), create("bob", create("second")))


def test_an_account_and_its_creator_are_not_two_people(create):
    ada = create("ada")

    assert not are_two(ada, create("bob", ada))


def test_an_account_and_the_creator_of_its_creator_are_not_two_people(create):
    ada = create("ada")
    accounts = [create("bob", ada)]
    for number in range(3):
        accounts.append(create(f"other{number}", accounts[-1]))

    assert not any(are_two(ada, account) for account in accounts)


def test_accounts_that_created_each_other_end_the_search(create):
    ada = create("ada")
    bob = create("bob", ada)
    User.objects.filter(pk=ada.pk).update(created_by=bob)

    assert are_two(ada, create("dora"))


def test_all_creators_are_read_by_one_statement(create, django_assert_num_queries):
    chief = create("chief")
    second = create("second")
    ada = create("ada", create("clerk", chief), second)
    bob = create("bob", chief, second)

    with django_assert_num_queries(1):
        second_person.require_two_people(ada, bob, at=NOON)
