"""Mails: what applicants and partners are written, as rows until they left."""

from datetime import datetime, timedelta
from typing import Self

from django.db import models
from django.db.models import Q
from uuid_utils.compat import uuid7

from foundation.privacy.fields import EncryptedField
from onboarding.choices import MailStatus
from onboarding.event_types import MailKind
from onboarding.models.applications import Application
from onboarding.models.events import Event
from onboarding.models.partners import ApiKey
from onboarding.models.webhooks import Webhook

LEASE = timedelta(minutes=2)  # longer than a mail server may take to answer
DELAYS = [timedelta(minutes=minutes) for minutes in (1, 5, 30, 120)]  # after an attempt that failed


class MailQuerySet(models.QuerySet["Mail"]):
    """Mails."""

    def due(self, *, at: datetime) -> Self:
        return self.filter(status=MailStatus.QUEUED, due_at__lte=at)

    def claim(self, pk: int, *, attempt: int, at: datetime) -> "Mail | None":
        """Take one mail for LEASE; None if it left, or was attempted since it was dispatched."""
        taken = self.filter(pk=pk, status=MailStatus.QUEUED, attempts=attempt)
        if not taken.update(attempts=attempt + 1, due_at=at + LEASE):
            return None
        return self.defer("code").get(pk=pk)  # which opens nothing that could be broken


class Mail(models.Model):
    """One mail, written when it leaves: to an applicant about an application, else to a partner.

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
    webhook = models.ForeignKey(
        Webhook, models.PROTECT, null=True, blank=True, related_name="mails"
    )
    language = models.CharField(max_length=10)
    code = EncryptedField(blank=True, editable=False)
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
                name="mail_about_an_application_a_key_or_a_webhook",
                condition=Q(application__isnull=False, api_key=None, webhook=None)
                | Q(application=None, api_key__isnull=False, webhook=None)
                | Q(application=None, api_key=None, webhook__isnull=False),
            ),
        ]
        indexes = [
            models.Index(
                name="mail_due", fields=["due_at"], condition=Q(status=MailStatus.QUEUED.value)
            )
        ]

    def __str__(self) -> str:
        return f"mail {self.external_id}"

    def mark_sent(self, *, at: datetime) -> None:
        """Note that the mail left; its code is gone."""
        self._end_attempt(status=MailStatus.SENT, sent_at=at, fault="", code="")

    def postpone(self, *, fault: str, at: datetime) -> None:
        """Wait for the next attempt, no longer than the mail is of use; give up after the last."""
        tries = self.attempts % (len(DELAYS) + 1)  # one that is sent again has them all once more
        if not tries:
            self.give_up(fault=fault)
            return
        due_at = at + DELAYS[tries - 1]
        if self.expires_at:
            due_at = min(due_at, max(self.expires_at, at))
        self._end_attempt(due_at=due_at, fault=fault)

    def give_up(self, *, fault: str) -> None:
        """Send the mail no more; its code is gone."""
        self._end_attempt(status=MailStatus.FAILED, fault=fault, code="")

    def cancel(self, *, reason: str) -> None:
        """Send the mail no more, because it would not be true any more; its code is gone."""
        self._end_attempt(status=MailStatus.CANCELLED, fault=reason, code="")

    @property
    def may_be_sent_again(self) -> bool:
        """Say whether the mail was given up and may yet be of use; codes are gone by then."""
        return self.status == MailStatus.FAILED and self.kind != MailKind.CODE

    def send_again(self, *, at: datetime) -> bool:
        """Have a mail that was given up sent after all; say whether that is new."""
        given_up = Mail.objects.filter(pk=self.pk, status=MailStatus.FAILED)
        is_of_use = self.kind != MailKind.CODE
        return is_of_use and bool(given_up.update(status=MailStatus.QUEUED, due_at=at))

    def _end_attempt(self, **values: object) -> None:
        """Save what became of this attempt, unless another has begun since."""
        for name, value in values.items():
            setattr(self, name, value)
        mine = Mail.objects.filter(pk=self.pk, status=MailStatus.QUEUED, attempts=self.attempts)
        mine.update(**values)
