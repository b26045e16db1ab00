"""Routing: the status that an application gets from its checks.

The most severe status that a finding requires wins. If no finding requires a status, the policy of
automatic approval and the risk decide between approval and a review by staff. Without any finding
staff review the application.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db import models

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckResult, CheckSource, Risk
from onboarding.screening import Finding

GRAVEST_FIRST = [
    Status.DENIED,
    Status.DOCUMENTS_REQUIRED,
    Status.ID_VERIFICATION,
    Status.IN_REVIEW,
    Status.APPROVED_TEMPORARY,
]
Findings = Mapping[CheckSource, Sequence[Finding]]


class AutoApproval(models.TextChoices):
    """The applications that checks may approve without staff; set by AUTO_APPROVAL."""

    NEVER = "never", "Nothing"
    CLEAR = "clear", "What passed every check and is of no high risk"
    DESPITE_WARNINGS = "despite-warnings", "Whatever did not fail; for sandboxes"


@dataclass(frozen=True)
class Route:
    """The next status of an application, and the findings that require it, with their sources.

    `findings` are empty if no finding required the status.
    """

    target: Status
    findings: Sequence[tuple[CheckSource, Finding]] = ()


def choose_route(findings: Findings, *, risk: Risk, policy: AutoApproval) -> Route:
    """Return the most severe status that findings require, else approval or a review by staff.

    CLEAR approves if all checks passed and the risk is not high. Under DESPITE_WARNINGS only failed
    checks and the sandbox's checks require a status, and all else is approved. Without any finding
    the application goes to review.
    """
    pairs = [(source, found) for source, all_of_it in findings.items() for found in all_of_it]
    if not pairs:
        return Route(Status.IN_REVIEW)  # no check ran
    if policy is AutoApproval.DESPITE_WARNINGS:
        pairs = [pair for pair in pairs if _counts_despite_warnings(*pair)]
    for status in GRAVEST_FIRST:
        if leading := [pair for pair in pairs if pair[1].leads_to is status]:
            return Route(status, leading)
    is_clear = all(found.result is CheckResult.PASS for _, found in pairs)
    if policy is AutoApproval.DESPITE_WARNINGS or (
        policy is AutoApproval.CLEAR and is_clear and risk is not Risk.HIGH
    ):
        return Route(Status.APPROVED)
    return Route(Status.IN_REVIEW)


def _counts_despite_warnings(source: CheckSource, finding: Finding) -> bool:
    return source is CheckSource.SANDBOX or finding.result is CheckResult.FAIL
