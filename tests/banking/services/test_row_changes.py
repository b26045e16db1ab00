"""Row changes: rules that two administrators add, change and delete."""

import pytest

from banking.models import User
from banking.services import row_changes, staff_changes
from onboarding.models import RiskRule
from onboarding.services.rule_changes import RISK_RULE
from tests.factories import NOON

pytestmark = pytest.mark.django_db
VALUES = {"factor": "COUNTRY", "value": "FR", "points": 15, "reason": "Another law."}


@pytest.fixture
def make():
    """Propose values of a rule as one administrator, and confirm them as another."""
    rosa, sam = (
        User.objects.create_user(f"{name}@example.com", user_type="STAFF") for name in "rs"
    )

    def make(row, values):
        change = row_changes.propose(RISK_RULE, row, values, by=rosa, at=NOON)
        staff_changes.confirm(change, by=sam, at=NOON)
        return change.summary

    return make


def test_zero_and_false_are_said_and_an_empty_text_is_nothing(make):
    make(None, {**VALUES, "points": 20})
    rule = RiskRule.objects.get(factor="COUNTRY", value="FR")

    changed = make(rule, {**VALUES, "points": 0, "reason": ""})
    rule.refresh_from_db()

    assert changed[1:] == ["points 0 instead of 20", "reason nothing instead of Another law."]
    assert make(rule, VALUES)[1] == "points 15 instead of 0"
    assert "Add: points 0" in make(None, {**VALUES, "value": "GB", "points": 0})


def test_a_row_is_added_changed_and_deleted(make):
    added = make(None, VALUES)
    rule = RiskRule.objects.get(factor="COUNTRY", value="FR")
    changed = make(rule, {**VALUES, "points": 20})
    rule.refresh_from_db()
    points = rule.points
    deleted = make(rule, None)

    assert added == [
        "Add: factor COUNTRY",
        "Add: value FR",
        "Add: points 15",
        "Add: reason Another law.",
    ]
    assert changed == ["Change COUNTRY FR.", "points 20 instead of 15"]
    assert points == 20
    assert deleted == ["Delete COUNTRY FR."]
    assert not RiskRule.objects.filter(pk=rule.pk).exists()
