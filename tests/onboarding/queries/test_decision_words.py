"""Rules of the decision policy in sentences."""

import pytest

from onboarding.models import DecisionRule, Partner
from onboarding.queries.decision_policy import get_policy
from onboarding.queries.decision_words import describe, say_conditions, say_demands

pytestmark = pytest.mark.django_db


def test_the_rules_of_the_release_read_like_this():
    rules = [(say_conditions(rule), say_demands(rule)) for rule in get_policy().rules]

    two = "A reviewer proposes, a second person confirms."
    accepted = "Each required document is accepted."
    assert rules == [
        ("Deny, any case", two),
        ("Reopen, any case", two),
        ("Approve, a check failed", f"{two} {accepted}"),
        ("Approve temporarily, a check failed", two),
        ("Approve, risk high", f"{two} {accepted}"),
        ("Approve temporarily, risk high", two),
        ("Approve, any case", f"A reviewer decides alone. {accepted}"),
        ("Approve temporarily, any case", "A reviewer decides alone."),
    ]


def test_a_rule_with_everything():
    partner = Partner.objects.create(name="Harbor Payroll")
    rule = DecisionRule(
        decisions=["APPROVE", "APPROVE_TEMPORARILY"],
        risks=["MEDIUM", "HIGH"],
        business_types=["DBA"],
        screening="CLEARED",
        lists=["SDN", "UN"],
        has_failed_check=False,
        partner=partner,
        decider="APPROVER",
        people=1,
        needs_accepted_documents=True,
        document_kinds=["PASSPORT", "UTILITY_BILL"],
        check_codes=["ADDRESS_CONFIRMED"],
        shortest_reason=40,
        sampled_percent=10,
        reason="Cash.",
    )

    assert describe(rule) == (
        "Approve or Approve temporarily, risk medium or high, business Doing business as, "
        "screening: hits, all cleared, hit of list SDN or UN, no check failed, partner Harbor "
        "Payroll: An approver decides alone. Each required document is accepted. Also accepted: "
        "Passport and Utility bill. With a document: The business works at its address. The reason "
        "has 40 letters or more. 10% of approvals by one person are judged a second time. "
        "Reason: Cash."
    )


def test_a_rule_without_conditions_is_about_everything():
    assert say_conditions(DecisionRule()) == "Any decision, any case"
