"""Mails: what applicants and partners are written, as rows until they left."""

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q
from uuid_utils.compat import uuid7

from banking.pii import SealedField
from onboarding.choices import MailKind, MailStatus
from onboarding.models.applications import Application
from onboarding.models.events import Event
from onboarding.models.partners import ApiKey


class MailQuerySet(models.QuerySet["Mail"]):
    """Mails."""

    def due(self, *, at: datetime) -> Self:
        return self.filter(status=MailStatus.QUEUED, due_at__lte=at)


class Mail(models.Model):
    """One mail, written when it leaves: to the applicant, or, about an access key, to a partner.

    `due_at` is when a worker may send it; while one does, when its lease ends. The code of a CODE
    mail is sealed, and gone once the mail left or `expires_at` passed.
    """

    external_id = models.UUIDField(unique=True, default=uuid7, editable=False)
    kind = models.CharField(max_length=20, choices=MailKind)
    application = models.ForeignKey(
        Application, models.PROTECT, null=True, blank=True, related_name="mails"
    )
    event = models.OneToOneField(Event, models.PROTECT, null=True, blank=True, related_name="mail")
    api_key = models.ForeignKey(ApiKey, models.PROTECT, null=True, blank=True, related_name="mails")
    language = models.CharField(max_length=10)
    code = SealedField(blank=True, editable=False)
    status = models.CharField(max_length=10, choices=MailStatus, default=MailStatus.QUEUED)
    due_at = models.DateTimeField()
    attempts = models.PositiveIntegerField(default=0)
    expires_at = models.DateTimeField(null=True, blank=True)
    fault = models.CharField(max_length=255, blank=True)
    created_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)

    objects = MailQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(name="mail_kind_known", condition=Q(kind__in=MailKind.values)),
            models.CheckConstraint(
                name="mail_status_known", condition=Q(status__in=MailStatus.values)
            ),
            models.CheckConstraint(
                name="mail_sent_at_iff_sent",
                condition=Q(status=MailStatus.SENT.value) ^ Q(sent_at=None),
            ),
            models.CheckConstraint(
                name="mail_about_an_application_or_a_key",
                condition=Q(application__isnull=False, api_key=None)
                | Q(application=None, api_key__isnull=False),
            ),
        ]
        indexes = [
            models.Index(
                name="mail_due", fields=["due_at"], condition=Q(status=MailStatus.QUEUED.value)
            )
        ]

    def __str__(self) -> str:
        return f"mail {self.external_id}"
