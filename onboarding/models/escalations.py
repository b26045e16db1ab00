"""Escalations: questions of staff about a case to a colleague or to the approvers."""

from django.db import models
from django.db.models import Q

from banking.models import User
from foundation.database.constraints import check, unique
from foundation.external_ids import ExternalIdModel
from onboarding.models.applications import Application

OPEN = Q(answered_at=None)


class Escalation(ExternalIdModel):
    """A question about a case, and its answer. `to` is empty if any approver may answer.

    The case stays assigned to its assignee.
    """

    application = models.ForeignKey(Application, models.PROTECT, related_name="escalations")
    to = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    question = models.TextField()
    asked_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()
    answer = models.TextField(blank=True)
    answered_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            unique("escalation_one_open", "application", condition=OPEN),
            check(
                "escalation_answered_by_iff_answered",
                Q(answered_by=None, answered_at=None)
                | Q(answered_by__isnull=False, answered_at__isnull=False),
            ),
        ]
        indexes = [models.Index(name="escalation_open", fields=["to"], condition=OPEN)]
