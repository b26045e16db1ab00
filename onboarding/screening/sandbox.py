"""The sandbox's provider: the last four digits of an SSN decide the outcome."""

from collections.abc import Sequence

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckCode, CheckResult
from onboarding.models import Lead, Owner
from onboarding.queries.leads import LeadFile
from onboarding.screening import Finding

SERIALS = {
    "0001": Status.DENIED,
    "0002": Status.DOCUMENTS_REQUIRED,
    "0003": Status.ID_VERIFICATION,
    "0004": Status.IN_REVIEW,
    "0007": Status.APPROVED_TEMPORARY,
}


def check_serials(file: LeadFile) -> Sequence[Finding]:
    """Return for each person the outcome of the last four SSN digits in SERIALS; others pass."""
    return [_find(person) for person in file.people]


def _find(person: Lead | Owner) -> Finding:
    serial = person.ssn[-4:]
    target = SERIALS.get(serial)
    if target is None:
        return Finding(CheckCode.SSN_SERIAL, CheckResult.PASS, person=person)
    result = CheckResult.FAIL if target is Status.DENIED else CheckResult.WARN
    return Finding(CheckCode.SSN_SERIAL, result, target, person, note=f"serial {serial}")
