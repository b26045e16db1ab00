"""Runs of checks: the findings of the providers, their rows and the risk of the business."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from django.conf import settings

from banking.models import User
from onboarding.choices import CheckResult, CheckSource, ProposalStatus, RunCause
from onboarding.event_types import EventType
from onboarding.models import Application, Check, CheckRun
from onboarding.queries import evidence, fixed_rows
from onboarding.queries.leads import LeadFile, open_lead_file
from onboarding.screening import Provider, manual, providers
from onboarding.screening.routing import Findings
from onboarding.screening.rules import check_by_rules
from onboarding.screening.sanctions import digest_comparison
from onboarding.screening.sandbox import check_serials
from onboarding.services.checks import hit_alerts, risks, screening_hits
from onboarding.services.events.history import CHECKS, History
from onboarding.services.reviews import cases
from onboarding.services.verification import asking

PROVIDERS: Mapping[CheckSource, Provider] = {
    CheckSource.BUILT_IN: check_by_rules,
    CheckSource.MANUAL: manual.ask_staff,
    CheckSource.SANDBOX: check_serials,
    CheckSource.PROVIDER: providers.read_providers,
    CheckSource.PARTNER: providers.read_partner,
}
ALWAYS = [CheckSource.PROVIDER, CheckSource.PARTNER]  # without verifications they find nothing
WORST_FIRST = [CheckResult.FAIL, CheckResult.WARN, CheckResult.PASS]
CHANGED_RESULTS = "A check has another result."


@dataclass(frozen=True)
class Examination:
    """The findings of all check providers about an application, with the data that they read.

    `sanctions_list` is the digest of the lists and of the way names are compared; empty if the
    built-in checks did not run or no list is loaded.
    """

    file: LeadFile
    findings: Findings
    sanctions_list: str


def run_checks(
    application: Application, *, cause: RunCause, at: datetime, by: User | None = None
) -> CheckRun:
    """Check an application, save the findings as a new run, and rate the risk of the business.

    The caller has locked the application. Earlier runs are kept, and the status does not change.
    Also requests missing verifications of changed data; a run by staff repeats the requests that
    were not answered in time.
    """
    asking.ask(application, at=at, renews=cause == RunCause.STAFF)
    return write_run(examine(application), cause=cause, by=by, at=at)


def examine(application: Application) -> Examination:
    """Run the configured check providers on an application and return their findings, unsaved.

    Reads the digest of the lists first, so that a list loaded meanwhile makes the run outdated.
    """
    list_now, file = digest_comparison(), open_lead_file(application)
    sources = [*map(CheckSource, settings.CHECK_PROVIDERS), *ALWAYS]
    findings = {source: PROVIDERS[source](file) for source in sources}
    return Examination(file, findings, list_now if CheckSource.BUILT_IN in findings else "")


def write_run(
    examination: Examination, *, cause: RunCause, by: User | None, at: datetime
) -> CheckRun:
    """Save the findings of an examination as the newest run, rate the risk, and record an event.

    Also saves the screening hits, with their alert, if names were compared with lists. The lead
    must be locked.
    """
    application = examination.file.application
    number = application.check_runs.count() + 1
    run = CheckRun.objects.create(
        application=application,
        number=number,
        cause=cause,
        sanctions_list=examination.sanctions_list,
        at=at,
    )
    checks = _rows(run, examination.findings)
    Check.objects.bulk_create(checks)
    _rate(examination.file, examination.findings)
    found = list(chain.from_iterable(examination.findings.values()))
    is_compared = bool(examination.sanctions_list)
    hits = screening_hits.save_hits(examination.file, found, at=at) if is_compared else None
    risks.rate_exposed(application)
    if hits:
        hit_alerts.update_alert(application, is_alert=hits.is_alert, at=at)
    _record_run(run, checks, by=by)
    return run


def worst(results: Sequence[str]) -> str:
    """Return the gravest of the results: FAIL, then WARN, then PASS; empty if there is none."""
    return next((result.value for result in WORST_FIRST if result in results), "")


def _record_run(run: CheckRun, checks: Sequence[Check], *, by: User | None) -> None:
    """Record the CHECKED event of a run, and void an open proposal whose evidence has changed."""
    application = run.application
    counts = Counter(check.result for check in checks)
    results: dict[str, Any] = {result.value.lower(): counts[result.value] for result in CheckResult}
    log = History(application.lead, by=cases.actor(by) if by else CHECKS, at=run.at)
    details: dict[str, Any] = {"run": run.number, "cause": run.cause, "risk": application.risk}
    fixed = fixed_rows.fix(*checks)
    log.add(EventType.CHECKED, application, **details, **results, **fixed)
    for proposal in application.proposals.filter(status=ProposalStatus.OPEN):
        if proposal.evidence_digest not in evidence.compute_digests(application):
            log.void_proposal(application, cause=CHANGED_RESULTS)
    log.save_with_lead()


def _rows(run: CheckRun, findings: Findings) -> list[Check]:
    return [
        Check(
            run=run,
            code=finding.code,
            source=source,
            result=finding.result,
            ubo_id=finding.ubo_id,
            note=finding.note,
            details=dict(finding.details),
            by=finding.by,
            at=run.at,
        )
        for source, found in findings.items()
        for finding in found
    ]


def _rate(file: LeadFile, findings: Findings) -> None:
    application = file.application
    everything = [finding for found in findings.values() for finding in found]
    rating = risks.rate(file, everything)
    application.risk, application.risk_points = rating.risk, rating.points
    application.risk_reasons = rating.reasons
    application.worst_result = worst([finding.result for finding in everything])
    application.needs_screening = False
    rated = ["risk", "risk_points", "risk_reasons", "worst_result", "needs_screening"]
    application.save(update_fields=rated)
