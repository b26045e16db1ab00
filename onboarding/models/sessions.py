"""Sessions: links, mailed codes and sessions that give an applicant access."""

from datetime import datetime
from typing import Self

from django.db import models
from django.db.models import Q

from foundation.database.constraints import check
from onboarding.choices import CodePurpose
from onboarding.models.applications import Application
from onboarding.models.owners import Owner
from onboarding.models.people import NONE


class ReplacedLink(models.Model):
    """A link that was replaced by a newer link of the application, or of an owner.

    A replaced link gives no access.
    """

    application = models.ForeignKey(Application, models.CASCADE, related_name="replaced_links")
    owner = models.ForeignKey(Owner, models.CASCADE, null=True, related_name="replaced_links")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    replaced_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"replaced link of {self.application_id}"


class AccessCode(models.Model):
    """A six-digit code mailed to the lead or an owner; only the newest for a purpose is valid."""

    application = models.ForeignKey(Application, models.CASCADE, related_name="access_codes")
    owner = models.ForeignKey(Owner, models.CASCADE, null=True, related_name="access_codes")
    purpose = models.CharField(
        max_length=9, choices=CodePurpose, default=CodePurpose.ENTRY, db_default=CodePurpose.ENTRY
    )
    digest = models.CharField(max_length=64, editable=False)
    tries = models.PositiveSmallIntegerField(default=0, editable=False)
    sent_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)
    used_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        constraints = [check("accesscode_purpose_known", Q(purpose__in=CodePurpose.values))]

    def __str__(self) -> str:
        return f"code of {self.application_id}"


class FlowSessionQuerySet(models.QuerySet["FlowSession"]):
    """Sessions."""

    def live(self, *, at: datetime) -> Self:
        return self.filter(expires_at__gt=at, application__is_current=True)


class FlowSession(models.Model):
    """A session of an applicant, in the hosted flow or in a frame of the partner's page.

    A session with an owner is the owner's: it opens that owner's own pages, and no others.

    The browser holds the key in a cookie (hosted) or in the frame's memory (embedded); the row has
    its digest. A session ends after a time without use.
    """

    application = models.ForeignKey(Application, models.CASCADE, related_name="flow_sessions")
    owner = models.ForeignKey(Owner, models.CASCADE, null=True, related_name="flow_sessions")
    digest = models.CharField(max_length=64, unique=True, editable=False)
    is_embedded = models.BooleanField(default=False)
    language = models.CharField(max_length=10, blank=True)
    uploads = models.JSONField(
        default=list, editable=False, help_text="External ids of files that were sent in it."
    )
    typed_numbers = models.JSONField(
        default=list,
        db_default=NONE,
        editable=False,
        help_text="Keyed hashes of personal numbers that were typed in it.",
    )
    code_entered_at = models.DateTimeField(
        null=True, editable=False, help_text="When the applicant entered a mailed code."
    )
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(db_index=True)

    objects = FlowSessionQuerySet.as_manager()

    class Meta:
        verbose_name = "session of an applicant"
        verbose_name_plural = "sessions of applicants"

    def __str__(self) -> str:
        return f"session of {self.application_id}"
