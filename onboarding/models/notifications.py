"""Notifications to staff, and the kinds of them that a person wants no mails about."""

from django.db import models
from django.db.models import Q

from banking.models import User
from foundation.database.constraints import check, unique
from onboarding.choices import NotificationKind
from onboarding.models.applications import Application
from onboarding.models.customers import CustomerCase
from onboarding.models.screening_hits import ScreeningHit

PARTS = {  # of the page of a case, by the kinds that are about a part of it
    NotificationKind.ESCALATED: "decision",
    NotificationKind.ANSWERED: "decision",
    NotificationKind.MENTIONED: "notes",
    NotificationKind.RETURNED: "documents",
    NotificationKind.NEW_HIT: "hits",
    NotificationKind.PROPOSAL_VOIDED: "decision",
    NotificationKind.PROPOSAL_REFUSED: "decision",
    NotificationKind.PROPOSAL_CONFIRMED: "decision",
}


class Notification(models.Model):
    """A notice about a case to a member of staff; its text is the label of its kind.

    A notification without an application is about a screening hit of the bank's records; a
    notification with a `customer_case` is about that case of the customer of the application. `by`
    is the colleague who caused the notification, if there is one. `due_at` is the deadline that the
    notification is about. Old notifications are deleted, whether they were read or not.
    """

    user = models.ForeignKey(User, models.CASCADE, related_name="notifications")
    kind = models.CharField(max_length=18, choices=NotificationKind)
    application = models.ForeignKey(
        Application, models.PROTECT, null=True, blank=True, related_name="notifications"
    )
    customer_case = models.ForeignKey(
        CustomerCase,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="notifications",
        db_index=False,
    )
    hit = models.ForeignKey(
        ScreeningHit,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="notifications",
        db_index=False,
    )
    by = models.ForeignKey(User, models.CASCADE, null=True, blank=True, related_name="+")
    due_at = models.DateTimeField(null=True, blank=True)
    at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            check("notification_kind_known", Q(kind__in=NotificationKind.values)),
            check(
                "notification_about_an_application_or_a_hit",
                Q(application__isnull=False) ^ Q(hit__isnull=False),
            ),
            unique(
                "notification_one_of_a_deadline",
                *("application", "user", "kind", "due_at"),
                condition=Q(due_at__isnull=False),
            ),
        ]
        indexes = [
            models.Index(name="notification_unread", fields=["user"], condition=Q(read_at=None)),
            models.Index(name="notification_newest", fields=["user", "-id"]),
            models.Index(name="notification_at", fields=["at"]),
        ]

    def __str__(self) -> str:
        return f"notification {self.pk}"

    @property
    def part(self) -> str:
        """Return the part of the case's page that the notification is about; empty for the top."""
        return PARTS.get(NotificationKind(self.kind), "")


class MutedMail(models.Model):
    """A kind of notification about which a member of staff gets no mail."""

    user = models.ForeignKey(User, models.CASCADE, related_name="muted_mails")
    kind = models.CharField(max_length=18, choices=NotificationKind)

    class Meta:
        constraints = [
            unique("mutedmail_once", "user", "kind"),
            check("mutedmail_kind_known", Q(kind__in=NotificationKind.values)),
        ]

    def __str__(self) -> str:
        return f"muted mail {self.pk}"
