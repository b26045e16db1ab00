"""Mails: messages to applicants and partners, queued as rows until they are sent."""

from datetime import datetime, timedelta
from typing import Self

from django.db import models
from django.db.models import Q

from banking.models import User
from foundation.database.constraints import check
from foundation.external_ids import ExternalIdModel
from foundation.privacy.fields import EncryptedField
from foundation.tracing.causes import CausedModel
from onboarding.choices import MailStatus
from onboarding.event_types import CHANGE_MAILS, CODE_MAILS, STAFF_MAILS, MailKind
from onboarding.models.applications import Application
from onboarding.models.events import Event
from onboarding.models.notifications import Notification
from onboarding.models.owners import Owner
from onboarding.models.partners import ApiKey
from onboarding.models.webhooks import Webhook

LEASE = timedelta(minutes=2)  # longer than a mail server may take to answer
DELAYS = [timedelta(minutes=minutes) for minutes in (1, 5, 30, 120)]  # after an attempt that failed

TO_USERS = sorted({MailKind.OWNER_INVITATION, *CHANGE_MAILS, *STAFF_MAILS})
ENCRYPTED = ("code", "sent_copy")  # encrypted columns, to be deferred where they are not read


class MailQuerySet(models.QuerySet["Mail"]):
    """Mails."""

    def due(self, *, at: datetime) -> Self:
        return self.filter(status=MailStatus.QUEUED, due_at__lte=at)

    def claim(self, pk: int, *, attempt: int, at: datetime) -> "Mail | None":
        """Count an attempt and lease a queued mail for LEASE, without its encrypted columns.

        None if the mail is no longer queued, or its attempts are not `attempt` any more.
        """
        taken = self.filter(pk=pk, status=MailStatus.QUEUED, attempts=attempt)
        if not taken.update(attempts=attempt + 1, due_at=at + LEASE):
            return None
        return self.defer(*ENCRYPTED).get(pk=pk)  # skips the decryption, which may fail


class Mail(ExternalIdModel, CausedModel):
    """A mail about an application, to its applicant, another owner or staff, or to a partner.

    A worker writes the text on sending, from `due_at` on; during an attempt, `due_at` is the end of
    its lease. The result of an attempt is saved unless another attempt has begun since. The code in
    a mail is encrypted, and deleted once the mail is sent, given up or cancelled; a mail that is
    still queued at `expires_at` is given up at its next attempt.
    """

    kind = models.CharField(max_length=20, choices=MailKind)
    application = models.ForeignKey(
        Application, models.PROTECT, null=True, blank=True, related_name="mails"
    )
    user = models.ForeignKey(
        User,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The invited owner, who is not the applicant, the owner who asked for a change, "
        "or the member of staff.",
    )
    owner = models.ForeignKey(
        Owner,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="The owner who is asked for their part; empty if the owner was removed.",
    )
    event = models.OneToOneField(Event, models.PROTECT, null=True, blank=True, related_name="mail")
    notification = models.OneToOneField(
        Notification, models.PROTECT, null=True, blank=True, related_name="mail"
    )
    api_key = models.ForeignKey(ApiKey, models.PROTECT, null=True, blank=True, related_name="mails")
    webhook = models.ForeignKey(
        Webhook, models.PROTECT, null=True, blank=True, related_name="mails"
    )
    language = models.CharField(max_length=10)
    code = EncryptedField(blank=True, editable=False)
    sent_copy = EncryptedField(
        blank=True, editable=False, default="", help_text="What was sent, links and codes masked."
    )
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
            check("mail_kind_known", Q(kind__in=MailKind.values)),
            check("mail_status_known", Q(status__in=MailStatus.values)),
            check("mail_sent_at_iff_sent", Q(status=MailStatus.SENT.value) ^ Q(sent_at=None)),
            check(
                "mail_user_iff_to_a_user",
                Q(kind__in=TO_USERS) ^ Q(user=None),
            ),
            check(
                "mail_about_an_application_a_key_or_a_webhook",
                Q(application=None, api_key=None, webhook=None, notification__isnull=False)
                | Q(application__isnull=False, api_key=None, webhook=None)
                | Q(application=None, api_key__isnull=False, webhook=None)
                | Q(application=None, api_key=None, webhook__isnull=False),
            ),
        ]
        indexes = [
            models.Index(
                name="mail_due", fields=["due_at"], condition=Q(status=MailStatus.QUEUED.value)
            )
        ]

    def mark_sent(self, *, at: datetime, sent_copy: str = "") -> None:
        """Record that the mail was sent, keep the masked copy, and delete the code."""
        self.sent_copy = sent_copy
        copy = Mail._meta.get_field("sent_copy").encrypt_for(self)
        self._end_attempt(status=MailStatus.SENT, sent_at=at, fault="", code="", sent_copy=copy)

    def postpone(self, *, fault: str, at: datetime) -> None:
        """Schedule another attempt, by `expires_at` at the latest; after all DELAYS, give up."""
        tries = self.attempts % (len(DELAYS) + 1)  # a retried mail gets all delays again
        if not tries:
            self.give_up(fault=fault)
            return
        due_at = at + DELAYS[tries - 1]
        if self.expires_at:
            due_at = min(due_at, max(self.expires_at, at))
        self._end_attempt(due_at=due_at, fault=fault)

    def give_up(self, *, fault: str) -> None:
        """Mark the mail as failed and delete its code."""
        self._end_attempt(status=MailStatus.FAILED, fault=fault, code="")

    def cancel(self, *, reason: str) -> None:
        """Cancel the mail because its content is no longer true, and delete its code."""
        self._end_attempt(status=MailStatus.CANCELLED, fault=reason, code="")

    @property
    def may_be_sent_again(self) -> bool:
        """Return whether the mail can be sent again: it failed, or was sent about an application.

        Mails with codes are never sent again; mails to staff and nudges only if they failed.
        """
        if self.kind in CODE_MAILS:
            return False
        is_repeatable = self.kind not in STAFF_MAILS and self.kind != MailKind.NUDGE
        return self.status == MailStatus.FAILED or (
            self.status == MailStatus.SENT and is_repeatable and self.application_id is not None
        )

    def send_again(self, *, at: datetime) -> bool:
        """Queue a failed mail again, unless it had a code; return whether this call did so."""
        given_up = Mail.objects.filter(pk=self.pk, status=MailStatus.FAILED)
        is_of_use = self.kind not in CODE_MAILS
        return is_of_use and bool(given_up.update(status=MailStatus.QUEUED, due_at=at))

    def _end_attempt(self, **values: object) -> None:
        """Save the result of this attempt, unless another attempt has begun since."""
        for name, value in values.items():
            setattr(self, name, value)
        mine = Mail.objects.filter(pk=self.pk, status=MailStatus.QUEUED, attempts=self.attempts)
        mine.update(**values)
