"""Quality checks: approvals by one person that a colleague judges a second time."""

from django.db import models
from django.db.models import F, Q

from banking.models import User
from foundation.database.constraints import check
from foundation.external_ids import ExternalIdModel
from onboarding.choices import QualityVerdict
from onboarding.models.applications import Application
from onboarding.models.events import Event


class QualityCheck(ExternalIdModel):
    """An approval by one person that was chosen to be judged a second time.

    `event` is the approval. `verdict` is empty until a colleague of `decided_by` has judged the
    case without knowing who decided, and how. `readers` are users who opened the case before the
    verdict, and saw the decision: they cannot judge the case.
    """

    application = models.ForeignKey(Application, models.PROTECT, related_name="quality_checks")
    event = models.OneToOneField(Event, models.PROTECT, related_name="quality_check")
    decided_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    decided_at = models.DateTimeField()
    verdict = models.CharField(max_length=5, choices=QualityVerdict, blank=True)
    reason = models.TextField(blank=True)
    judged_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    judged_at = models.DateTimeField(null=True, blank=True)
    readers = models.ManyToManyField(User, related_name="+", blank=True)

    class Meta:
        ordering = ["-pk"]
        permissions = [("judge_qualitycheck", "Can judge approvals of colleagues a second time")]
        constraints = [
            check("qualitycheck_verdict_known", Q(verdict__in=["", *QualityVerdict.values])),
            check(
                "qualitycheck_judged_iff_verdict",
                Q(verdict="", judged_by=None, judged_at=None)
                | ~Q(verdict="") & Q(judged_by__isnull=False, judged_at__isnull=False),
            ),
            check("qualitycheck_never_judged_by_its_decider", ~Q(judged_by=F("decided_by"))),
        ]
        indexes = [
            models.Index(name="qualitycheck_open", fields=["decided_at"], condition=Q(verdict="")),
            models.Index(
                name="qualitycheck_judged", fields=["judged_at"], condition=~Q(verdict="")
            ),
        ]

    def __str__(self) -> str:
        return f"quality check {self.pk}"
