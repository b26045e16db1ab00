"""Quality checks: the draw that chooses approvals, open ones, and how many were overturned."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from banking.models import User
from foundation.privacy.encryption import blind_index, index_key_ids
from onboarding.choices import QualityVerdict, Role
from onboarding.event_types import EventType
from onboarding.models import Check, Event, QualityCheck

OUT_OF = 10_000
PERCENT, KEY = "sampled_percent", "draw_key_id"  # details of an approval by one person
OVERTURNED = [QualityVerdict.DENY, QualityVerdict.ASK]


@dataclass(frozen=True)
class Rate:
    """The numbers of judged and overturned approvals of a person, or of a partner's leads."""

    name: str
    judged: int
    would_deny: int
    would_ask: int

    @property
    def overturned_percent(self) -> int:
        """Return the share of the judged approvals that the second person would not have made."""
        return round(100 * (self.would_deny + self.would_ask) / self.judged)


def describe_draw(percent: int) -> dict[str, Any]:
    """Return the details of an approval's event that its draw depends on; empty for 0 percent."""
    return {PERCENT: percent, KEY: next(iter(index_key_ids()))} if percent else {}


def is_chosen(approval: Event) -> bool:
    """Return whether the draw chooses the event of an approval to be judged a second time.

    Raises: KeyError if the key of the draw was removed from PII_INDEX_KEYS.
    """
    percent: int = approval.details.get(PERCENT, 0)
    if not percent:
        return False
    keyed = blind_index(approval.digest, context="quality.draw", key_id=approval.details[KEY])
    number = int.from_bytes(hashlib.sha256(keyed.encode()).digest()[:8]) % OUT_OF
    return number < percent * OUT_OF // 100


def open_checks(*, by: User | None = None) -> QuerySet[QualityCheck]:
    """Return the approvals that wait for a second judgement, without those that `by` decided."""
    waiting = QualityCheck.objects.filter(verdict="")
    return waiting.exclude(decided_by=by) if by else waiting


def blind_checks(user: User) -> QuerySet[QualityCheck]:
    """Return the approvals waiting for a second judgement that a user can judge without bias.

    Left out are approvals by the user, of applications in which the user took a step before the
    approval, and those whose decision the user has seen.
    """
    steps = Event.objects.filter(
        application=OuterRef("application"),
        number__lt=OuterRef("event__number"),
        role=Role.REVIEWER,
        who=str(user.external_id),
    )
    read = QualityCheck.readers.through.objects.filter(qualitycheck=OuterRef("pk"), user=user)
    return open_checks(by=user).filter(~Exists(steps), ~Exists(read))


def list_checks_of(quality_check: QualityCheck) -> list[Check]:
    """Return the checks that counted when the approval was made: the newest of each by then."""
    at = quality_check.decided_at
    runs = quality_check.application.check_runs.filter(at__lte=at)
    run = runs.order_by("-number").first()
    if run is None:
        return []
    current = {(one.code, one.ubo_id): one for one in run.checks.filter(at__lte=at).order_by("pk")}
    return list(current.values())


def list_changes_since(quality_check: QualityCheck) -> list[Event]:
    """Return the events since the approval by which data or documents changed."""
    wanted = [EventType.CHANGED, EventType.DOCUMENT_RECEIVED, EventType.DOCUMENT_REPLACED]
    after = Event.objects.filter(
        lead=quality_check.application.lead_id, number__gt=quality_check.event.number
    )
    return list(after.filter(type__in=wanted).order_by("number"))


def list_rates_of_people(*, since: datetime) -> list[Rate]:
    """Return the rate of each person by approvals judged from `since` on, most judged first."""
    rows = _count("decided_by", since)
    users = User.objects.in_bulk([row["decided_by"] for row in rows])
    names = {pk: user.get_full_name() or user.email for pk, user in users.items()}
    return [_rate(names[row["decided_by"]], row) for row in rows]


def list_rates_of_partners(*, since: datetime) -> list[Rate]:
    """Return the rate of each partner by approvals judged from `since` on, most judged first."""
    name = "application__lead__partner__name"
    return [_rate(row[name], row) for row in _count(name, since)]


def list_overturned(*, since: datetime) -> QuerySet[QualityCheck]:
    """Return the approvals that a second person would not have made, the newest verdict first.

    Only verdicts from `since` on.
    """
    judged = QualityCheck.objects.filter(judged_at__gte=since, verdict__in=OVERTURNED)
    related = ["application__lead__partner", "decided_by", "judged_by"]
    return judged.select_related(*related).order_by("-judged_at", "-pk")


def _count(of: str, since: datetime) -> list[dict[str, Any]]:
    judged = QualityCheck.objects.filter(judged_at__gte=since).order_by().values(of)
    counted = judged.annotate(
        judged=Count("pk"),
        deny=Count("pk", filter=Q(verdict=QualityVerdict.DENY)),
        ask=Count("pk", filter=Q(verdict=QualityVerdict.ASK)),
    )
    return list(counted.order_by("-judged", of))


def _rate(name: str, row: dict[str, Any]) -> Rate:
    return Rate(name, row["judged"], would_deny=row["deny"], would_ask=row["ask"])
