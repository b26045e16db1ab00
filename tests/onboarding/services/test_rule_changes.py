"""Rule changes: the kinds that are registered. The screens' tests have more."""

from banking.services import staff_changes
from onboarding.services import rule_changes


def test_risk_rules_and_document_rules_are_changed_by_two():
    assert rule_changes.RISK_RULE.label == "Risk rule"
    assert rule_changes.DOCUMENT_RULE.label == "Document rule"
    assert staff_changes.kinds[rule_changes.RISK_RULE.name] is rule_changes.RISK_RULE
