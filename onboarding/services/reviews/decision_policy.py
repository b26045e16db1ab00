"""The decision policy at work: refusals of decisions that lack what their rule demands."""

from collections.abc import Sequence

from banking.errors import StepRefused
from banking.models import User
from onboarding.choices import Decider
from onboarding.models import Application, DecisionRule
from onboarding.queries.decision_evidence import list_lacking
from onboarding.queries.decision_policy import Needs
from onboarding.queries.leads import open_lead_file
from onboarding.services.reviews import cases


class NotEntitled(StepRefused):
    """The rule reserves the decision for people with another permission."""

    def __init__(self, rule: DecisionRule) -> None:
        super().__init__(
            f"By {rule} of the decision policy an approver decides this: {rule.reason}"
        )


class EvidenceLacking(StepRefused):
    """The decision lacks documents or checks that its rule demands."""

    def __init__(self, rule: DecisionRule, sentences: Sequence[str]) -> None:
        super().__init__(f"{' '.join(sentences)} By {rule} of the decision policy: {rule.reason}")


def is_entitled(needs: Needs, *, by: User) -> bool:
    """Return whether a user may make the decision, which the rule may reserve for approvers."""
    return needs.rule.decider != Decider.APPROVER or by.has_perm(needs.permission)


def require_entitled(needs: Needs, *, by: User) -> None:
    """Refuse a reviewer if the rule reserves the decision for approvers. Raises: NotEntitled."""
    if not is_entitled(needs, by=by):
        raise NotEntitled(needs.rule)


def require_reason(needs: Needs, text: str) -> None:
    """Refuse a reason for staff with fewer letters than the rule demands. Raises: Incomplete."""
    shortest = needs.rule.shortest_reason
    if sum(sign.isalpha() for sign in text) < shortest:
        raise cases.Incomplete(
            f"Enter a reason of {shortest} letters or more, by {needs.rule} of the decision policy."
        )


def require_evidence(needs: Needs, application: Application) -> None:
    """Refuse a decision without the documents and checks of its rule. Raises: EvidenceLacking."""
    if sentences := list_lacking(needs, open_lead_file(application)).sentences:
        raise EvidenceLacking(needs.rule, sentences)
