"""Consents: an applicant's agreements and certifications, and the signed record."""

from django.db import models
from django.db.models import Q

from foundation.database.constraints import check
from foundation.external_ids import ExternalIdModel
from onboarding.choices import Entry, LegalText
from onboarding.models.applications import Application
from onboarding.models.owners import Owner

SIGNED_FROM = ~Q(address="")


class Consent(models.Model):
    """An agreement to one version of a legal text by the applicant, or by an owner for themselves.

    Rows are only ever added, so the owner is named by id: owners may be removed.
    """

    application = models.ForeignKey(Application, models.PROTECT, related_name="consents")
    ubo_id = models.UUIDField(
        "owner", null=True, blank=True, help_text="The owner who agreed; empty for the applicant."
    )
    text = models.CharField(max_length=30, choices=LegalText)
    version = models.CharField(max_length=20)
    language = models.CharField(max_length=10)
    signed_name = models.CharField(max_length=200, help_text="As the applicant typed it.")
    agreed_at = models.DateTimeField()
    entry = models.CharField("way in", max_length=8, choices=Entry, blank=True, db_default="")
    address = models.CharField("IP address", max_length=45, blank=True, db_default="")
    user_agent = models.CharField(max_length=255, blank=True, db_default="")
    code_entered_at = models.DateTimeField(
        null=True, blank=True, help_text="When the applicant entered a code mailed to them."
    )
    is_code_waived = models.BooleanField(
        db_default=False, help_text="No code was asked, by contract with the partner."
    )

    session_digest = models.CharField(
        "session",
        max_length=64,
        blank=True,
        db_default="",
        help_text="SHA-256 of the key of the session in which it was signed.",
    )
    answers_digest = models.CharField(
        "answers",
        max_length=64,
        blank=True,
        db_default="",
        help_text="SHA-256 of the signed answers; empty before they were hashed.",
    )
    answers_version = models.CharField(
        max_length=12,
        blank=True,
        db_default="",
        help_text="The form of the digest; only digests of one form can be compared.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                name="consent_once", fields=["application", "text"], condition=Q(ubo_id=None)
            ),
            check("consent_text_known", Q(text__in=LegalText.values)),
        ]
        indexes = [models.Index(name="consent_address", fields=["address"], condition=SIGNED_FROM)]

    def __str__(self) -> str:
        return f"{self.text} {self.version}"


class RecordModel(ExternalIdModel):
    """Answers in words, as they were shown to the person who signed them; never changed.

    `content` is made by `onboarding.services.leads.signed_records`. Personal numbers in it show
    their last four digits. `digest` is the SHA-256 of the content, which the event of the
    signature holds, too.
    """

    content = models.JSONField()
    digest = models.CharField(max_length=64)
    signed_at = models.DateTimeField()

    class Meta(ExternalIdModel.Meta):
        abstract = True


class SignedRecord(RecordModel):
    """An application as the applicant signed it."""

    application = models.OneToOneField(Application, models.PROTECT, related_name="signed_record")


class OwnerRecord(RecordModel):
    """An owner's own answers as the owner signed them; deleted when these answers are deleted."""

    application = models.ForeignKey(Application, models.PROTECT, related_name="owner_records")
    owner = models.ForeignKey(Owner, models.CASCADE, related_name="signed_records")

    class Meta(RecordModel.Meta):
        verbose_name = "signed part of an owner"
        verbose_name_plural = "signed parts of owners"
