"""Checks by staff: running the checks again, and the results of manual items."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from banking.errors import StepRefused
from banking.models import User
from onboarding.choices import CheckCode, CheckResult, CheckSource, RunCause
from onboarding.event_types import EventType
from onboarding.models import Application, Check, CheckRun, Document
from onboarding.queries import fixed_rows
from onboarding.queries.checks import list_current_checks
from onboarding.queries.verifications import describe_evidence
from onboarding.screening import manual
from onboarding.services.checks.check_runs import run_checks, worst
from onboarding.services.checks.rechecks import OPEN
from onboarding.services.events import history
from onboarding.services.reviews import cases

SHORTEST_NOTE = 5  # letters and digits
SAY_WHAT_YOU_FOUND = (
    f"Enter what you found, in {SHORTEST_NOTE} letters or more. Auditors will read it."
)


@dataclass(frozen=True)
class Tick:
    """The answer of a member of staff to a manual item, with a note or a document."""

    code: CheckCode
    result: CheckResult
    note: str = ""
    document: Document | None = None


class CaseNotOpen(StepRefused):
    """The checks cannot be changed: the application was not checked yet, or it is decided."""

    message = "This case is not open. It is being checked, or it has been decided."


class NotForStaff(StepRefused):
    """Staff cannot save a result of this check, in this case or at all."""

    def __init__(self, code: CheckCode) -> None:
        super().__init__(f"“{code.label}” is not a check that staff can complete here.")


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
    document: Document | None = None,
    by: User,
    at: datetime,
) -> Check:
    """Save the result that a member of staff found for a manual item of the newest run.

    The result needs a note of at least SHORTEST_NOTE letters or digits. For a result of PASS, a
    document of the lead, or verifications that all passed, can stand in for the note. Adds a
    CHECK_TICKED event.
    Raises: NotClaimed, CaseNotOpen, NotForStaff, Incomplete, Superseded.
    """
    if not note.strip() and document is None and result == CheckResult.PASS:
        note = describe_evidence(list_current_checks(application), code)
    if not says_something(note) and (document is None or result != CheckResult.PASS):
        raise cases.Incomplete(SAY_WHAT_YOU_FOUND)
    if document is not None and document.lead_id != application.lead_id:
        raise cases.Incomplete("Choose a document of this case.")
    locked = _begin_step(application, by=by, at=at)
    asked = {check.code: check for check in list_current_checks(locked)}
    if code not in manual.ITEMS or code not in asked:
        raise NotForStaff(code)
    check = Check.objects.create(
        run=asked[code].run,
        code=code,
        source=CheckSource.MANUAL,
        result=result,
        note=note.strip(),
        details={"document_id": str(document.external_id)} if document else {},
        by=by,
        at=at,
    )
    results = [current.result for current in list_current_checks(locked)]
    locked.worst_result = application.worst_result = worst(results)
    locked.save(update_fields=["worst_result"])
    details = {
        "check_id": str(check.external_id),
        "code": code.value,
        "result": result.value,
        **fixed_rows.fix(check),
    }
    history.record(locked, EventType.CHECK_TICKED, by=cases.actor(by), at=at, **details)
    return check


@transaction.atomic
def tick_all(application: Application, ticks: Sequence[Tick], *, by: User, at: datetime) -> None:
    """Save several results of manual items, or none of them.

    Raises: Incomplete if `ticks` is empty; the exceptions of `tick`.
    """
    if not ticks:
        raise cases.Incomplete("Choose an answer for one of the checks.")
    for one in ticks:
        tick(application, one.code, one.result, note=one.note, document=one.document, by=by, at=at)


def says_something(note: str) -> bool:
    """Return whether a note has SHORTEST_NOTE letters or digits."""
    return sum(sign.isalnum() for sign in note) >= SHORTEST_NOTE


def _begin_step(application: Application, *, by: User, at: datetime) -> Application:
    locked = cases.begin_step(application, by=by, at=at)
    if locked.status not in OPEN:
        raise CaseNotOpen
    return locked
