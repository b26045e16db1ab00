"""Checks: results of automatic checks and of staff about an application, grouped into runs."""

from django.db import models
from django.db.models import Q

from banking.models import User
from foundation.database.constraints import check
from foundation.external_ids import ExternalIdModel
from onboarding.choices import CheckCode, CheckResult, CheckSource, RunCause
from onboarding.models.applications import Application


class CheckRun(models.Model):
    """One run of all configured checks of an application; later runs add rows and change none."""

    application = models.ForeignKey(Application, models.PROTECT, related_name="check_runs")
    number = models.PositiveIntegerField()
    cause = models.CharField(max_length=12, choices=RunCause)
    sanctions_list = models.CharField(
        max_length=64,
        blank=True,
        help_text="SHA-256 of the sanctions list and of how names were compared with it.",
    )
    at = models.DateTimeField()

    class Meta:
        ordering = ["application", "-number"]
        constraints = [
            models.UniqueConstraint(
                name="checkrun_number_unique", fields=["application", "number"]
            ),
            check("checkrun_cause_known", Q(cause__in=RunCause.values)),
        ]

    def __str__(self) -> str:
        return f"run {self.number} of {self.application}"


class Check(ExternalIdModel):
    """The result of one check. Rows are only ever added.

    An item that staff must confirm begins as a warning; each confirmation adds a row, and the
    newest row counts. A row without `ubo_id` is about the applicant or the business. `details` name
    the findings, for example entries of the sanctions list; never personal values of other people.
    """

    run = models.ForeignKey(CheckRun, models.PROTECT, related_name="checks")
    code = models.CharField("check", max_length=24, choices=CheckCode)
    source = models.CharField(max_length=8, choices=CheckSource)
    result = models.CharField(max_length=4, choices=CheckResult)
    ubo_id = models.UUIDField("UBO id", null=True, blank=True)
    note = models.CharField(max_length=500, blank=True)
    details = models.JSONField(default=dict, blank=True)
    by = models.ForeignKey(User, models.PROTECT, null=True, blank=True, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["run", "pk"]
        constraints = [
            check("check_code_known", Q(code__in=CheckCode.values)),
            check("check_source_known", Q(source__in=CheckSource.values)),
            check("check_result_known", Q(result__in=CheckResult.values)),
        ]
