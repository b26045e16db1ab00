"""Idempotency records: stored responses to writes, returned again to retries."""

from django.db import models
from django.db.models import Q

from foundation.database.constraints import check
from onboarding.models.partners import Partner


class IdempotencyRecord(models.Model):
    """One `Idempotency-Key` of a partner for one method and path, and the stored response.

    `key` and `body_sha256` are keyed hashes of the request's values. A row without `completed_at`
    belongs to a call that runs until `locked_until`, or whose process died.
    """

    partner = models.ForeignKey(Partner, models.CASCADE, related_name="+")
    method = models.CharField(max_length=6)
    path = models.CharField(max_length=200)
    key = models.CharField(max_length=200)
    body_sha256 = models.CharField(max_length=64)
    locked_until = models.DateTimeField()
    completed_at = models.DateTimeField(null=True)
    http_status = models.PositiveSmallIntegerField(null=True)
    body = models.JSONField(null=True)
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="idempotencyrecord_unique_key", fields=["partner", "key", "method", "path"]
            ),
            check(
                "idempotencyrecord_answer_iff_completed",
                Q(completed_at=None, http_status=None)
                | Q(completed_at__isnull=False, http_status__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.method} {self.path} of {self.partner_id}"
