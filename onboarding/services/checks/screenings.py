"""Screenings: checks of submitted applications, and the moves that follow from the findings."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from banking.errors import StepRefused
from banking.models import User
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import (
    CheckCode,
    CheckResult,
    CheckSource,
    DenialReason,
    LlcFileType,
    ProposalStatus,
    Risk,
    Role,
    RunCause,
)
from onboarding.event_types import EventType
from onboarding.models import Application, Check, CheckRun, Document
from onboarding.models.documents import AWAITS_RECEIPT
from onboarding.queries import evidence, fixed_rows
from onboarding.queries.checks import (
    collect_hits,
    get_current_list,
    list_current_checks,
    list_outdated,
)
from onboarding.queries.document_rules import list_document_rules
from onboarding.queries.leads import LeadFile, claim_application, lock_application, open_lead_file
from onboarding.queries.requirements import list_missing_documents
from onboarding.screening import Provider, manual
from onboarding.screening.routing import AutoApproval, Findings, Route, choose_route
from onboarding.screening.rules import check_by_rules
from onboarding.screening.sandbox import check_serials
from onboarding.services.applications import lifecycle
from onboarding.services.applications.expiry import Outcome
from onboarding.services.checks import risks
from onboarding.services.events import history
from onboarding.services.events.history import CHECKS, Actor, History
from onboarding.services.reviews import cases, decisions

logger = logging.getLogger(__name__)

PAUSE = 0.1  # seconds, the longest that SQLite lets a waiting writer sleep between two tries
PROVIDERS: Mapping[CheckSource, Provider] = {
    CheckSource.BUILT_IN: check_by_rules,
    CheckSource.MANUAL: manual.ask_staff,
    CheckSource.SANDBOX: check_serials,
}
OPEN = [  # checked, and not decided for good
    Status.ID_VERIFICATION,
    Status.DOCUMENTS_REQUIRED,
    Status.IN_REVIEW,
    Status.APPROVED_TEMPORARY,
]
CUSTOMERS = [Status.APPROVED, Status.APPROVED_TEMPORARY]  # they have an account
WORST_FIRST = [CheckResult.FAIL, CheckResult.WARN, CheckResult.PASS]
SANDBOX = Actor(Role.REVIEWER, "sandbox")
CHANGED_RESULTS = "A check has another result."
SAY_WHAT_YOU_FOUND = "Enter what you found. Auditors will read it."
ASKED = "The sandbox asks for this document."


class CaseNotOpen(StepRefused):
    """The application was not submitted and checked yet, or it is decided."""

    message = "This case is not open. It is being checked, or it has been decided."


class NotForStaff(StepRefused):
    """Staff cannot tick the check, in this case or at all."""

    def __init__(self, code: CheckCode) -> None:
        super().__init__(f"“{code.label}” is not a check that staff can complete here.")


@dataclass(frozen=True)
class _Look:
    """The findings of the providers about an application, and the sanctions list they used."""

    file: LeadFile
    findings: Findings
    sanctions_list: str


def is_waiting() -> bool:
    """Return whether an application waits for its checks; always false without a provider."""
    return bool(settings.CHECK_PROVIDERS) and _list_submitted().exists()


def screen_submitted(*, clock: Callable[[], datetime], until: Callable[[], bool]) -> int:
    """Screen submitted applications until `until` returns true, and return how many moved.

    Safe to run in several workers: applications that another worker has locked are skipped. A
    failure is logged, and the next application follows. Without a provider nothing is screened.
    """
    if not settings.CHECK_PROVIDERS:
        return 0
    moved = 0
    for pk, external_id in list(_list_submitted().values_list("pk", "external_id")):
        if until():
            break
        try:
            moved += _screen(pk, at=clock())
        except Exception:
            logger.exception("the screening of application %s failed", external_id)
        _let_others_write()
    return moved


def _let_others_write() -> None:
    """Pause on SQLite, which has one writer and does not give its lock in the order of waiting."""
    if connection.vendor == "sqlite":
        time.sleep(PAUSE)


def _list_submitted() -> QuerySet[Application]:
    unscanned = Document.objects.filter(AWAITS_RECEIPT, lead=OuterRef("lead"))
    submitted = Application.objects.filter(status=Status.SUBMITTED, is_current=True)
    return submitted.filter(~Exists(unscanned)).order_by("pk")


@transaction.atomic
def screen(application: Application, *, at: datetime) -> None:
    """Check a submitted application, locked by the caller, and move it according to the findings.

    Waits for the first scan of its files: it is then screened by `screen_submitted`.
    Raises: InvalidMove.
    """
    if application.lead.documents.filter(AWAITS_RECEIPT).exists():
        return
    was_checked = application.check_runs.exists()
    cause = RunCause.ANSWERED if was_checked else RunCause.SUBMITTED
    look = _look(application)
    _write_run(look, cause=cause, by=None, at=at)
    policy = AutoApproval(settings.AUTO_APPROVAL)
    route = choose_route(look.findings, risk=Risk(application.risk), policy=policy)
    _go(look.file, route, at)


def run_checks(
    application: Application, *, cause: RunCause, at: datetime, by: User | None = None
) -> CheckRun:
    """Check an application, locked by the caller, save the findings and rate its risk.

    A further run keeps the earlier runs, and does not move the application.
    """
    return _write_run(_look(application), cause=cause, by=by, at=at)


@transaction.atomic
def rerun(application: Application, *, by: User, at: datetime) -> CheckRun:
    """Run the checks again for a member of staff.

    Raises: NotClaimed, CaseNotOpen, Superseded.
    """
    locked = _begin_step(application, by=by, at=at)
    return run_checks(locked, cause=RunCause.STAFF, at=at, by=by)


@transaction.atomic
def tick(
    application: Application,
    code: CheckCode,
    result: CheckResult,
    *,
    note: str,
    by: User,
    at: datetime,
) -> Check:
    """Save the result that a member of staff found for a manual item of the newest run.

    Raises: NotClaimed, CaseNotOpen, NotForStaff, Incomplete, Superseded.
    """
    if not note.strip():
        raise cases.Incomplete(SAY_WHAT_YOU_FOUND)
    locked = _begin_step(application, by=by, at=at)
    asked = {check.code: check for check in list_current_checks(locked)}
    if code not in manual.ITEMS or code not in asked:
        raise NotForStaff(code)
    check = Check.objects.create(
        run=asked[code].run,
        code=code,
        source=CheckSource.MANUAL,
        result=result,
        note=note,
        by=by,
        at=at,
    )
    results = [current.result for current in list_current_checks(locked)]
    locked.worst_result = application.worst_result = _worst(results)
    locked.save(update_fields=["worst_result"])
    details = {
        "check_id": str(check.external_id),
        "code": code.value,
        "result": result.value,
        **fixed_rows.fix(check),
    }
    history.record(locked, EventType.CHECK_TICKED, by=cases.actor(by), at=at, **details)
    return check


def recheck_outdated(
    *, at: datetime, until: Callable[[], bool] = lambda: False
) -> Iterator[Outcome]:
    """Check open cases with an outdated newest run again, then approved customers.

    Customers are checked again only for a newer sanctions list, until `until` returns true; the
    next call continues. A check adds a run and moves no application. A failure is logged, and the
    next application follows.
    """
    for pk, external_id in list(_outdated().values_list("pk", "external_id")):
        yield _try_recheck(pk, external_id, at=at)
    for pk, external_id in list(_outdated_customers().values_list("pk", "external_id")):
        if until():
            return
        yield _try_recheck(pk, external_id, at=at)


def is_outdated(application: Application) -> bool:
    """Return whether an open case was never checked, or its newest run is outdated."""
    return _outdated().filter(pk=application.pk).exists()


def _outdated() -> QuerySet[Application]:
    """Return the open cases without a run or with an outdated run; none without a provider."""
    if not settings.CHECK_PROVIDERS:
        return Application.objects.none()
    return list_outdated(sha256=_list_looked_at()).filter(status__in=OPEN)


def _outdated_customers() -> QuerySet[Application]:
    """Return approved customers whose names were not compared with the current sanctions list."""
    sha256 = _list_looked_at()
    if not sha256:
        return Application.objects.none()
    held_against_another = Q(checked_list=None) | ~Q(checked_list=sha256)
    return list_outdated(sha256=sha256).filter(held_against_another, status=Status.APPROVED)


def _try_recheck(pk: int, external_id: UUID, *, at: datetime) -> Outcome:
    try:
        _recheck(pk, at=at)
    except Exception as exc:
        logger.exception("checking application %s again failed", external_id)
        return Outcome(external_id, type(exc).__name__)
    return Outcome(external_id)


@transaction.atomic
def _recheck(pk: int, *, at: datetime) -> None:
    """Check an application again unless it was checked or decided meanwhile."""
    locked = lock_application(pk=pk, status__in=[*OPEN, Status.APPROVED])
    if locked is None:
        return
    is_customer = locked.status == Status.APPROVED
    rows = _outdated_customers() if is_customer else _outdated()
    if not rows.filter(pk=pk).exists():
        return
    newest = locked.check_runs.order_by("-number").first()
    if is_customer:
        cause = RunCause.LIST_LOADED
    elif newest is None:
        cause = RunCause.SUBMITTED
    elif _list_looked_at() in {None, newest.sanctions_list}:
        cause = RunCause.ANSWERED
    else:
        cause = RunCause.LIST_LOADED
    run_checks(locked, cause=cause, at=at)


@transaction.atomic
def _screen(pk: int, *, at: datetime) -> bool:
    """Screen an application, unless another worker has it or it was moved meanwhile."""
    application = claim_application(pk=pk, status=Status.SUBMITTED)
    if application is None:
        return False
    screen(application, at=at)
    return True


def _begin_step(application: Application, *, by: User, at: datetime) -> Application:
    locked = cases.begin_step(application, by=by, at=at)
    if locked.status not in OPEN:
        raise CaseNotOpen
    return locked


def _list_now() -> str:
    current = get_current_list()
    return current.sha256 if current else ""


def _list_looked_at() -> str | None:
    """Return the SHA-256 of the current sanctions list; None without the built-in provider."""
    return _list_now() if CheckSource.BUILT_IN in settings.CHECK_PROVIDERS else None


def _look(application: Application) -> _Look:
    """Run the providers. Reads the sanctions list first, so that a newer list is never missed."""
    list_now, file = _list_now(), open_lead_file(application)
    sources = [CheckSource(name) for name in settings.CHECK_PROVIDERS]
    findings = {source: PROVIDERS[source](file) for source in sources}
    return _Look(file, findings, list_now if CheckSource.BUILT_IN in findings else "")


def _write_run(look: _Look, *, cause: RunCause, by: User | None, at: datetime) -> CheckRun:
    application = look.file.application
    former_hits = collect_hits(list_current_checks(application))
    number = application.check_runs.count() + 1
    run = CheckRun.objects.create(
        application=application,
        number=number,
        cause=cause,
        sanctions_list=look.sanctions_list,
        at=at,
    )
    checks = _rows(run, look.findings)
    Check.objects.bulk_create(checks)
    _rate(look.file, look.findings)
    if collect_hits(checks) - former_hits:
        _alert(application, at=at)
    _record_run(run, checks, by=by)
    return run


def _alert(application: Application, *, at: datetime) -> None:
    """Add a customer with a new hit to the queue of staff, without moving the application."""
    if application.status in CUSTOMERS and application.new_hit_at is None:
        application.new_hit_at = at
        application.save(update_fields=["new_hit_at"])


def _record_run(run: CheckRun, checks: Sequence[Check], *, by: User | None) -> None:
    """Add a run to the history, and void an open proposal whose evidence has changed."""
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
    application.worst_result = _worst([finding.result for finding in everything])
    rated = ["risk", "risk_points", "risk_reasons", "worst_result"]
    application.save(update_fields=rated)


def _worst(results: Sequence[str]) -> str:
    return next((result.value for result in WORST_FIRST if result in results), "")


@transaction.atomic
def _go(file: LeadFile, route: Route, at: datetime) -> None:
    application, target = file.application, route.target
    if target is Status.DENIED:
        reason = _reason_of(route)
        decisions.deny(application, reasons=[reason], by=CHECKS, at=at)
    elif target is Status.DOCUMENTS_REQUIRED:
        decisions.request_documents(application, _wanted(file), by=CHECKS, at=at)
    elif target is Status.ID_VERIFICATION:
        people = [finding.person for _, finding in route.findings if finding.person]
        decisions.request_identity(application, people, by=CHECKS, at=at)
    elif target is Status.APPROVED:
        decisions.approve(application, by=CHECKS, at=at)
    else:
        lifecycle.move(application, Status.IN_REVIEW, by=CHECKS, at=at)
        if target is Status.APPROVED_TEMPORARY:
            decisions.approve_temporarily(application, by=SANDBOX, at=at)


def _reason_of(route: Route) -> DenialReason:
    """Return the reason for the partner: NOT_VERIFIED if all findings are from the sandbox."""
    is_played = all(source is CheckSource.SANDBOX for source, _ in route.findings)
    return DenialReason.NOT_VERIFIED if is_played else DenialReason.NOT_ELIGIBLE


def _wanted(file: LeadFile) -> dict[LlcFileType, str]:
    """Return the documents to request beside missing documents: one kind if none is missing."""
    if list_missing_documents(file.requirements):
        return {}
    rules = list_document_rules(file.lead.business_type)
    kinds = [kind for rule in rules for kind in rule.accepted_types]
    return {LlcFileType(next(iter(kinds), LlcFileType.UTILITY_BILL)): ASKED}
