"""Workload: open and decided cases per member of staff and per partner, and missed deadlines."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import median

from django.db.models import Count, F, Q, QuerySet

from foundation.privacy.fields import encrypted_names
from onboarding.business_hours import business_hours_between
from onboarding.choices import ApplicationStatus as Status
from onboarding.models import Application, Event, Lead
from onboarding.queries.reports import DECISION, FIRST_TOUCH
from onboarding.queries.reviews import AWAITING, HELD

MAX_MEASURED = 1000  # newest decisions: enough for medians per person
MAX_BREACHES = 200
WITH_BANK = {Status.SUBMITTED, Status.IN_REVIEW}
ENCRYPTED = [f"lead__{name}" for name in encrypted_names(Lead)]
GROUPS = ["assignee", "lead__partner"]
Key = int | None


@dataclass
class Workload:
    """The cases of a member of staff or of a partner; `key` is None for unassigned cases.

    Units: medians and shares of the newest decisions, in business hours and percent; None without
    any. `returned` counts the times that applicants answered in these cases.
    """

    key: Key
    open: int = 0
    overdue: int = 0
    decided: int = 0
    returned: int = 0
    touches: list[timedelta] = field(default_factory=list)
    decisions: list[timedelta] = field(default_factory=list)
    times: list[timedelta] = field(default_factory=list)

    def add(self, review: "Measured") -> None:
        """Count a decided review."""
        self.times.append(review.with_bank)
        self.decisions.append(review.decision)
        self.touches += [review.touch] if review.touch is not None else []
        self.returned += review.returned

    @property
    def first_touch(self) -> timedelta | None:
        """Return the median time until the first step of staff."""
        return _median(self.touches)

    @property
    def touched_in_time_percent(self) -> int | None:
        """Return the share of first touches that kept their deadline."""
        return _in_time_percent(self.touches, FIRST_TOUCH)

    @property
    def decided_in_time_percent(self) -> int | None:
        """Return the share of decisions that kept their deadline."""
        return _in_time_percent(self.decisions, DECISION)

    @property
    def with_bank(self) -> timedelta | None:
        """Return the median time that a case was in the hands of the bank, over all its reviews."""
        return _median(self.times)


@dataclass(frozen=True)
class Measured:
    """A decided review: its times in business hours, and how often the applicant answered."""

    application: Application
    touch: timedelta | None
    decision: timedelta
    with_bank: timedelta
    returned: int

    @property
    def is_late(self) -> bool:
        """Return whether the first touch or the decision came after its deadline."""
        return self.decision > DECISION or bool(self.touch and self.touch > FIRST_TOUCH)


def measure_decided(*, since: datetime) -> list[Measured]:
    """Return the newest MAX_MEASURED reviews decided from `since` on, newest first."""
    decided = Application.objects.filter(decided_at__gte=since, review_began_at__isnull=False)
    related = decided.select_related("lead__partner", "assignee").defer(*ENCRYPTED)
    newest = list(related.order_by("-decided_at", "-pk")[:MAX_MEASURED])
    moves = _read_moves(newest)
    return [_measure(application, moves[application.pk]) for application in newest]


def count_cases(
    measured: Iterable[Measured], *, since: datetime, at: datetime
) -> tuple[list[Workload], list[Workload]]:
    """Return the workload of each assignee and that of each partner, most open cases first.

    Two statements for both.
    """
    people: dict[Key, Workload] = {}
    partners: dict[Key, Workload] = {}

    def of(assignee: Key, partner: Key) -> list[Workload]:
        keyed = (people, assignee), (partners, partner)
        return [found.setdefault(key, Workload(key)) for found, key in keyed]

    held = Application.objects.filter(is_current=True, status__in=HELD).order_by()
    late = Count("pk", filter=Q(due_at__lt=at))
    counted = held.values_list(*GROUPS).annotate(Count("pk"), late=late)
    for assignee, partner, count, overdue in counted:
        for one in of(assignee, partner):
            one.open += count
            one.overdue += overdue
    decided = Application.objects.filter(decided_at__gte=since).order_by().values_list(*GROUPS)
    for assignee, partner, count in decided.annotate(Count("pk")):
        for one in of(assignee, partner):
            one.decided += count
    for review in measured:
        application = review.application
        for one in of(application.assignee_id, application.lead.partner_id):
            one.add(review)
    return _sorted(people), _sorted(partners)


def list_overdue(*, at: datetime) -> QuerySet[Application]:
    """Return at most MAX_BREACHES open cases past their deadline, the longest overdue first."""
    overdue = Application.objects.filter(is_current=True, due_at__lt=at)
    related = overdue.select_related("lead__partner", "assignee").defer(*ENCRYPTED)
    return related.order_by("due_at", "pk")[:MAX_BREACHES]


def _read_moves(applications: Iterable[Application]) -> dict[int, list[tuple[str, str, datetime]]]:
    """Return the moves of each application in their order: from, to, and when."""
    moves: dict[int, list[tuple[str, str, datetime]]] = defaultdict(list)
    pks = [application.pk for application in applications]
    events = Event.objects.filter(application__in=pks).exclude(previous_status=F("status"))
    events = events.exclude(previous_status="").order_by("number")
    names = ("application_id", "previous_status", "status", "occurred_at")
    for pk, source, target, at in events.values_list(*names):
        moves[pk].append((source, target, at))
    return moves


def _measure(application: Application, moves: list[tuple[str, str, datetime]]) -> Measured:
    began, decided = application.review_began_at, application.decided_at
    if began is None or decided is None:
        raise ValueError("The review was not decided.")
    touched = application.touched_at
    passed, returned, since = timedelta(), 0, None
    for source, target, at in moves:
        if source in WITH_BANK and since:
            passed += business_hours_between(since, at)
        since = at if target in WITH_BANK else None
        returned += source in AWAITING and target in WITH_BANK
    return Measured(
        application=application,
        touch=business_hours_between(began, touched) if touched else None,
        decision=business_hours_between(began, decided),
        with_bank=passed or business_hours_between(began, decided),
        returned=returned,
    )


def _sorted(found: dict[Key, Workload]) -> list[Workload]:
    return sorted(found.values(), key=lambda one: (-one.open, -one.decided, one.key or 0))


def _in_time_percent(times: list[timedelta], promised: timedelta) -> int | None:
    return round(100 * sum(one <= promised for one in times) / len(times)) if times else None


def _median(times: list[timedelta]) -> timedelta | None:
    if not times:
        return None
    return timedelta(seconds=median(one.total_seconds() for one in times))
