"""Duplicates: SSNs, EINs and files that another lead, of any partner, has as well."""

from collections.abc import Iterator

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckCode, CheckResult
from onboarding.models import Lead, Owner
from onboarding.queries.checks import Duplicate, list_duplicates
from onboarding.queries.leads import LeadFile
from onboarding.screening import Finding

NAMED = 20  # customer ids in the details, oldest lead first


def check_duplicates(file: LeadFile) -> Iterator[Finding]:
    """Yield a finding for each person's SSN, for the EIN and for the files.

    It is a warning if other leads, of any partner, have the same. Its details count these leads and
    have the customer ids of the first NAMED.
    """
    found = list_duplicates(file.application)
    for person in file.people:
        yield _judge(CheckCode.DUPLICATE_SSN, found, person)
    yield _judge(CheckCode.DUPLICATE_EIN, found)
    yield _judge(CheckCode.DUPLICATE_DOCUMENT, found)


def _judge(
    code: CheckCode,
    duplicates: list[Duplicate],
    person: Lead | Owner | None = None,
) -> Finding:
    ubo_id = person.ubo_id if person else None
    ids = [
        str(one.lead.external_id) for one in duplicates if (one.code, one.ubo_id) == (code, ubo_id)
    ]
    if not ids:
        return Finding(code, CheckResult.PASS, person=person)
    note = f"{len(ids)} other leads." if len(ids) > 1 else "One other lead."
    details = {"customer_ids": ids[:NAMED], "count": len(ids)}
    return Finding(code, CheckResult.WARN, Status.IN_REVIEW, person, note, details)
