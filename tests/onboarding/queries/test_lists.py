"""Ages of lists, and which are overdue."""

from datetime import timedelta

import pytest

from onboarding.choices import ListCode
from onboarding.queries.lists import list_ages, list_overdue
from tests.factories import NOON, later
from tests.onboarding.list_files import load_other
from tests.onboarding.sanctions_files import load

pytestmark = pytest.mark.django_db


def test_lists_are_overdue_after_their_days(tmp_path):
    load(tmp_path)
    load_other(tmp_path, ListCode.PEP)

    assert [one.age for one in list_ages(at=later(days=2))] == [timedelta(days=2)] * 2
    assert list_overdue(at=later(days=2)) == []
    assert [one.of.code for one in list_overdue(at=later(days=2, minutes=1))] == ["SDN"]
    assert [one.of.code for one in list_overdue(at=later(days=31))] == ["PEP", "SDN"]


def test_the_same_files_again_make_a_list_young(tmp_path, settings):
    settings.SANCTIONS_LIST_DAYS = 1
    load(tmp_path)

    load(tmp_path, at=later(days=5))

    assert [one.age for one in list_ages(at=later(days=5))] == [NOON - NOON]
