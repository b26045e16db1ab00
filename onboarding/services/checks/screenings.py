"""Screenings: checks of submitted applications, and the moves that follow from the findings."""

import logging
import time
from collections.abc import Callable
from datetime import datetime

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, QuerySet

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckSource, DenialReason, LlcFileType, Risk, Role, RunCause
from onboarding.models import Application, Document
from onboarding.models.documents import AWAITS_RECEIPT
from onboarding.queries.document_rules import list_document_rules
from onboarding.queries.leads import LeadFile, claim_application
from onboarding.queries.requirements import list_missing_documents
from onboarding.queries.screening_hits import count_open
from onboarding.screening.routing import AutoApproval, Route, choose_route
from onboarding.services.applications import lifecycle
from onboarding.services.checks.check_runs import examine, write_run
from onboarding.services.events.history import CHECKS, Actor
from onboarding.services.reviews import decisions
from onboarding.services.verification import asking

logger = logging.getLogger(__name__)

PAUSE = 0.1  # seconds, the longest that SQLite lets a waiting writer sleep between two tries
APPROVALS = {Status.APPROVED, Status.APPROVED_TEMPORARY}
SANDBOX = Actor(Role.REVIEWER, "sandbox")
ASKED = "The sandbox asks for this document."


def is_waiting(*, at: datetime) -> bool:
    """Return whether `screen_submitted` has an application to screen; false without a provider.

    Applications whose files wait for a scan, or whose verifications are awaited, do not count.
    """
    return bool(settings.CHECK_PROVIDERS) and _list_submitted(at).exists()


def screen_submitted(*, clock: Callable[[], datetime], until: Callable[[], bool]) -> int:
    """Screen submitted applications until `until` returns true, and return how many moved.

    Safe to run in several workers: applications that another worker has locked are skipped. A
    failure is logged, and the next application follows. Without a provider nothing is screened.
    """
    if not settings.CHECK_PROVIDERS:
        return 0
    moved = 0
    for pk, external_id in list(_list_submitted(clock()).values_list("pk", "external_id")):
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


def _list_submitted(at: datetime) -> QuerySet[Application]:
    """Return applications whose files are scanned and whose verifications are not awaited."""
    unscanned = Document.objects.filter(AWAITS_RECEIPT, lead=OuterRef("lead"))
    submitted = Application.objects.filter(status=Status.SUBMITTED, is_current=True)
    awaited = asking.list_awaited(at=at).filter(application=OuterRef("pk"))
    return submitted.filter(~Exists(unscanned), ~Exists(awaited)).order_by("pk")


@transaction.atomic
def screen(application: Application, *, at: datetime) -> bool:
    """Check a submitted application, locked by the caller, and move it according to the findings.

    Open screening hits lead to a review instead of an approval, under every policy. Returns false,
    without a check, while a file waits for its first scan or a verification provider may still
    answer: `screen_submitted` screens it later. Raises: InvalidMove.
    """
    if application.lead.documents.filter(AWAITS_RECEIPT).exists():
        return False
    if asking.ask(application, at=at):
        return False
    was_checked = application.check_runs.exists()
    cause = RunCause.ANSWERED if was_checked else RunCause.SUBMITTED
    examination = examine(application)
    write_run(examination, cause=cause, by=None, at=at)
    policy = AutoApproval(settings.AUTO_APPROVAL)
    route = choose_route(examination.findings, risk=Risk(application.risk), policy=policy)
    if route.target in APPROVALS and count_open(application.lead):
        route = Route(Status.IN_REVIEW)
    _go(examination.file, route, at)
    return True


@transaction.atomic
def _screen(pk: int, *, at: datetime) -> bool:
    """Screen an application unless its rows are locked or it was moved; return whether screened."""
    application = claim_application(pk=pk, status=Status.SUBMITTED)
    if application is None:
        return False
    return screen(application, at=at)


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
        decisions.approve(application, by=CHECKS, at=at, auto_approval=settings.AUTO_APPROVAL)
    else:
        lifecycle.move(application, Status.IN_REVIEW, by=CHECKS, at=at)
        if target is Status.APPROVED_TEMPORARY:
            decisions.approve_temporarily(application, by=SANDBOX, at=at)


def _reason_of(route: Route) -> DenialReason:
    """Return the reason for a denial that the partner is told.

    NOT_VERIFIED if all findings are from the sandbox, else NOT_ELIGIBLE.
    """
    is_played = all(source is CheckSource.SANDBOX for source, _ in route.findings)
    return DenialReason.NOT_VERIFIED if is_played else DenialReason.NOT_ELIGIBLE


def _wanted(file: LeadFile) -> dict[LlcFileType, str]:
    """Return the one document that the sandbox requests, with its reason for the applicant.

    It is the first kind that the business type's rules accept. Empty if documents are missing
    anyway.
    """
    if list_missing_documents(file.requirements):
        return {}
    rules = list_document_rules(file.lead.business_type)
    kinds = [kind for rule in rules for kind in rule.accepted_types]
    return {LlcFileType(next(iter(kinds), LlcFileType.UTILITY_BILL)): ASKED}
