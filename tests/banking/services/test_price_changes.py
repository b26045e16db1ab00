"""Price changes are kinds of changes that two administrators make."""

from banking.services import price_changes, staff_changes


def test_plans_and_payment_rules_are_changed_by_two_people():
    assert price_changes.PLAN.label == "Plan"
    assert price_changes.PAYMENT_RULE.label == "Payment rule"
    assert staff_changes.kinds[price_changes.PLAN.name] is price_changes.PLAN
