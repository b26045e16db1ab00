"""Decision words: rules of the decision policy in sentences for staff."""

from collections.abc import Iterable, Iterator
from typing import Any

from banking.choices import BusinessType
from onboarding.choices import (
    CheckCode,
    Decider,
    LlcFileType,
    ProposalKind,
    Risk,
    ScreeningState,
)
from onboarding.models import DecisionRule, Partner

ANY_CASE = "any case"
EVERY_DECISION = "Any decision"


def describe(rule: DecisionRule) -> str:
    """Return a rule in words: decisions and conditions, then what it demands, then why."""
    return f"{say_conditions(rule)}: {say_demands(rule)} Reason: {rule.reason}"


def say_conditions(rule: DecisionRule) -> str:
    """Return the decisions that a rule is about, and its conditions."""
    decisions = _labels(ProposalKind, rule.decisions) or EVERY_DECISION
    return f"{decisions}, {', '.join(_conditions(rule)) or ANY_CASE}"


def say_demands(rule: DecisionRule) -> str:
    """Return in sentences who decides under a rule, and on which evidence."""
    return " ".join(_demands(rule))


def _conditions(rule: DecisionRule) -> Iterator[str]:
    if rule.risks:
        yield f"risk {_labels(Risk, rule.risks).lower()}"
    if rule.business_types:
        yield f"business {_labels(BusinessType, rule.business_types)}"
    if rule.screening:
        yield f"screening: {ScreeningState(rule.screening).label.lower()}"
    if rule.lists:
        yield f"hit of list {' or '.join(rule.lists)}"
    if rule.has_failed_check is not None:
        yield "a check failed" if rule.has_failed_check else "no check failed"
    if rule.partner_id:
        name = Partner.objects.filter(pk=rule.partner_id).values_list("name", flat=True).first()
        yield f"partner {name or rule.partner_id}"


def _demands(rule: DecisionRule) -> Iterator[str]:
    who = "An approver" if rule.decider == Decider.APPROVER else "A reviewer"
    if rule.people > 1:
        yield f"{who} proposes, a second person confirms."
    else:
        yield f"{who} decides alone."
    if rule.needs_accepted_documents:
        yield "Each required document is accepted."
    if rule.document_kinds:
        yield f"Also accepted: {_labels(LlcFileType, rule.document_kinds, ' and ')}."
    if rule.check_codes:
        yield f"With a document: {_labels(CheckCode, rule.check_codes, '; ')}."
    if rule.shortest_reason:
        yield f"The reason has {rule.shortest_reason} letters or more."
    if rule.sampled_percent:
        yield f"{rule.sampled_percent}% of approvals by one person are judged a second time."


def _labels(choices: Any, values: Iterable[str], joined: str = " or ") -> str:
    return joined.join(str(choices(value).label) for value in values)
