from datetime import timedelta
from random import Random

import pytest

from onboarding.event_types import TEST_EVENT, EventType
from onboarding.models import Publication, Webhook
from onboarding.services.webhooks import fault_injection
from onboarding.services.webhooks.fault_injection import UNDISTURBED, Plan

APPROVED = Publication(type=EventType.APPROVED)


def plan(publication=APPROVED, *, seed=1, **values):
    return fault_injection.plan(Webhook(chaos=values), publication, random=Random(seed))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, UNDISTURBED),
        ({"drop": 0, "duplicate": 0, "reorder": 0, "delay_seconds": 0}, UNDISTURBED),
        ({"drop": 1}, Plan(drop=True, copies=0)),
        ({"duplicate": 1}, Plan(copies=2)),
        ({"reorder": 1}, Plan(out_of_order=True)),
        ({"delay_seconds": 2.5}, Plan(delay=timedelta(seconds=2.5))),
        (
            {"duplicate": 1, "reorder": 1, "delay_seconds": 3},
            Plan(copies=2, delay=timedelta(seconds=3), out_of_order=True),
        ),
    ],
)
def test_what_is_certain_happens(values, expected):
    assert plan(**values) == expected


def test_what_is_dropped_goes_nowhere_whatever_else_would_happen():
    assert plan(drop=1, duplicate=1, reorder=1, delay_seconds=9) == Plan(drop=True, copies=0)


@pytest.mark.parametrize("name", ["drop", "duplicate", "reorder"])
def test_a_share_of_deliveries_is_disturbed(name):
    disturbed = sum(plan(seed=seed, **{name: 0.3}) != UNDISTURBED for seed in range(1000))

    assert 250 < disturbed < 350


def test_one_seed_gives_one_fate_under_any_chaos():
    doubled = [plan(seed=seed, duplicate=0.5).copies for seed in range(50)]

    assert [plan(seed=seed, duplicate=0.5, reorder=0.5).copies for seed in range(50)] == doubled


def test_a_test_of_the_webhook_is_spared():
    test = Publication(type=TEST_EVENT)

    assert plan(test, drop=1, duplicate=1, reorder=1, delay_seconds=9) == UNDISTURBED


def test_there_is_no_chaos_in_production(settings):
    settings.IS_SANDBOX = False

    assert plan(drop=1) == UNDISTURBED
