"""Applications: one attempt each of a lead to get an account."""

from dataclasses import dataclass
from datetime import datetime

from django.db import models
from django.db.models import Q
from uuid_utils.compat import uuid7

from onboarding.choices import DECIDED, StatusGroup
from onboarding.choices import ApplicationStatus as Status
from onboarding.errors import ErrorCode, Refused
from onboarding.models.leads import Lead


class InvalidMove(Refused):
    """A move that the state machine has not, or that somebody else made first."""

    code = ErrorCode.INVALID_TRANSITION


@dataclass(frozen=True)
class Decision:
    """How an application was decided, and when."""

    outcome: Status
    decided_at: datetime


class Application(models.Model):
    """One attempt of a lead to get an account; the unit of KYB review.

    The newest attempt of a lead is the current one. The applicant's link is derived from
    `external_id` and `link_version`; of the link and of the token only digests are stored.
    """

    external_id = models.UUIDField(unique=True, default=uuid7, editable=False)
    lead = models.ForeignKey(Lead, models.PROTECT, related_name="applications")
    attempt = models.PositiveSmallIntegerField(default=1)
    is_current = models.BooleanField(default=True)
    status = models.CharField(max_length=20, choices=Status, default=Status.CREATED)
    status_changed_at = models.DateTimeField()
    link_version = models.PositiveIntegerField(default=1, editable=False)
    link_digest = models.CharField(max_length=64, unique=True, editable=False)
    link_expires_at = models.DateTimeField()
    token_digest = models.CharField(max_length=64, unique=True, editable=False)
    token_expires_at = models.DateTimeField()
    token_used_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(name="application_attempt_unique", fields=["lead", "attempt"]),
            models.UniqueConstraint(
                name="application_one_current", fields=["lead"], condition=Q(is_current=True)
            ),
            models.CheckConstraint(
                name="application_status_known", condition=Q(status__in=Status.values)
            ),
            models.CheckConstraint(
                name="application_attempt_positive", condition=Q(attempt__gte=1)
            ),
        ]
        indexes = [models.Index(name="application_status", fields=["status", "lead"])]

    def __str__(self) -> str:
        return f"application {self.external_id}"

    @property
    def group(self) -> StatusGroup:
        """Return whose turn it is."""
        return Status(self.status).group

    @property
    def decision(self) -> "Decision | None":
        """Return how the application was decided; None while it is not."""
        if self.status not in DECIDED:
            return None
        return Decision(Status(self.status), self.status_changed_at)

    def move_to(self, target: Status, *, at: datetime) -> None:
        """Move to `target`; of two movers at once the second gets InvalidMove."""
        source = Status(self.status)
        unmoved = Application.objects.filter(pk=self.pk, status=source, is_current=True)
        if target not in source.moves or not unmoved.update(status=target, status_changed_at=at):
            raise InvalidMove(source=source, target=target)
        self.status, self.status_changed_at = target, at
