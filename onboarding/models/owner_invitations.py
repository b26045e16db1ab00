"""Owner invitations: owners who enter their own data in an application, under a link."""

from django.db import models
from django.db.models import Q

from foundation.database.constraints import check
from onboarding.choices import InvitationStatus
from onboarding.models.owners import Owner


class OwnerInvitation(models.Model):
    """An invitation to an owner to enter their own data on pages that a link opens.

    The link is derived from the owner's external id and `link_version`; only its digest is stored.
    It opens the owner's pages while the status is INVITED or COMPLETED and the lead's current
    application has not ended. `language` is the language of mails to the owner: the inviter's, then
    the owner's own.
    """

    owner = models.OneToOneField(Owner, models.CASCADE, related_name="invitation")
    status = models.CharField(
        max_length=10, choices=InvitationStatus, default=InvitationStatus.INVITED
    )
    language = models.CharField(max_length=10)
    link_version = models.PositiveIntegerField(default=1, editable=False)
    link_digest = models.CharField(max_length=64, unique=True, editable=False)
    link_expires_at = models.DateTimeField()
    invited_at = models.DateTimeField()
    reminded_at = models.DateTimeField(null=True, blank=True)
    completed_at = models.DateTimeField(null=True, blank=True)
    remind_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="When to look next for a reminder."
    )
    reminders_sent = models.PositiveSmallIntegerField(default=0, db_default=0, editable=False)
    reminders_stopped_at = models.DateTimeField(
        null=True, blank=True, help_text="When the owner stopped automatic reminders."
    )

    class Meta:
        verbose_name = "invitation of an owner"
        verbose_name_plural = "invitations of owners"
        indexes = [
            models.Index(
                name="ownerinvitation_remind_at",
                fields=["remind_at", "id"],
                condition=Q(remind_at__isnull=False),
            )
        ]
        constraints = [
            check("ownerinvitation_status_known", Q(status__in=InvitationStatus.values)),
            check(
                "ownerinvitation_completed_at_iff_completed",
                Q(status=InvitationStatus.COMPLETED.value) ^ Q(completed_at=None),
            ),
        ]

    def __str__(self) -> str:
        return f"invitation of {self.owner_id}"
