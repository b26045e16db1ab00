"""Workload of customer cases: open and closed ones per person and partner, and missed deadlines."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, F, Q, QuerySet

from foundation.privacy.fields import encrypted_names
from onboarding.choices import CaseOutcome
from onboarding.models import CustomerCase, Lead
from onboarding.models.customers import OPEN
from onboarding.queries.workload import MAX_BREACHES, Key

BY_NOBODY = [CaseOutcome.CUSTOMER_CLOSED, CaseOutcome.WITHDRAWN]  # no member of staff decided
ENCRYPTED = [f"customer__lead__{name}" for name in encrypted_names(Lead)]
LATE = Q(closed_at__gt=F("due_at"))
GROUPS = ["assignee", "customer__lead__partner"]


@dataclass
class CaseLoad:
    """The customer cases of a member of staff or of a partner; `key` is None for unassigned ones.

    `overdue` counts open cases. `closed` counts cases that staff decided, and `late` those of them
    that were closed after their deadline.
    """

    key: Key
    open: int = 0
    overdue: int = 0
    closed: int = 0
    late: int = 0

    @property
    def in_time_percent(self) -> int | None:
        """Return the percentage of the closed cases that were closed by their deadline.

        None if none was closed. Open cases do not count, not even overdue ones.
        """
        return round(100 * (self.closed - self.late) / self.closed) if self.closed else None


def count_cases(*, since: datetime, at: datetime) -> tuple[list[CaseLoad], list[CaseLoad]]:
    """Count the customer cases of each assignee and of each partner, most open ones first.

    Counted are open cases, cases overdue at `at`, and cases that staff closed from `since` on.
    Cases without an assignee have the key None. Two statements for both.
    """
    people: dict[Key, CaseLoad] = {}
    partners: dict[Key, CaseLoad] = {}

    def of(assignee: Key, partner: Key) -> list[CaseLoad]:
        keyed = (people, assignee), (partners, partner)
        return [found.setdefault(key, CaseLoad(key)) for found, key in keyed]

    overdue = Count("pk", filter=Q(due_at__lt=at))
    waiting = CustomerCase.objects.filter(OPEN).order_by().values_list(*GROUPS)
    for assignee, partner, count, late in waiting.annotate(Count("pk"), late=overdue):
        for one in of(assignee, partner):
            one.open += count
            one.overdue += late
    closed = _closed(since).order_by().values_list(*GROUPS)
    counted = closed.annotate(Count("pk"), late=Count("pk", filter=LATE))
    for assignee, partner, count, late in counted:
        for one in of(assignee, partner):
            one.closed += count
            one.late += late
    return _sorted(people), _sorted(partners)


def list_overdue(*, at: datetime) -> QuerySet[CustomerCase]:
    """Return at most MAX_BREACHES open cases past their deadline, the longest overdue first."""
    return _with_names(CustomerCase.objects.filter(OPEN, due_at__lt=at)).order_by("due_at", "pk")[
        :MAX_BREACHES
    ]


def list_late(*, since: datetime) -> QuerySet[CustomerCase]:
    """Return at most MAX_BREACHES cases that staff closed late from `since` on, newest first."""
    return _with_names(_closed(since).filter(LATE)).order_by("-closed_at", "-pk")[:MAX_BREACHES]


def _closed(since: datetime) -> QuerySet[CustomerCase]:
    return CustomerCase.objects.filter(closed_at__gte=since).exclude(outcome__in=BY_NOBODY)


def _with_names(cases: QuerySet[CustomerCase]) -> QuerySet[CustomerCase]:
    related = cases.select_related("customer__business", "customer__lead__partner", "assignee")
    return related.defer("content", *ENCRYPTED)


def _sorted(found: dict[Key, CaseLoad]) -> list[CaseLoad]:
    return sorted(found.values(), key=lambda one: (-one.open, -one.closed, one.key or 0))
