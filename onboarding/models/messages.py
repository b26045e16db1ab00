"""Messages: answers of applicants to the bank's messages, and templates of messages."""

from django.db import models

from foundation.external_ids import ExternalIdModel
from onboarding.models.applications import Application
from onboarding.validators import validate_placeholders


class Reply(ExternalIdModel):
    """An applicant's answer to the messages of the bank about an application."""

    application = models.ForeignKey(Application, models.PROTECT, related_name="replies")
    text = models.TextField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "replies"


class MessageTemplate(models.Model):
    """A message to applicants that staff choose by its name, in English and Spanish."""

    name = models.CharField(max_length=80, unique=True)
    text = models.TextField(max_length=2000, validators=[validate_placeholders])
    text_es = models.TextField("Spanish text", max_length=2000, validators=[validate_placeholders])

    class Meta:
        ordering = ["name", "pk"]

    def __str__(self) -> str:
        return self.name
