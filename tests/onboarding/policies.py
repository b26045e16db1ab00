"""Rules of the decision policy, for tests of several modules."""

from onboarding.models import DecisionRule
from onboarding.services.policy_changes import save_version
from tests.factories import NOON


def set_rule(number, **values):
    """Add or change a rule, and let it be in force at once."""
    rule = DecisionRule.objects.filter(number=number).first() or DecisionRule(
        number=number, reason="A new rule.", needs_accepted_documents=False
    )
    for name, value in values.items():
        setattr(rule, name, value)
    rule.save()
    save_version(at=NOON)
    return rule
