"""Events: the history of a lead, for auditors and, in part, for its partner."""

from datetime import UTC
from uuid import UUID

from django.db import models
from django.db.models import Q

from foundation.database import hash_chains
from foundation.database.constraints import check
from foundation.external_ids import ExternalIdModel
from onboarding.choices import ApplicationStatus, Role
from onboarding.event_types import PUBLISHED, EventType
from onboarding.models.applications import Application
from onboarding.models.leads import Lead


def staff_id(who: str) -> UUID | None:
    """Return an event's `who` as the external id of a user; None if it is empty or no UUID."""
    try:
        return UUID(who)
    except ValueError:
        return None


class Event(ExternalIdModel):
    """An event in the history of a lead. Rows are only ever added and form a hash chain.

    `number` counts all events of a lead from 1, `sequence` the events published to its partner;
    neither has gaps. `details` hold names and identifiers, never a personal value.
    `traceparent` is the W3C trace context of the event, None without one; no digest covers it.
    """

    lead = models.ForeignKey(Lead, models.PROTECT, related_name="events")
    application = models.ForeignKey(Application, models.PROTECT, related_name="events")
    number = models.PositiveIntegerField()
    sequence = models.PositiveIntegerField(null=True)
    type = models.CharField(max_length=40, choices=EventType)
    role = models.CharField("by", max_length=10, choices=Role)
    who = models.CharField(max_length=64, blank=True, help_text="The id of a person of staff.")
    status = models.CharField(max_length=20, choices=ApplicationStatus)
    previous_status = models.CharField(max_length=20, choices=ApplicationStatus, blank=True)
    details = models.JSONField(default=dict, blank=True)
    request_id = models.CharField(
        max_length=128, blank=True, help_text="Of the request that caused it."
    )
    traceparent = models.CharField(  # noqa: DJ001 - a default would have SQLite copy the table
        max_length=55, null=True, editable=False
    )
    occurred_at = models.DateTimeField()
    previous_digest = models.CharField(max_length=64, blank=True)
    digest = models.CharField(max_length=64)

    class Meta:
        ordering = ["lead", "number"]
        constraints = [
            models.UniqueConstraint(name="event_number_unique", fields=["lead", "number"]),
            models.UniqueConstraint(name="event_sequence_unique", fields=["lead", "sequence"]),
            check("event_type_known", Q(type__in=EventType.values)),
            check("event_role_known", Q(role__in=Role.values)),
            check("event_sequence_iff_published", Q(type__in=sorted(PUBLISHED)) ^ Q(sequence=None)),
        ]
        indexes = [
            models.Index(name="event_occurred_at", fields=["occurred_at"]),
            models.Index(
                name="event_of_staff",
                fields=["occurred_at"],
                condition=Q(role=Role.REVIEWER.value),
            ),
            models.Index(
                name="event_denied",
                fields=["occurred_at"],
                condition=Q(type=EventType.DENIED.value),
            ),
            models.Index(name="event_who", fields=["who", "occurred_at"], condition=~Q(who="")),
        ]

    def compute_digest(self) -> str:
        """Return the SHA-256, in hexadecimal, of this event and the previous event's digest.

        The hashed text is the JSON list of the row's values in ASCII, keys sorted, without spaces;
        the request id is its last item if there is one.
        """
        said = [
            str(self.external_id),
            str(self.lead.external_id),
            str(self.application.external_id),
            self.number,
            self.sequence,
            str(self.type),
            str(self.role),
            self.who,
            str(self.status),
            str(self.previous_status),
            self.details,
            self.occurred_at.astimezone(UTC).isoformat(timespec="microseconds"),
            self.previous_digest,
            *filter(None, [self.request_id]),
        ]
        return hash_chains.compute_digest(said)
