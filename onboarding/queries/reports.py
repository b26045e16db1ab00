"""The report on service levels: submissions, decisions and the share done in the promised time."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from statistics import median
from typing import Any

from django.db.models import Count, F, IntegerField, QuerySet, Value
from django.db.models.functions import TruncDate

from banking.models import User
from onboarding.business_hours import HOURS_OF_A_DAY, NEW_YORK, business_hours_between
from onboarding.choices import DenialReason, Role
from onboarding.event_types import EventType
from onboarding.models import Application, Event
from onboarding.models.events import staff_id

FIRST_TOUCH, DECISION = timedelta(hours=2), timedelta(hours=HOURS_OF_A_DAY)  # business hours
MAX_MEASURED = 300  # newest reviews of a week: enough for a share and a median
MAX_DENIALS = 5000  # newest
WEEK = timedelta(days=7)
DECISIONS = [EventType.APPROVED, EventType.APPROVED_TEMPORARY, EventType.DENIED]
TIMES = ["review_began_at", "touched_at", "decided_at"]
Timestamp = datetime | None
Times = tuple[Timestamp, Timestamp, Timestamp]  # of a review, as TIMES names them


@dataclass(frozen=True)
class ServiceLevel:
    """The share of steps done in the promised time, and their median duration.

    Units: percent, and business hours; both None without any step.
    """

    in_time_percent: int | None
    median: timedelta | None


@dataclass(frozen=True)
class Week:
    """One week in New York, from Monday: submissions, decisions, and their service levels."""

    begins: date
    arrived: int
    decided: int
    first_touch: ServiceLevel
    decision: ServiceLevel


@dataclass(frozen=True)
class Reviewer:
    """The recent decisions and claims of a user; `user` is None for the sandbox's simulations."""

    user: User | None
    decided: int
    claimed: int


def list_weeks(*, weeks: int, at: datetime) -> list[Week]:
    """Return the last weeks, the current week included, newest first; two statements."""
    today = at.astimezone(NEW_YORK).date()
    monday = today - timedelta(days=today.weekday())
    begins = [monday - WEEK * number for number in range(weeks)]
    counts = _per_week(begins[-1])
    times = _times_per_week(begins)
    return [
        Week(
            day,
            counts["submitted_at", day],
            counts["decided_at", day],
            *_service_levels(times[day]),
        )
        for day in begins
    ]


def count_per_day(since: datetime) -> list[tuple[str, date, int]]:
    """Return how many applications were submitted and decided on each day, in one statement.

    Only from the time `since` on, so the first day may be counted in part.
    Shape: `submitted_at` or `decided_at`, a day of New York, the number; days without any have no
    row.
    """
    submitted, decided = (_per_day(name, since) for name in ("submitted_at", "decided_at"))
    return list(submitted.union(decided, all=True))


def list_reviewers(*, since: datetime) -> list[Reviewer]:
    """Return the reviewers who decided or claimed cases from `since` on; most decisions first."""
    events = Event.objects.filter(
        occurred_at__gte=since, role=Role.REVIEWER, type__in=[*DECISIONS, EventType.CLAIMED]
    )
    decided: dict[str, int] = {}
    claimed: dict[str, int] = {}
    for who, kind, count in events.values_list("who", "type").annotate(Count("pk")).order_by():
        counts = claimed if kind == EventType.CLAIMED else decided
        counts[who] = counts.get(who, 0) + count
    names = {*decided, *claimed}
    ids = filter(None, map(staff_id, names))
    users = {str(user.external_id): user for user in User.objects.filter(external_id__in=ids)}
    busiest = sorted(names, key=lambda who: (-decided.get(who, 0), -claimed.get(who, 0), who))
    return [Reviewer(users.get(who), decided.get(who, 0), claimed.get(who, 0)) for who in busiest]


def count_denials(*, since: datetime) -> list[tuple[DenialReason, int]]:
    """Return how many of the newest denials from `since` on had each reason, most frequent first.

    A denial with several reasons counts for each. One statement.
    """
    denied = Event.objects.filter(type=EventType.DENIED, occurred_at__gte=since).order_by("-pk")
    counts: Counter[str] = Counter()
    for details in denied.values_list("details", flat=True)[:MAX_DENIALS]:
        counts.update(details.get("reason_codes", []))
    most_first = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return [(DenialReason(code), count) for code, count in most_first]


def _per_day(name: str, since: datetime) -> QuerySet[Any, Any]:
    found = Application.objects.filter(**{f"{name}__gte": since}).order_by()
    days = found.values(of=Value(name), day=TruncDate(F(name), tzinfo=NEW_YORK))
    return days.annotate(count=Count("*")).values_list("of", "day", "count")


def _per_week(since: date) -> Counter[tuple[str, date]]:
    counts: Counter[tuple[str, date]] = Counter()
    for name, day, count in count_per_day(_midnight(since)):
        counts[name, day - timedelta(days=day.weekday())] += count
    return counts


def _times_per_week(begins: Sequence[date]) -> dict[date, list[Times]]:
    """Return the times of the newest reviews that were decided in each week, in one statement."""
    first, *rest = (
        Application.objects.filter(pk__in=_reviews_of(week).values("pk")[:MAX_MEASURED])
        .order_by()
        .annotate(number=Value(number, IntegerField()))
        .values_list("number", *TIMES)
        for number, week in enumerate(begins)
    )
    times: dict[date, list[Times]] = {week: [] for week in begins}
    for number, began, touched, decided in first.union(*rest, all=True):
        times[begins[number]].append((began, touched, decided))
    return times


def _reviews_of(week: date) -> QuerySet[Application]:
    return Application.objects.filter(
        review_began_at__isnull=False,
        decided_at__gte=_midnight(week),
        decided_at__lt=_midnight(week + WEEK),
    ).order_by("-decided_at", "-pk")


def measure_service_levels(
    reviewed: QuerySet[Application], *, most: int
) -> tuple[ServiceLevel, ServiceLevel]:
    """Return the service levels of first touches and of decisions in the first `most` reviews."""
    return _service_levels(reviewed.values_list(*TIMES)[:most])


def _service_levels(reviews: Iterable[Times]) -> tuple[ServiceLevel, ServiceLevel]:
    times = list(reviews)
    touches = _service_level(((began, touched) for began, touched, _ in times), FIRST_TOUCH)
    return touches, _service_level(((began, decided) for began, _, decided in times), DECISION)


def _service_level(
    spans: Iterable[tuple[Timestamp, Timestamp]], promised: timedelta
) -> ServiceLevel:
    passed = [business_hours_between(start, end) for start, end in spans if start and end]
    if not passed:
        return ServiceLevel(None, None)
    in_time = sum(one <= promised for one in passed)
    middle = median(one.total_seconds() for one in passed)
    return ServiceLevel(round(100 * in_time / len(passed)), timedelta(seconds=middle))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, tzinfo=NEW_YORK)
