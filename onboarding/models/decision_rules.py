"""Decision rules: the policy of who may decide about an application, and on what evidence."""

from django.db import models
from django.db.models import Q

from foundation.database.constraints import check
from foundation.external_ids import ExternalIdModel
from onboarding.choices import Decider, ScreeningState
from onboarding.models.partners import Partner

PEOPLE = [(1, "One person"), (2, "Two people")]


class DecisionRule(models.Model):
    """A row of the decision policy: the conditions under which it applies, and what it demands.

    The rule with the lowest number whose conditions all hold applies. An empty condition holds
    always. Two administrators change the rules; each change adds a `PolicyVersion`, from which
    decisions read them. Demands of documents and checks count for approvals only.
    """

    number = models.PositiveSmallIntegerField(
        help_text="Rules are tried from the lowest number on; the first one applies."
    )
    decisions = models.JSONField(default=list, blank=True)
    risks = models.JSONField(default=list, blank=True)
    business_types = models.JSONField(default=list, blank=True)
    screening = models.CharField("screening hits", max_length=7, choices=ScreeningState, blank=True)
    lists = models.JSONField(
        "hits of these lists",
        default=list,
        blank=True,
        help_text="Codes of sanctions lists, for example SDN. A cleared hit counts, too.",
    )
    has_failed_check = models.BooleanField("a check failed", null=True, blank=True)
    partner = models.ForeignKey(
        Partner, models.PROTECT, null=True, blank=True, related_name="decision_rules"
    )
    decider = models.CharField(
        "who decides or proposes", max_length=8, choices=Decider, default=Decider.REVIEWER
    )
    people = models.PositiveSmallIntegerField(choices=PEOPLE, default=2)
    needs_accepted_documents = models.BooleanField(
        "required documents are accepted",
        default=True,
        help_text="Somebody accepted each document that the checklist requires.",
    )
    document_kinds = models.JSONField(
        "further documents",
        default=list,
        blank=True,
        help_text="Somebody accepted a document of each of these kinds.",
    )
    check_codes = models.JSONField(
        "checks with a document",
        default=list,
        blank=True,
        help_text="Each of these checks of staff names a document; a note is not enough.",
    )
    shortest_reason = models.PositiveSmallIntegerField(
        "letters of the reason", default=0, help_text="That the reason for staff has at least."
    )
    sampled_percent = models.PositiveSmallIntegerField(
        "quality checks, percent",
        default=0,
        help_text="Of the approvals by one person, that a colleague judges a second time.",
    )
    reason = models.CharField(max_length=200, help_text="Why, as staff read it in the case.")

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(name="decisionrule_number_unique", fields=["number"]),
            check("decisionrule_people_one_or_two", Q(people__in=[1, 2])),
            check("decisionrule_percent_up_to_100", Q(sampled_percent__lte=100)),
            check("decisionrule_decider_known", Q(decider__in=Decider.values)),
            check("decisionrule_screening_known", Q(screening__in=["", *ScreeningState.values])),
        ]

    def __str__(self) -> str:
        return f"rule {self.number}"


class PolicyVersion(ExternalIdModel):
    """The decision policy as it was from `at` on: all its rules. Rows are only ever added.

    `rules` are objects with the columns of `DecisionRule`; `change_id` is the confirmed change that
    made the version, null for the policy of the release. `digest` is a hash of number and rules.
    """

    number = models.PositiveIntegerField(unique=True)
    rules = models.JSONField()
    digest = models.CharField(max_length=64)
    change_id = models.UUIDField(null=True, blank=True)
    at = models.DateTimeField("in force since")

    class Meta:
        ordering = ["-number"]

    def __str__(self) -> str:
        return f"policy version {self.number}"
