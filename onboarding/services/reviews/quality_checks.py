"""Quality checks: approvals by one person, chosen by a keyed draw, and judged a second time."""

from datetime import datetime

from django.db import transaction

from banking.errors import StepRefused
from banking.models import User
from banking.services import second_person
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import QualityVerdict, Role
from onboarding.event_types import EVENT_BY_STATUS, EventType
from onboarding.models import Application, QualityCheck
from onboarding.queries import fixed_rows
from onboarding.queries.quality_checks import blind_checks, is_chosen
from onboarding.services.events import history
from onboarding.services.events.history import CHECKS
from onboarding.services.reviews import cases

SHORTEST_REASON = 20  # characters


class AlreadyJudged(StepRefused):
    """Somebody has judged the approval a second time already."""

    message = "A colleague has judged this case already."


class OwnDecision(StepRefused):
    """The user approved the case or took a step of its review, so somebody else must judge it."""

    message = "You took part in this case. Somebody else must judge it."


def choose(application: Application, *, by: User, at: datetime) -> QualityCheck | None:
    """Draw whether an approval, just made by one person, is judged a second time.

    If it is, save a quality check and write an event; return None if it is not. The draw is a keyed
    hash of the event of the approval: nobody without the key can tell the result before, and
    everybody with the key can repeat it afterwards. The caller has locked the lead.
    """
    event_type = EVENT_BY_STATUS[Status(application.status)]
    event = application.events.filter(type=event_type).latest("number")
    if not is_chosen(event):
        return None
    chosen = QualityCheck.objects.create(
        application=application, event=event, decided_by=by, decided_at=at
    )
    details = {"quality_check_id": str(chosen.external_id)}
    history.record(application, EventType.QUALITY_CHOSEN, by=CHECKS, at=at, **details)
    return chosen


class SawDecision(StepRefused):
    """The user has read the decision of the case, so somebody else must judge it."""

    message = "You opened this case and saw its decision. Somebody else must judge it."


def read_decision(application: Application, *, by: User) -> None:
    """Record that a user has read the decision of a case, and so cannot judge it a second time."""
    for mine in blind_checks(by).filter(application__lead=application.lead_id):
        mine.readers.add(by)


@transaction.atomic
def judge(
    quality_check: QualityCheck, verdict: QualityVerdict, *, reason: str, by: User, at: datetime
) -> QualityCheck:
    """Save the second judgement of an approval. It changes nothing of the application.

    Raises: AlreadyJudged, OwnDecision, SawDecision, Incomplete, AccountTooNew, CreatedByOther,
    CreatedBySame.
    """
    if len(reason.strip()) < SHORTEST_REASON:
        raise cases.Incomplete(f"Enter what you found, in {SHORTEST_REASON} characters or more.")
    locked = cases.lock_any(quality_check.application)
    mine = QualityCheck.objects.select_related("decided_by", "event").get(pk=quality_check.pk)
    if mine.verdict:
        raise AlreadyJudged
    if _took_part(mine, by):
        raise OwnDecision
    if mine.readers.filter(pk=by.pk).exists():
        raise SawDecision
    second_person.require_two_people(mine.decided_by, by, at=at)
    mine.verdict, mine.reason = verdict, reason.strip()
    mine.judged_by, mine.judged_at = by, at
    mine.save(update_fields=["verdict", "reason", "judged_by", "judged_at"])
    details = {"quality_check_id": str(mine.external_id), "verdict": verdict.value}
    details |= fixed_rows.fix(mine)
    history.record(locked, EventType.QUALITY_JUDGED, by=cases.actor(by), at=at, **details)
    return mine


def _took_part(quality_check: QualityCheck, user: User) -> bool:
    """Return whether a user approved the case, or took a step of its review before."""
    if quality_check.decided_by_id == user.pk:
        return True
    steps = quality_check.application.events.filter(number__lt=quality_check.event.number)
    return steps.filter(role=Role.REVIEWER, who=str(user.external_id)).exists()
