"""Changes of the decision policy: by two administrators, each a version with a digest."""

from uuid import UUID

import pytest
from django.db import IntegrityError, transaction

from banking.models import StaffChange, StaffEvent, User
from banking.services import staff_changes
from banking.services.staff_changes import ChangeVoid, OwnChange
from onboarding.models import DecisionRule, PolicyVersion
from onboarding.queries.decision_policy import digest_version, get_policy
from onboarding.services import policy_changes
from tests.factories import NOON

pytestmark = pytest.mark.django_db
VALUES = {
    "number": 5,
    "decisions": ["APPROVE"],
    "risks": ["MEDIUM"],
    "business_types": ["DBA"],
    "screening": "",
    "lists": [],
    "has_failed_check": None,
    "partner_id": None,
    "decider": "REVIEWER",
    "people": 2,
    "needs_accepted_documents": True,
    "document_kinds": ["PASSPORT"],
    "check_codes": [],
    "shortest_reason": 0,
    "sampled_percent": 0,
    "reason": "Sole proprietors of medium risk.",
}


@pytest.fixture
def people():
    return [User.objects.create_user(f"{name}@example.com", user_type="STAFF") for name in "rs"]


@pytest.fixture
def make(people):
    """Propose values of a rule as one administrator, and confirm them as another."""
    rosa, sam = people

    def make(rule, values):
        change = policy_changes.propose(rule, values, by=rosa, at=NOON)
        return staff_changes.confirm(change, by=sam, at=NOON)

    return make


def test_a_rule_is_in_force_once_a_second_administrator_confirms_it(people):
    rosa, sam = people
    change = policy_changes.propose(None, VALUES, by=rosa, at=NOON)
    with pytest.raises(OwnChange):
        staff_changes.confirm(change, by=rosa, at=NOON)
    assert get_policy().version == 1

    staff_changes.confirm(change, by=sam, at=NOON)

    policy = get_policy()
    assert (policy.version, policy.rules[0].number) == (2, 5)
    assert policy.rules[0].document_kinds == ["PASSPORT"]
    version = PolicyVersion.objects.get(number=2)
    assert (version.change_id, version.at) == (change.external_id, NOON)
    assert version.digest == digest_version(2, version.rules)
    said = StaffEvent.objects.order_by("-number").first().details
    assert UUID(said["change"]) == version.change_id


def test_each_change_says_the_rule_before_and_after(make):
    rule = DecisionRule.objects.get(number=70)
    values = {name: getattr(rule, name) for name in VALUES}

    added = make(None, VALUES).summary
    changed = make(rule, {**values, "sampled_percent": 10}).summary
    rule.refresh_from_db()
    deleted = make(rule, None).summary

    before = (
        "Approve, any case: A reviewer decides alone. Each required document is accepted.{} "
        "Reason: No check failed, and the risk is not high."
    )
    sampled = before.format(" 10% of approvals by one person are judged a second time.")
    assert added == [
        "Add rule 5.",
        "After: Approve, risk medium, business Doing business as: A reviewer proposes, a second "
        "person confirms. Each required document is accepted. Also accepted: Passport. Reason: "
        "Sole proprietors of medium risk.",
    ]
    assert changed == [
        "Change rule 70.",
        f"Before: {before.format('')}",
        f"After: {sampled}",
    ]
    assert deleted == ["Delete rule 70.", f"Before: {sampled}"]
    assert [len(one.rules) for one in PolicyVersion.objects.order_by("number")] == [8, 9, 9, 8]


def test_another_change_of_the_policy_voids_a_proposal(make, people):
    rosa, sam = people
    waiting = policy_changes.propose(None, VALUES, by=rosa, at=NOON)
    make(None, {**VALUES, "number": 6})

    with pytest.raises(ChangeVoid):
        staff_changes.confirm(waiting, by=sam, at=NOON)

    assert not DecisionRule.objects.filter(number=5).exists()
    assert StaffChange.objects.get(pk=waiting.pk).status == "VOIDED"


def test_a_row_that_was_written_past_the_administrators_counts_nothing(make):
    DecisionRule.objects.filter(number=70).update(people=2)

    assert next(one for one in get_policy().rules if one.number == 70).people == 1


@pytest.mark.usefixtures("protected_tables")
def test_no_version_is_changed_or_deleted():
    for change in (
        lambda: PolicyVersion.objects.update(number=9),
        lambda: PolicyVersion.objects.all().delete(),
    ):
        with (
            pytest.raises(IntegrityError, match="onboarding_policyversion_no"),
            transaction.atomic(),
        ):
            change()
