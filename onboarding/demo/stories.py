"""Stories: generated histories of applications that end in a given status."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from random import Random
from typing import Any

from onboarding.choices import DECIDED, DenialReason
from onboarding.choices import ApplicationStatus as Status
from onboarding.event_types import EVENT_BY_STATUS, EventType
from onboarding.services.events.history import APPLICANT, CHECKS, CLOCK, PARTNER, Actor

SHARES = {  # percent of the applications in each status
    Status.CREATED: 6,
    Status.IN_PROGRESS: 8,
    Status.SUBMITTED: 1,
    Status.ID_VERIFICATION: 4,
    Status.DOCUMENTS_REQUIRED: 10,
    Status.IN_REVIEW: 25,
    Status.APPROVED_TEMPORARY: 5,
    Status.APPROVED: 28,
    Status.DENIED: 6,
    Status.EXPIRED: 4,
    Status.WITHDRAWN: 3,
}
SHARES_OF_MANY = {  # percent, for the applications of a bank after some years
    **SHARES,
    Status.IN_REVIEW: 6,
    Status.DOCUMENTS_REQUIRED: 5,
    Status.ID_VERIFICATION: 2,
    Status.APPROVED: 50,
    Status.DENIED: 8,
}
NEVER_SUBMITTED = {Status.CREATED, Status.IN_PROGRESS, Status.EXPIRED}
ENDS = {*DECIDED, Status.WITHDRAWN}
ASKED = {Status.ID_VERIFICATION, Status.DOCUMENTS_REQUIRED}
WAITED = timedelta(hours=30)  # average wait of applications in review
LONGEST_WAIT = timedelta(days=8)
OLDEST_OPEN = timedelta(days=28)
LATELY = timedelta(days=2)
FRIDAY = 4  # as `date.weekday` counts


@dataclass(frozen=True)
class Step:
    """One event, and the status of the application after it."""

    type: EventType
    status: Status
    by: Actor
    at: datetime
    details: dict[str, Any] = field(default_factory=dict)


def make_story(
    status: Status, *, by: Actor, dice: Random, at: datetime, oldest: timedelta
) -> list[Step]:
    """Return the steps to `status` as of `at`; `by` is the reviewer who decided.

    Ended applications began about `oldest` before `at` at most, expired applications up to 30 days
    earlier than that, open and temporarily approved applications four weeks before `at` at most.
    """
    began = _at_work(at - _age(status, dice, oldest), dice, at=at)
    story = [Step(EventType.CREATED, Status.CREATED, PARTNER, began)]
    if status == Status.CREATED:
        return story

    def go(event: EventType, target: Status, who: Actor, minutes: float, **details: Any) -> None:
        then = min(story[-1].at + timedelta(minutes=minutes), at)
        story.append(Step(event, target, who, then, details))

    go(EventType.STARTED, Status.IN_PROGRESS, APPLICANT, dice.uniform(1, 12))
    if status == Status.EXPIRED:
        go(EventType.EXPIRED, status, CLOCK, 30 * 24 * 60)
    if status not in NEVER_SUBMITTED:
        go(EventType.SUBMITTED, Status.SUBMITTED, APPLICANT, dice.uniform(6, 40))
    if status in {*NEVER_SUBMITTED, Status.SUBMITTED}:
        return story
    go(EventType.CHECKED, Status.SUBMITTED, CHECKS, 0.1)
    if status in ASKED:
        go(EVENT_BY_STATUS[status], status, CHECKS, 0)
        return story
    go(EventType.IN_REVIEW, Status.IN_REVIEW, CHECKS, 0)
    if status in ENDS:
        go(EventType.CLAIMED, Status.IN_REVIEW, by, dice.expovariate(1 / 50))
        who = APPLICANT if status == Status.WITHDRAWN else by
        denied = {"reason_codes": [DenialReason.NOT_VERIFIED]} if status == Status.DENIED else {}
        go(EVENT_BY_STATUS[status], status, who, dice.expovariate(1 / 200), **denied)
    return story


def _at_work(began: datetime, dice: Random, *, at: datetime) -> datetime:
    """Return a time from 14:00 to 20:00 UTC on the same day; for a weekend, on the Friday before.

    A time less than LATELY before `at` is returned unchanged.
    """
    if at - began < LATELY:
        return began
    weekend = max(0, began.weekday() - FRIDAY)
    opens = datetime.combine(began.date() - timedelta(days=weekend), time(14), tzinfo=UTC)
    return opens + timedelta(minutes=dice.uniform(0, 360))


def _age(status: Status, dice: Random, oldest: timedelta) -> timedelta:
    """Return a random age of an application; see `make_story` for its limits."""
    if status == Status.EXPIRED:
        return timedelta(days=30) + dice.random() * oldest
    if status == Status.SUBMITTED:
        return timedelta(minutes=dice.uniform(60, 70))
    if status == Status.IN_REVIEW:
        return min(WAITED * dice.expovariate(1), LONGEST_WAIT) + timedelta(hours=1)
    is_ended = status in ENDS and status != Status.APPROVED_TEMPORARY
    longest = oldest if is_ended else OLDEST_OPEN
    return timedelta(hours=2) + longest * dice.random() ** 2
