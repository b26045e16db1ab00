"""Verifications: requests to providers, the state of each provider, and partners' own checks."""

from datetime import datetime

from django.db import models
from django.db.models import Q

from foundation.database.constraints import check, unique
from foundation.external_ids import ExternalIdModel
from foundation.privacy.fields import EncryptedField, EncryptedModel, EncryptedQuerySet
from onboarding.choices import (
    BreakerState,
    CheckResult,
    VerificationKind,
    VerificationMethod,
    VerificationStatus,
)
from onboarding.models.applications import Application

OPEN_REQUEST = Q(status__in=["WAITING", "SENT"])
MAX_FAILURES = 5  # in a row; then the provider is asked nothing for a while


class VerificationRequest(ExternalIdModel, EncryptedModel):
    """A request to a provider to verify one party of an application.

    The external id is the idempotency key of every attempt. `sent` is the data of the party as
    JSON, `received` the answer that ended the request; `sent_digest`, a keyed hash of `sent`, makes
    the row unique. `due_at` is the time of the next step; while a worker has the request, the end
    of its lease; null if nothing is to be done. A request that has ended is due until its result
    is in the checks. A row without `ubo_id` is about the applicant, or the business.
    """

    application = models.ForeignKey(
        Application, models.PROTECT, related_name="verification_requests"
    )
    provider = models.CharField(max_length=32)
    kind = models.CharField("check", max_length=8, choices=VerificationKind)
    ubo_id = models.UUIDField("UBO id", null=True, blank=True)
    party_id = models.UUIDField("party", help_text="External id of the applicant or the owner.")
    sent = EncryptedField(editable=False)
    received = EncryptedField(blank=True, editable=False)
    sent_digest = models.CharField(max_length=64, editable=False)
    status = models.CharField(
        max_length=10, choices=VerificationStatus, default=VerificationStatus.WAITING
    )
    result = models.CharField(max_length=4, choices=CheckResult, blank=True)
    reference = models.CharField(max_length=100, blank=True)
    reasons = models.JSONField(default=list, blank=True)
    fault = models.CharField(max_length=200, blank=True, help_text="Of the last attempt.")
    attempts = models.PositiveIntegerField(default=0)
    asked_at = models.DateTimeField("asked")
    due_at = models.DateTimeField(null=True, blank=True)
    deadline = models.DateTimeField()
    settled_at = models.DateTimeField("answered", null=True, blank=True)

    objects = EncryptedQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            unique(
                "verificationrequest_asked_once",
                *("application", "provider", "kind", "party_id", "sent_digest"),
            ),
            check("verificationrequest_kind_known", Q(kind__in=VerificationKind.values)),
            check("verificationrequest_status_known", Q(status__in=VerificationStatus.values)),
            check(
                "verificationrequest_result_iff_answered",
                Q(status=VerificationStatus.ANSWERED.value) & Q(result__in=CheckResult.values)
                | ~Q(status=VerificationStatus.ANSWERED.value) & Q(result=""),
            ),
            check(
                "verificationrequest_settled_at_iff_settled",
                OPEN_REQUEST ^ Q(settled_at__isnull=False),
            ),
        ]
        indexes = [
            models.Index(
                name="verificationrequest_due",
                fields=["due_at"],
                condition=Q(due_at__isnull=False),
            )
        ]

    @property
    def is_open(self) -> bool:
        """Return whether the request is to be sent, or was sent and has no answer yet."""
        return self.status in {VerificationStatus.WAITING, VerificationStatus.SENT}


class VerificationProvider(models.Model):
    """The state of a configured provider, with its circuit breaker.

    After MAX_FAILURES failures in a row no request is sent to the provider until `open_until`. Then
    one trial call decides whether the breaker closes; a worker has the trial until `trial_until`.
    """

    name = models.CharField(max_length=32, unique=True)
    failures = models.PositiveIntegerField("failures in a row", default=0)
    open_until = models.DateTimeField("not asked until", null=True, blank=True)
    trial_until = models.DateTimeField(null=True, blank=True)
    answered_at = models.DateTimeField("last answer", null=True, blank=True)
    failed_at = models.DateTimeField("last failure", null=True, blank=True)
    fault = models.CharField("last fault", max_length=200, blank=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name

    def breaker(self, *, at: datetime) -> BreakerState:
        """Return the state of the circuit breaker."""
        if self.open_until is None:
            return BreakerState.CLOSED
        return BreakerState.OPEN if self.open_until > at else BreakerState.HALF_OPEN


class PartnerVerification(ExternalIdModel):
    """A verification that a partner made itself and vouches for. Rows are only ever added.

    `document_ids` are documents of the lead. A row without `ubo_id` is about the applicant, or the
    business.
    """

    application = models.ForeignKey(
        Application, models.PROTECT, related_name="partner_verifications"
    )
    kind = models.CharField("check", max_length=8, choices=VerificationKind)
    ubo_id = models.UUIDField("UBO id", null=True, blank=True)
    method = models.CharField(max_length=10, choices=VerificationMethod)
    verified_on = models.DateField("verified")
    reference = models.CharField(max_length=100)
    document_ids = models.JSONField(default=list, blank=True)
    contract = models.CharField(max_length=200, help_text="By which the bank relies on it.")
    at = models.DateTimeField("received")

    class Meta:
        ordering = ["-pk"]
        constraints = [
            check("partnerverification_kind_known", Q(kind__in=VerificationKind.values)),
            check("partnerverification_method_known", Q(method__in=VerificationMethod.values)),
        ]
