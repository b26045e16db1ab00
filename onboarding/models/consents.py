"""Consents: what an applicant agreed to and certified."""

from django.db import models
from django.db.models import Q

from onboarding.choices import LegalText
from onboarding.models.applications import Application


class Consent(models.Model):
    """An applicant's agreement to one version of a legal text; rows are only ever added."""

    application = models.ForeignKey(Application, models.PROTECT, related_name="consents")
    text = models.CharField(max_length=30, choices=LegalText)
    version = models.CharField(max_length=20)
    language = models.CharField(max_length=2)
    signed_name = models.CharField(max_length=200, help_text="As the applicant typed it.")
    agreed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(name="consent_once", fields=["application", "text"]),
            models.CheckConstraint(
                name="consent_text_known", condition=Q(text__in=LegalText.values)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.text} {self.version}"
