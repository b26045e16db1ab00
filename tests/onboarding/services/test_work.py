"""Work holds as a whole, is done again after a race, and is one transaction with its parts."""

import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from onboarding.models import Partner
from onboarding.services.work import RACES, as_one

pytestmark = pytest.mark.django_db(transaction=True, serialized_rollback=True)


class Loser:
    """Loses so many races."""

    def __init__(self, races):
        self.races = races
        self.tries = 0

    def __call__(self, _store):
        self.tries += 1
        Partner.objects.create(name=f"try {self.tries}")
        if self.tries <= self.races:
            raise IntegrityError("somebody was faster")
        return self.tries


def names():
    return [*Partner.objects.values_list("name", flat=True)]


def test_what_lost_a_race_is_done_again():
    assert as_one(Loser(RACES)) == RACES + 1

    assert names() == [f"try {RACES + 1}"]


def test_what_always_loses_is_given_up():
    loser = Loser(RACES + 1)

    with pytest.raises(IntegrityError):
        as_one(loser)

    assert loser.tries == RACES + 1
    assert names() == []


def test_a_part_goes_with_the_whole_and_has_its_store():
    def whole(store):
        as_one(lambda inner: (inner is store) or pytest.fail("another store"))
        as_one(Loser(0))
        raise LookupError

    with pytest.raises(LookupError):
        as_one(whole)

    assert names() == []


def test_the_whole_is_done_again_when_a_part_lost():
    loser = Loser(1)

    as_one(lambda _: (Partner.objects.create(name="whole"), as_one(loser)))

    assert sorted(names()) == ["try 2", "whole"]


def test_a_part_takes_no_statement_of_its_own():
    with CaptureQueriesContext(connection) as captured:
        as_one(lambda _: as_one(Loser(0)))

    kinds = [query["sql"].split()[0] for query in captured]
    assert kinds == ["BEGIN", "INSERT", "COMMIT"]
