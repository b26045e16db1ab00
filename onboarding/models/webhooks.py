"""Webhooks: endpoints of partners, and the deliveries of events to them."""

from datetime import datetime, timedelta
from typing import Self

from django.db import models
from django.db.models import Q

from foundation.database.constraints import check
from foundation.external_ids import ExternalIdModel
from foundation.privacy.fields import EncryptedField
from onboarding.choices import (
    DeliveryStatus,
    ShownDeliveryStatus,
    WebhookStatus,
    WebhookType,
    WebhookVersion,
)
from onboarding.event_types import TEST_EVENT, EventType
from onboarding.models.leads import Lead
from onboarding.models.partners import Partner
from onboarding.models.publications import Publication

MAX_LANE_DELAY = timedelta(minutes=5)  # how long a failing event delays later events


class WebhookQuerySet(models.QuerySet["Webhook"]):
    """Webhooks."""

    def kept(self) -> Self:
        """Return the webhooks that were not deleted; partners see only these."""
        return self.filter(deleted_at=None)


class Webhook(ExternalIdModel):
    """A URL of a partner to which events are sent, with its settings.

    The token and the signing secrets are encrypted, not hashed: each delivery needs them in clear.

    `failing_since` is the time of the first failure since the last success; `failure_notices` is
    how many of the two notices about these failures are done: queued, or skipped because the second
    notice was due as well. `deleted_at` is when the partner deleted the webhook; `purge_deleted`
    removes the row later. `chaos` sets the faults that the sandbox injects into deliveries:
    duplicate, reorder, drop (each a share from 0 to 1) and delay_seconds.
    """

    partner = models.ForeignKey(Partner, models.PROTECT, related_name="webhooks")
    server_url = models.URLField("server URL", max_length=2048)
    status = models.CharField(max_length=10, choices=WebhookStatus, default=WebhookStatus.ACTIVE)
    type = models.CharField(max_length=10, choices=WebhookType, default=WebhookType.ALL)
    version = models.CharField(max_length=10, choices=WebhookVersion, default=WebhookVersion.V2_0)
    event_types = models.JSONField(
        default=list, blank=True, help_text="The types that are sent; empty means all."
    )
    description = models.CharField(max_length=255, blank=True)
    token = EncryptedField(editable=False)
    signing_secret = EncryptedField(editable=False)
    previous_secret = EncryptedField(blank=True, editable=False)
    previous_expires_at = models.DateTimeField(null=True, blank=True, editable=False)
    failing_since = models.DateTimeField(null=True, blank=True, editable=False)
    failure_notices = models.PositiveSmallIntegerField(default=0, db_default=0, editable=False)
    slow_since = models.DateTimeField(null=True, blank=True, editable=False)
    disabled_reason = models.CharField(max_length=255, blank=True)
    chaos = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True, blank=True, editable=False)

    objects = WebhookQuerySet.as_manager()

    class Meta:
        ordering = ["partner", "pk"]
        constraints = [
            check("webhook_status_known", Q(status__in=WebhookStatus.values)),
            check("webhook_type_known", Q(type__in=WebhookType.values)),
            check("webhook_version_known", Q(version__in=WebhookVersion.values)),
            check(
                "webhook_previous_secret_has_an_end",
                Q(previous_secret="") ^ Q(previous_expires_at__isnull=False),
            ),
            check(
                "webhook_deleted_is_disabled",
                Q(deleted_at=None) | Q(status=WebhookStatus.DISABLED.value),
            ),
            check(
                "webhook_notices_of_failures", Q(failure_notices=0) | Q(failing_since__isnull=False)
            ),
        ]

    @property
    def is_active(self) -> bool:
        """Return whether deliveries are sent to the webhook."""
        return self.status == WebhookStatus.ACTIVE

    def wants(self, event_type: str) -> bool:
        """Return whether the webhook subscribes to an event type; test events are always wanted."""
        if event_type == TEST_EVENT:
            return True
        is_named = not self.event_types or event_type in self.event_types
        return is_named and self.type in {WebhookType.ALL, EventType(event_type).spec.webhook_type}


class LaneQuerySet(models.QuerySet["Lane"]):
    """Lanes, the queues of deliveries: `due` can be claimed now, `free` have no lease."""

    def due(self, *, at: datetime) -> Self:
        active = WebhookStatus.ACTIVE
        return self.free(at=at).filter(due_at__lte=at, webhook__status=active)

    def free(self, *, at: datetime) -> Self:
        return self.filter(Q(leased_until=None) | Q(leased_until__lte=at))


