"""Reviews: proposals, notes and saved searches of staff."""

from django.db import models
from django.db.models import F, Q

from banking.models import User
from foundation.database.constraints import check
from foundation.external_ids import ExternalIdModel
from onboarding.choices import ProposalKind, ProposalStatus
from onboarding.models.applications import Application


class Proposal(ExternalIdModel):
    """A decision that one reviewer proposes and a second reviewer confirms.

    `evidence_digest` is a hash of all data that the decision is based on, and `rule` has the number
    of the rule of the decision policy, its version and the digest of its demands: a change of
    either digest voids the proposal. `reason_codes` are of `DenialReason`; `applicant_text` is
    shown to the applicant.
    """

    application = models.ForeignKey(Application, models.PROTECT, related_name="proposals")
    kind = models.CharField(max_length=19, choices=ProposalKind)
    status = models.CharField(max_length=9, choices=ProposalStatus, default=ProposalStatus.OPEN)
    reason_codes = models.JSONField(default=list, blank=True)
    internal_text = models.TextField("reason", help_text="For staff and auditors only.")
    applicant_text = models.TextField("what the applicant is told", blank=True)
    expiration_date = models.DateField(null=True, blank=True)
    evidence_digest = models.CharField(max_length=64)
    rule = models.JSONField(
        default=dict, db_default=models.Value({}, models.JSONField()), blank=True
    )
    proposed_by = models.ForeignKey(User, models.PROTECT, related_name="+")
    proposed_at = models.DateTimeField()
    settled_by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_note = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                name="proposal_one_open",
                fields=["application"],
                condition=Q(status=ProposalStatus.OPEN.value),
            ),
            check("proposal_kind_known", Q(kind__in=ProposalKind.values)),
            check("proposal_status_known", Q(status__in=ProposalStatus.values)),
            check(
                "proposal_settled_at_iff_not_open",
                Q(status=ProposalStatus.OPEN.value) ^ Q(settled_at__isnull=False),
            ),
            check(
                "proposal_never_confirmed_by_its_proposer",
                ~Q(status=ProposalStatus.CONFIRMED.value, settled_by=F("proposed_by")),
            ),
        ]


class Note(ExternalIdModel):
    """A note of staff about a case, internal or addressed to the applicant."""

    application = models.ForeignKey(Application, models.PROTECT, related_name="notes")
    is_for_applicant = models.BooleanField(default=False)
    text = models.TextField()
    by = models.ForeignKey(User, models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]


class SavedQueue(models.Model):
    """A search of the review queue that a user saved under a name; `query` is its query string.

    A shared search is offered to all staff who see the queue. Its user alone can delete it.
    """

    user = models.ForeignKey(User, models.CASCADE, related_name="saved_queues")
    name = models.CharField(max_length=60)
    query = models.CharField(max_length=1000)
    is_shared = models.BooleanField("shared", default=False, db_default=False)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(name="savedqueue_name_unique", fields=["user", "name"])
        ]

    def __str__(self) -> str:
        return f"saved queue {self.pk}"
