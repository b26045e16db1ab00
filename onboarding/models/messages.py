"""Messages: answers of applicants to the bank's messages, and templates of messages."""

from django.core.exceptions import ValidationError
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
    """A text that staff choose by its name: a message to applicants, or a note for staff.

    A message is in English and Spanish, a note in English alone.
    """

    name = models.CharField(max_length=80, unique=True)
    text = models.TextField(max_length=2000, validators=[validate_placeholders])
    text_es = models.TextField(
        "Spanish text", max_length=2000, blank=True, validators=[validate_placeholders]
    )
    is_for_notes = models.BooleanField(
        "for notes of staff",
        default=False,
        db_default=False,
        help_text="Offered for notes and for reasons of decisions, and never sent.",
    )

    class Meta:
        ordering = ["name", "pk"]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        """Require the Spanish text of a message. Raises: ValidationError."""
        if not self.is_for_notes and not self.text_es:
            raise ValidationError({"text_es": "A message to applicants needs a Spanish text."})
