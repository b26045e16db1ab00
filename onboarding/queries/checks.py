"""Reads of checks: current results, open items for staff, and leads with the same numbers."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from foundation.privacy.encryption import blind_indexes
from foundation.privacy.fields import encrypted_names
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckCode, CheckResult, CheckSource
from onboarding.event_types import NEW_EVIDENCE
from onboarding.models import (
    Application,
    Check,
    CheckRun,
    Document,
    Event,
    Lead,
    Owner,
    SanctionsList,
    VerificationRequest,
)


@dataclass(frozen=True)
class Duplicate:
    """Another lead, of any partner, with the same SSN, EIN or file.

    `ubo_id` is the owner of this lead who has that SSN; None if it is the applicant's.
    """

    lead: Lead
    code: CheckCode
    ubo_id: UUID | None = None


def list_current_lists() -> list[SanctionsList]:
    """Return the current lists of sanctions and exposed persons, in the order of their codes."""
    return list(SanctionsList.objects.filter(is_current=True).order_by("code"))


def list_current_checks(application: Application) -> list[Check]:
    """Return the newest check of each code and person in the newest run, in one statement."""
    newest = _newest_run(application)
    rows = Check.objects.filter(run=Subquery(newest)).select_related("run", "by").order_by("pk")
    current: dict[tuple[str, UUID | None], Check] = {}
    for row in rows:
        current[row.code, row.ubo_id] = row
    return list(current.values())


def list_open_items(application: Application) -> list[CheckCode]:
    """Return the items of the checklist that staff have neither confirmed nor failed."""
    return pick_open_items(list_current_checks(application))


def pick_open_items(checks: Iterable[Check]) -> list[CheckCode]:
    """Return the items of the checklist among `checks` that staff neither confirmed nor failed."""
    return [
        CheckCode(check.code)
        for check in checks
        if check.source == CheckSource.MANUAL and check.by is None
    ]


def list_weighed_checks(application: Application) -> list[Check]:
    """Return the checks behind a decision: current checks, and every item that staff ever failed.

    A failed item still requires two people after it was passed. An item that is failed now is in
    the list twice. Runs one database query.
    """
    newest = _newest_run(application)
    failed = Q(source=CheckSource.MANUAL, result=CheckResult.FAIL)
    rows = Check.objects.filter(Q(run=Subquery(newest)) | failed, run__application=application)
    found = list(rows.select_related("run").order_by("pk"))
    last = max((row.run.number for row in found), default=0)
    current = {(row.code, row.ubo_id): row for row in found if row.run.number == last}
    ticks = [row for row in found if row.source == CheckSource.MANUAL]
    return [*current.values(), *(row for row in ticks if row.result == CheckResult.FAIL)]


def list_outdated(*, sha256: str | None) -> QuerySet[Application]:
    """Return current applications without a run, or whose newest run is outdated.

    A run is outdated if a review began after it, because answers arrived; if data or documents
    arrived or changed after it; if a verification ended that it lacks; if a list has changed what
    concerns its parties; or if its lists were not `sha256` (None: ignore that).
    """
    newest = CheckRun.objects.filter(application=OuterRef("pk")).order_by("-number")
    annotated = Application.objects.filter(is_current=True).annotate(
        checked_list=Subquery(newest.values("sanctions_list")[:1]),
        checked_at=Subquery(newest.values("at")[:1]),
    )
    came_in = Event.objects.filter(lead=OuterRef("lead"), type__in=NEW_EVIDENCE)
    is_answered = Q(status=Status.IN_REVIEW, checked_at__lt=F("status_changed_at"))
    is_changed = Q(Exists(came_in.filter(occurred_at__gt=OuterRef("checked_at"))))
    ended = VerificationRequest.objects.filter(application=OuterRef("pk"), due_at__isnull=False)
    is_verified = Q(Exists(ended.filter(settled_at__isnull=False)))
    is_outdated = Q(checked_at=None) | Q(needs_screening=True)
    is_outdated |= is_answered | is_changed | is_verified
    if sha256 is not None:
        is_outdated |= ~Q(checked_list=sha256)
    return annotated.filter(is_outdated).order_by("pk")


def list_duplicates(application: Application) -> list[Duplicate]:
    """Return the other leads with an SSN, the EIN or a file of this lead.

    In this order of what is shared, the oldest lead first; a lead that shares several comes several
    times. Decrypts only the numbers of this lead.
    """
    lead = application.lead
    people: list[Lead | Owner] = [lead, *lead.owners.order_by("pk")]
    return [
        *(found for person in people for found in _same_ssn(lead, person)),
        *_same_ein(lead),
        *_same_file(lead),
    ]


def _newest_run(application: Application) -> QuerySet[CheckRun, Any]:
    runs = CheckRun.objects.filter(application=application)
    return runs.order_by("-number").values("pk")[:1]


def _same_ssn(lead: Lead, person: Lead | Owner) -> Iterator[Duplicate]:
    indexes = blind_indexes(person.ssn, context="ssn")
    if not indexes:
        return
    applicants = Lead.objects.filter(ssn_index__in=indexes).order_by().values("pk")
    owners = Owner.objects.filter(ssn_index__in=indexes).order_by().values("lead")
    holders = applicants.union(owners)  # an OR of both would read every lead
    for other in _others(lead, Q(pk__in=holders)):
        yield Duplicate(other, CheckCode.DUPLICATE_SSN, person.ubo_id)


def _same_ein(lead: Lead) -> Iterator[Duplicate]:
    if indexes := blind_indexes(lead.ein, context="ein"):
        for other in _others(lead, Q(ein_index__in=indexes)):
            yield Duplicate(other, CheckCode.DUPLICATE_EIN)


def _same_file(lead: Lead) -> Iterator[Duplicate]:
    ours = lead.documents.exclude(sha256="").values("sha256")
    holders = Document.objects.filter(sha256__in=ours).exclude(lead=lead).values("lead")
    for other in _others(lead, Q(pk__in=holders)):
        yield Duplicate(other, CheckCode.DUPLICATE_DOCUMENT)


def _others(lead: Lead, condition: Q) -> QuerySet[Lead]:
    found = Lead.objects.filter(condition).exclude(pk=lead.pk).select_related("partner")
    return found.defer(*encrypted_names(Lead)).order_by("pk")
