"""Form drafts: posted forms whose fields were not all saved."""

from datetime import datetime
from typing import Self

from django.db import models

from foundation.privacy.fields import EncryptedField
from onboarding.models.applications import Application


class FormDraftQuerySet(models.QuerySet["FormDraft"]):
    """Drafts of forms."""

    def live(self, *, at: datetime) -> Self:
        return self.filter(expires_at__gt=at)


class FormDraft(models.Model):
    """The unsaved fields of a posted form: one row for each page of an application.

    `content` is JSON, encrypted because a field may be a personal number. `page` is the name of the
    page, followed by the owner's id for the page of an owner, and by the session's id for a
    signature. `is_unsaved` is true if fields were typed and not posted, posted after the session
    had ended, or left by a button that does not finish the form.
    """

    application = models.ForeignKey(Application, models.CASCADE, related_name="form_drafts")
    page = models.CharField(max_length=60)
    content = EncryptedField(bound_to=["application", "page"])
    is_unsaved = models.BooleanField(default=False)
    expires_at = models.DateTimeField(db_index=True)

    objects = FormDraftQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(name="form_draft_one_a_page", fields=["application", "page"]),
        ]

    def __str__(self) -> str:
        return f"draft of {self.page} of {self.application_id}"
