"""Routing: where findings lead, by what checks may approve."""

import pytest

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckCode, CheckResult, CheckSource, Risk
from onboarding.screening import Finding
from onboarding.screening.routing import AutoApproval, choose_route

PASSED = Finding(CheckCode.AGES, CheckResult.PASS)
FAILED = Finding(CheckCode.NAICS, CheckResult.FAIL, Status.DENIED)
LACKING = Finding(CheckCode.DOCUMENTS, CheckResult.WARN, Status.DOCUMENTS_REQUIRED)
ODD = Finding(CheckCode.OWNERSHIP, CheckResult.WARN, Status.IN_REVIEW)
PLAYED = Finding(CheckCode.SSN_SERIAL, CheckResult.WARN, Status.ID_VERIFICATION)


def go(*built_in, played=(), policy="never", risk=Risk.LOW):
    findings = {CheckSource.BUILT_IN: list(built_in), CheckSource.SANDBOX: list(played)}
    return choose_route(findings, risk=risk, policy=AutoApproval(policy)).target


@pytest.mark.parametrize(
    ("findings", "target"),
    [
        ([PASSED], Status.IN_REVIEW),
        ([PASSED, ODD], Status.IN_REVIEW),
        ([ODD, LACKING], Status.DOCUMENTS_REQUIRED),
        ([ODD, FAILED, LACKING], Status.DENIED),
    ],
)
def test_the_gravest_finding_leads_and_staff_see_the_rest(findings, target):
    assert go(*findings) == target


@pytest.mark.parametrize(
    ("findings", "risk", "target"),
    [
        ([PASSED], Risk.LOW, Status.APPROVED),
        ([PASSED], Risk.MEDIUM, Status.APPROVED),
        ([PASSED], Risk.HIGH, Status.IN_REVIEW),
        ([PASSED, ODD], Risk.LOW, Status.IN_REVIEW),
        ([PASSED, Finding(CheckCode.AGES, CheckResult.WARN)], Risk.LOW, Status.IN_REVIEW),
    ],
)
def test_where_it_is_on_only_what_is_clear_is_approved(findings, risk, target):
    assert go(*findings, policy="clear", risk=risk) == target


@pytest.mark.parametrize("policy", AutoApproval)
@pytest.mark.parametrize("findings", [{}, {CheckSource.BUILT_IN: []}], ids=str)
def test_nothing_is_approved_that_no_check_looked_at(findings, policy):
    assert choose_route(findings, risk=Risk.LOW, policy=policy).target == Status.IN_REVIEW


@pytest.mark.parametrize(
    ("findings", "played", "target"),
    [
        ([LACKING, ODD], [], Status.APPROVED),
        ([LACKING, ODD], [PLAYED], Status.ID_VERIFICATION),
        ([FAILED], [PLAYED], Status.DENIED),
    ],
)
def test_a_sandbox_looks_at_what_failed_and_what_is_played(findings, played, target):
    assert go(*findings, played=played, policy="despite-warnings", risk=Risk.HIGH) == target


def test_a_route_names_the_findings_that_lead_there():
    other = Finding(CheckCode.AGES, CheckResult.FAIL, Status.DENIED)

    route = choose_route(
        {CheckSource.BUILT_IN: [FAILED, ODD], CheckSource.SANDBOX: [other]},
        risk=Risk.LOW,
        policy=AutoApproval.NEVER,
    )

    assert route.findings == [(CheckSource.BUILT_IN, FAILED), (CheckSource.SANDBOX, other)]
