"""The built-in rules: checks of an application's own data."""

from collections.abc import Iterator, Sequence
from datetime import date

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckCode, CheckResult
from onboarding.industries import is_in_sector
from onboarding.models import Lead, Owner
from onboarding.queries.leads import LeadFile
from onboarding.queries.requirements import Kind, list_missing_documents
from onboarding.queries.risks import RiskTable, get_risk_table
from onboarding.screening import Finding, duplicates, sanctions
from onboarding.validators import ownership_total

OF_AGE, OLDEST = 18, 120
WHOLE, LEAST = 100, 1  # percent
PASS, WARN, FAIL = CheckResult.PASS, CheckResult.WARN, CheckResult.FAIL


def check_by_rules(file: LeadFile) -> Sequence[Finding]:
    """Check an application by the bank's rules, the stored leads and the sanctions list."""
    return [
        check_completeness(file),
        *check_ages(file),
        check_ownership(file),
        check_control_person(file),
        check_naics(file.lead.naics_code, get_risk_table()),
        check_documents(file),
        *duplicates.check_duplicates(file),
        *sanctions.check_sanctions(file),
    ]


def check_completeness(file: LeadFile) -> Finding:
    """Return a warning if fields or answers to the questions of EDD are missing, else a pass."""
    kinds = {Kind.FIELD, Kind.EDD}
    missing = [requirement.code for requirement in file.requirements if requirement.kind in kinds]
    if not missing:
        return Finding(CheckCode.COMPLETENESS, PASS)
    note = f"Missing answers: {len(missing)}."
    return _warn(CheckCode.COMPLETENESS, note, details={"missing": missing})


def check_ages(file: LeadFile) -> Iterator[Finding]:
    """Yield a finding about each person's age on the day (UTC) of submission; 18 to 120 passes.

    An underage applicant cannot sign and is denied. Other owners under 18, anybody over 120 and
    missing birth dates are warnings, for staff to judge.
    """
    day = (file.application.submitted_at or file.application.status_changed_at).date()
    for person in file.people:
        if person.birth_date is None:
            yield _warn(CheckCode.AGES, "The date of birth is missing.", person)
        elif OF_AGE <= (age := _age(person.birth_date, day)) <= OLDEST:
            yield Finding(CheckCode.AGES, PASS, person=person)
        elif age > OLDEST:
            yield _warn(CheckCode.AGES, f"Over {OLDEST} years old.", person)
        elif isinstance(person, Lead):
            note = f"Under {OF_AGE} when it was submitted."
            yield Finding(CheckCode.AGES, FAIL, Status.DENIED, person, note)
        else:
            yield _warn(CheckCode.AGES, f"Under {OF_AGE}.", person)


def check_ownership(file: LeadFile) -> Finding:
    """Return a warning if the shares add up to over 100 percent or under 1, else a pass.

    Counted are the shares of the business, of people, trusts and companies, and not the shares in
    trusts and companies.
    """
    lead = file.lead
    direct = ownership_total(lead.email, lead.ownership_percent, [*map(vars, file.owners)])
    total = sum((one.share for one in file.holdings), start=direct)
    note = f"The shares add up to {total.normalize():f}%."
    if LEAST <= total <= WHOLE:
        return Finding(CheckCode.OWNERSHIP, PASS, note=note)
    return _warn(CheckCode.OWNERSHIP, note)


def check_control_person(file: LeadFile) -> Finding:
    """Return a warning if several people are marked as control person, else a pass.

    Without a marked person the applicant is in control. Source: 31 CFR 1010.230(d)(2).
    """
    marked = [person for person in file.people if person.is_control_person]
    if len(marked) > 1:
        return _warn(CheckCode.CONTROL_PERSON, f"{len(marked)} people are marked.")
    note = "" if marked else "Nobody is marked: it is the applicant."
    return Finding(CheckCode.CONTROL_PERSON, PASS, note=note)


def check_naics(code: str, table: RiskTable) -> Finding:
    """Return a failure for a prohibited NAICS code, which denies the application.

    A code that is missing, unknown, or so short that it includes prohibited industries is a
    warning; all others pass. Source: NAICS 2022, its sectors.
    """
    if table.prohibits(code):
        note = f"{code}: {table.reason_of(code)}"
        return Finding(CheckCode.NAICS, FAIL, Status.DENIED, note=note)
    if not is_in_sector(code):
        return _warn(CheckCode.NAICS, f"{code} is in no sector of NAICS." if code else "No code.")
    if table.may_hide_prohibited(code):
        return _warn(CheckCode.NAICS, f"{code} may stand for industries that the bank refuses.")
    return Finding(CheckCode.NAICS, PASS)


def check_documents(file: LeadFile) -> Finding:
    """Return a warning that asks for documents if some are missing, else a pass."""
    missing = list_missing_documents(file.requirements)
    if not missing:
        return Finding(CheckCode.DOCUMENTS, PASS)
    note = f"Missing documents: {len(missing)}."
    details = {"missing": missing}
    target = Status.DOCUMENTS_REQUIRED
    return Finding(CheckCode.DOCUMENTS, WARN, target, note=note, details=details)


def _warn(
    code: CheckCode,
    note: str,
    person: Lead | Owner | None = None,
    details: dict[str, list[str]] | None = None,
) -> Finding:
    return Finding(code, WARN, Status.IN_REVIEW, person, note, details or {})


def _age(born: date, day: date) -> int:
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))
