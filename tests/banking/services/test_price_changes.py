"""Price changes are kinds of changes that two administrators make, and the core is told of them."""

import pytest

from banking.models import FeedChange, FeedRecord, PaymentRule, Plan, User
from banking.services import price_changes, row_changes, staff_changes
from tests.factories import NOON, later


@pytest.fixture
def change(db):
    """Change a row as two administrators, and return what the bank's systems are told."""
    rosa, sam = (
        User.objects.create_user(f"{name}@example.com", user_type="STAFF") for name in "rs"
    )

    def change(kind, row, **values):
        proposed = row_changes.propose(kind, row, values, by=rosa, at=NOON)
        assert not FeedChange.objects.exists()
        staff_changes.confirm(proposed, by=sam, at=later(hours=1))
        told = FeedChange.objects.order_by("pk")
        assert {one.changed_at for one in told} == {later(hours=1)}
        return list(told.values_list("kind", "external_id", "version", "result"))

    return change


def test_plans_and_payment_rules_are_changed_by_two_people():
    assert price_changes.PLAN.label == "Plan"
    assert price_changes.PAYMENT_RULE.label == "Payment rule"
    assert staff_changes.kinds[price_changes.PLAN.name] is price_changes.PLAN


def test_the_core_is_told_of_another_price(change):
    plan = Plan.objects.create(code="PRO", name="Pro", price_cents=900)

    assert change(price_changes.PLAN, plan, price_cents=1200) == [("plans", "PRO", 0, "updated")]
    assert Plan.objects.get(code="PRO").price_cents == 1200


def test_the_core_is_told_of_the_former_default_plan_too(change):
    former = Plan.objects.create(code="START", name="Start", price_cents=0, is_default=True)
    plan = Plan.objects.create(code="PRO", name="Pro", price_cents=900)
    names = {"kind": "plans", "external_id": "P-1", "row_id": former.pk}
    FeedRecord.objects.create(**names, version=7, digest="sent", updated_at=NOON)

    told = change(price_changes.PLAN, plan, is_default=True)

    assert told == [("plans", "PRO", 0, "updated"), ("plans", "P-1", 7, "updated")]
    assert Plan.objects.get(is_default=True) == plan


def test_the_core_is_told_of_another_fee(change):
    rule = PaymentRule.objects.get(method="ACH")

    told = change(price_changes.PAYMENT_RULE, rule, fee_cents=rule.fee_cents + 25)

    assert told == [("payment-rules", "ACH", 0, "updated")]
