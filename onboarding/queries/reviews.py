"""The queues of applications that wait for staff, and the median times of decisions."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db import models
from django.db.models import Q, QuerySet

from banking.models import User
from foundation.database.counts import count_all
from onboarding.business_hours import NEW_YORK
from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import ProposalStatus, StatusGroup
from onboarding.models import Application, HitJudgement, Proposal
from onboarding.queries.escalations import list_asked
from onboarding.queries.parties import SCREENED
from onboarding.queries.reports import count_per_day, measure_service_levels
from onboarding.queries.screening_hits import open_clearings, open_hits

MAX_MEASURED = 2000  # newest decisions: enough for a median
HELD = [  # an assignee has something to do, or waits for the applicant
    Status.SUBMITTED,
    Status.ID_VERIFICATION,
    Status.DOCUMENTS_REQUIRED,
    Status.IN_REVIEW,
    Status.APPROVED_TEMPORARY,
]
AWAITING = [status for status in Status if status.group is StatusGroup.ACTION_REQUIRED]


class Queue(models.TextChoices):
    """The queues of the back office."""

    OVERDUE = "OVERDUE", "Overdue"
    UNASSIGNED = "UNASSIGNED", "Unassigned"
    MINE = "MINE", "Mine"
    ESCALATED = "ESCALATED", "Escalated to me"
    HITS = "HITS", "Screening hits"
    SECOND_APPROVAL = "SECOND_APPROVAL", "Awaiting second approval"
    AWAITING_APPLICANT = "AWAITING_APPLICANT", "Awaiting applicant"
    ANSWERED = "ANSWERED", "Answered"


@dataclass(frozen=True)
class Day:
    """The numbers of applications submitted and decided on a day in New York."""

    day: date
    arrived: int
    decided: int


@dataclass(frozen=True)
class Medians:
    """Median times since the begin of a review, in business hours; None without any review."""

    first_touch: timedelta | None
    decision: timedelta | None


def in_queue(queue: Queue, *, user: User, at: datetime) -> QuerySet[Application]:
    """Return the current applications in a queue of a member of staff, unordered."""
    everything = Application.objects.filter(is_current=True)
    if queue is Queue.OVERDUE:
        return everything.filter(due_at__lt=at)
    if queue is Queue.UNASSIGNED:
        free = Q(claimed_by=None) | Q(claimed_until__lte=at)
        unassigned = Q(assignee=None) | Q(assignee__is_active=False)
        # NOT IN rather than NOT EXISTS: a hash of few keys, instead of a search for each row
        is_proposed = Q(pk__in=open_proposals().order_by().values("application"))
        return everything.filter(free, unassigned, ~is_proposed, status=Status.IN_REVIEW)
    if queue is Queue.HITS:
        open_leads = open_hits().values("lead")
        return everything.filter(lead__in=open_leads, status__in=SCREENED)
    if queue is Queue.MINE:
        held = Q(assignee=user) & (Q(status__in=HELD) | Q(new_hit_at__isnull=False))
        return everything.filter(held | Q(claimed_by=user, claimed_until__gt=at))
    if queue is Queue.ESCALATED:
        return everything.filter(pk__in=list_asked(user).order_by().values("application"))
    if queue is Queue.ANSWERED:
        return everything.filter(answered_at__isnull=False)
    if queue is Queue.SECOND_APPROVAL:
        return _awaiting_second(open_proposals(), open_clearings())
    return everything.filter(status__in=AWAITING)


def count_queues(*, user: User, at: datetime, most: int | None = None) -> dict[Queue, int]:
    """Return the length of each queue, counted up to `most`, in one statement.

    SECOND_APPROVAL counts only the proposals and clearings of hits by other users.
    """
    found = {queue: in_queue(queue, user=user, at=at) for queue in Queue}
    found[Queue.SECOND_APPROVAL] = _awaiting_second(
        open_proposals().exclude(proposed_by=user), open_clearings().exclude(by=user)
    )
    counts = count_all([rows.order_by()[:most] for rows in found.values()])
    return dict(zip(found, counts, strict=True))


def count_hit_alerts() -> int:
    """Return the number of customers with new screening hits that nobody has judged."""
    return Application.objects.filter(is_current=True, new_hit_at__isnull=False).count()


def daily_flow(*, days: int, at: datetime) -> list[Day]:
    """Return for each of the last `days` days how many applications were submitted and decided.

    Days are those of New York, the oldest first, today included; a day without any has zeros.
    """
    today = at.astimezone(NEW_YORK).date()
    shown = [today - timedelta(days=count) for count in reversed(range(days))]
    since = datetime.combine(shown[0], datetime.min.time(), tzinfo=NEW_YORK)
    counts = {(name, day): count for name, day, count in count_per_day(since)}
    return [
        Day(day, counts.get(("submitted_at", day), 0), counts.get(("decided_at", day), 0))
        for day in shown
    ]


def median_times(*, since: datetime, at: datetime) -> Medians:
    """Return the median times of the reviews that were decided from `since` to `at`.

    Only the newest MAX_MEASURED reviews count.
    """
    reviewed = Application.objects.filter(
        decided_at__gte=since, decided_at__lte=at, review_began_at__isnull=False
    ).order_by("-decided_at", "-pk")
    touches, decisions = measure_service_levels(reviewed, most=MAX_MEASURED)
    return Medians(first_touch=touches.median, decision=decisions.median)


def open_proposals() -> QuerySet[Proposal]:
    """Return the proposals that wait for a second person."""
    return Proposal.objects.filter(status=ProposalStatus.OPEN)


def _awaiting_second(
    proposals: QuerySet[Proposal], clearings: QuerySet[HitJudgement]
) -> QuerySet[Application]:
    """Return the applications with a proposed decision, or with a proposed clearing of a hit."""
    screened = Application.objects.filter(
        status__in=SCREENED, lead__in=clearings.values("hit__lead")
    )
    either = proposals.order_by().values("application").union(screened.order_by().values("pk"))
    return Application.objects.filter(is_current=True, pk__in=either)
