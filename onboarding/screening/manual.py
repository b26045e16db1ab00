"""The provider of checks that staff make by hand, item by item."""

from collections.abc import Sequence

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckCode, CheckResult, CheckSource
from onboarding.models import Check
from onboarding.queries.checks import list_current_checks
from onboarding.queries.leads import LeadFile
from onboarding.screening import Finding

ITEMS = [
    CheckCode.IDENTITY_CONFIRMED,
    CheckCode.BUSINESS_REGISTERED,
    CheckCode.ADDRESS_CONFIRMED,
    CheckCode.ACTIVITY_PLAUSIBLE,
]
OPEN = "To be confirmed by staff."


def ask_staff(file: LeadFile) -> Sequence[Finding]:
    """Return a finding for each item that staff confirm by hand, a warning if still to be done.

    What staff confirmed or failed counts until the lead changes.
    """
    since = file.lead.updated_at
    ticked = {
        check.code: check
        for check in list_current_checks(file.application)
        if check.source == CheckSource.MANUAL and check.by and check.at >= since
    }
    return [_keep(ticked[code]) if code in ticked else _ask(code) for code in ITEMS]


def _ask(code: CheckCode) -> Finding:
    return Finding(code, CheckResult.WARN, Status.IN_REVIEW, note=OPEN)


def _keep(tick: Check) -> Finding:
    result = CheckResult(tick.result)
    leads_to = None if result is CheckResult.PASS else Status.IN_REVIEW
    return Finding(
        CheckCode(tick.code), result, leads_to, note=tick.note, details=tick.details, by=tick.by
    )