class Lane(models.Model):
    """An ordered queue of the deliveries of one lead's events to one webhook.

    The worker that holds the lease sends them one after the other. `due_at` is when a delivery is
    due next; None if none waits. A lane without a lead holds the tests of the webhook. `claims`
    counts the leases, so that a worker can detect that another worker has claimed the lane since.
    """

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="lanes")
    lead = models.ForeignKey(Lead, models.PROTECT, null=True, related_name="lanes")
    due_at = models.DateTimeField(null=True)
    leased_until = models.DateTimeField(null=True)
    claims = models.PositiveIntegerField(default=0)

    objects = LaneQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(name="lane_unique", fields=["webhook", "lead"]),
            models.UniqueConstraint(
                name="lane_of_tests_unique", fields=["webhook"], condition=Q(lead=None)
            ),
        ]
        indexes = [
            models.Index(
                name="lane_due", fields=["due_at", "webhook"], condition=Q(due_at__isnull=False)
            ),
            models.Index(
                name="lane_leased",
                fields=["webhook", "leased_until"],
                condition=Q(leased_until__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"lane {self.pk}"


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    """Deliveries."""

    def shown_as(self, status: str) -> Self:
        """Return the deliveries with this `shown_status`."""
        waiting = {
            ShownDeliveryStatus.PENDING: WebhookStatus.ACTIVE,
            ShownDeliveryStatus.HELD: WebhookStatus.DISABLED,
        }
        if status not in waiting:
            return self.filter(status=status)
        return self.filter(
            status=DeliveryStatus.PENDING,
            lane__webhook__status=waiting[ShownDeliveryStatus(status)],
        )


class Delivery(ExternalIdModel):
    """The delivery of one publication to one webhook.

    `next_attempt_at` is None once the delivery is made, given up or dropped. `failing_since` is the
    time of the first failed attempt since the delivery was last (re)started; None before it, and
    once the delivery is made. The status code and the fault of the last attempt are copied here
    from `DeliveryAttempt`, so that lists need no second table.
    """

    lane = models.ForeignKey(Lane, models.CASCADE, related_name="deliveries")
    publication = models.ForeignKey(Publication, models.PROTECT, related_name="deliveries")
    status = models.CharField(max_length=10, choices=DeliveryStatus, default=DeliveryStatus.PENDING)
    attempts = models.PositiveIntegerField(default=0)
    retries = models.PositiveIntegerField(
        default=0, editable=False, help_text="Attempts since it was last (re)started."
    )
    next_attempt_at = models.DateTimeField(null=True)
    failing_since = models.DateTimeField(null=True)
    status_code = models.PositiveSmallIntegerField(null=True)
    fault = models.CharField(max_length=255, blank=True)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "deliveries"
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(name="delivery_unique", fields=["lane", "publication"]),
            check("delivery_status_known", Q(status__in=DeliveryStatus.values)),
            check(
                "delivery_next_attempt_iff_pending",
                Q(status=DeliveryStatus.PENDING.value) ^ Q(next_attempt_at=None),
            ),
        ]
        indexes = [
            models.Index(
                name="delivery_waiting",
                fields=["lane", "publication"],
                condition=Q(next_attempt_at__isnull=False),
            ),
            models.Index(
                name="delivery_given_up",
                fields=["finished_at"],
                condition=Q(status=DeliveryStatus.FAILED.value),
            ),
        ]

    @property
    def is_held(self) -> bool:
        """Return whether the delivery waits because its webhook is disabled."""
        return self.status == DeliveryStatus.PENDING and not self.lane.webhook.is_active

    @property
    def shown_status(self) -> ShownDeliveryStatus:
        """Return the status shown to partners and staff. Reads the webhook's status."""
        return ShownDeliveryStatus.HELD if self.is_held else ShownDeliveryStatus(self.status)

    @property
    def shown_next_attempt_at(self) -> datetime | None:
        """Return the time of the next attempt; None while held. Reads the webhook's status."""
        return None if self.is_held else self.next_attempt_at


class DeliveryAttempt(models.Model):
    """One POST of a delivery: the receiver's response, or why there was none."""

    delivery = models.ForeignKey(Delivery, models.CASCADE, related_name="made")
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    duration_ms = models.PositiveIntegerField()
    status_code = models.PositiveSmallIntegerField(null=True)
    answer = models.TextField(blank=True, help_text="The first 2 KB of the body.")
    fault = models.CharField(max_length=255, blank=True)

    class Meta:
        ordering = ["delivery", "number"]
        constraints = [
            models.UniqueConstraint(name="attempt_number_unique", fields=["delivery", "number"])
        ]

    def __str__(self) -> str:
        return f"attempt {self.number} of {self.delivery_id}"
