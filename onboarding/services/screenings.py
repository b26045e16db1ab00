"""Screenings: the checks run after a submission, and the application goes where they lead."""

import logging
from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.db import transaction

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import DenialReason, LlcFileType, Role
from onboarding.models import Application
from onboarding.queries.document_rules import list_document_rules
from onboarding.queries.leads import LeadFile, lock_application, open_lead_file
from onboarding.queries.requirements import list_missing_documents
from onboarding.screening import Finding, Provider
from onboarding.screening.sandbox import SandboxProvider
from onboarding.services import decisions, lifecycle
from onboarding.services.history import CHECKS, Actor

logger = logging.getLogger(__name__)

AT_ONCE = 100
GRAVEST_FIRST = [
    Status.DENIED,
    Status.DOCUMENTS_REQUIRED,
    Status.ID_VERIFICATION,
    Status.IN_REVIEW,
    Status.APPROVED_TEMPORARY,
]
SANDBOX = Actor(Role.REVIEWER, "sandbox")
ASKED = "The sandbox asks for this document."


def list_providers() -> Sequence[Provider]:
    """Return who checks applications here; in production nobody does yet."""
    return [SandboxProvider()] if settings.IS_SANDBOX else []


def screen_submitted(*, at: datetime) -> int:
    """Screen applications that were submitted, some at once, and return how many moved.

    Without a provider they stay submitted. What fails is logged, and stops none of the others.
    """
    if not list_providers():
        return 0
    waiting = Application.objects.filter(status=Status.SUBMITTED, is_current=True)
    moved = 0
    for pk, external_id in waiting.order_by("pk").values_list("pk", "external_id")[:AT_ONCE]:
        try:
            moved += _screen(pk, at=at)
        except Exception:
            logger.exception("the screening of application %s failed", external_id)
    return moved


def screen(application: Application, *, at: datetime) -> None:
    """Let the providers check a submitted application, and move it where the gravest finding leads.

    Raises: InvalidMove.
    """
    file = open_lead_file(application)
    findings = [finding for provider in list_providers() for finding in provider.check(file)]
    targets = {finding.leads_to for finding in findings}
    target = next((status for status in GRAVEST_FIRST if status in targets), Status.APPROVED)
    _go(file, target, [one for one in findings if one.leads_to is target], at)


@transaction.atomic
def _screen(pk: int, *, at: datetime) -> bool:
    """Screen an application unless somebody moved it meanwhile."""
    application = lock_application(pk=pk, status=Status.SUBMITTED)
    if application is None:
        return False
    screen(application, at=at)
    return True


@transaction.atomic
def _go(file: LeadFile, target: Status, findings: Sequence[Finding], at: datetime) -> None:
    application = file.application
    if target is Status.DENIED:
        decisions.deny(application, reasons=[DenialReason.NOT_VERIFIED], by=CHECKS, at=at)
    elif target is Status.DOCUMENTS_REQUIRED:
        decisions.request_documents(application, _wanted(file), by=CHECKS, at=at)
    elif target is Status.ID_VERIFICATION:
        people = [finding.person for finding in findings if finding.person]
        decisions.request_identity(application, people, by=CHECKS, at=at)
    elif target is Status.APPROVED:
        decisions.approve(application, by=CHECKS, at=at)
    else:
        lifecycle.move(application, Status.IN_REVIEW, by=CHECKS, at=at)
        if target is Status.APPROVED_TEMPORARY:
            decisions.approve_temporarily(application, by=SANDBOX, at=at)


def _wanted(file: LeadFile) -> dict[LlcFileType, str]:
    """Return what to ask for beside what is missing: if nothing is, one document once more."""
    if list_missing_documents(file.requirements):
        return {}
    rules = list_document_rules(file.application.lead.business_type)
    kinds = [kind for rule in rules for kind in rule.accepted_types]
    return {LlcFileType(next(iter(kinds), LlcFileType.UTILITY_BILL)): ASKED}
