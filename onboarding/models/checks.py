"""Checks: what providers and staff found out about an application, run by run."""

from django.db import models
from django.db.models import Q
from uuid_utils.compat import uuid7

from banking.models import User
from onboarding.choices import CheckCode, CheckResult, CheckSource, RunCause
from onboarding.models.applications import Application


class CheckRun(models.Model):
    """One time that the providers looked at an application; a later run adds to it."""

    application = models.ForeignKey(Application, models.PROTECT, related_name="check_runs")
    number = models.PositiveIntegerField()
    cause = models.CharField(max_length=12, choices=RunCause)
    sanctions_list = models.CharField(
        max_length=64, blank=True, help_text="SHA-256 of the list that names were held against."
    )
    at = models.DateTimeField()

    class Meta:
        ordering = ["application", "-number"]
        constraints = [
            models.UniqueConstraint(
                name="checkrun_number_unique", fields=["application", "number"]
            ),
            models.CheckConstraint(
                name="checkrun_cause_known", condition=Q(cause__in=RunCause.values)
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.number} of {self.application}"


class Check(models.Model):
    """One thing that was checked; rows are only ever added.

    An item for staff begins as a warning; each tick is a row more, and the newest one holds.
    Without a `ubo_id` it is about the applicant or the business. `details` name what was found, for
    example the entries of the sanctions list; never a personal value of anybody else.
    """

    external_id = models.UUIDField(unique=True, default=uuid7, editable=False)
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
            models.CheckConstraint(name="check_code_known", condition=Q(code__in=CheckCode.values)),
            models.CheckConstraint(
                name="check_source_known", condition=Q(source__in=CheckSource.values)
            ),
            models.CheckConstraint(
                name="check_result_known", condition=Q(result__in=CheckResult.values)
            ),
        ]

    def __str__(self) -> str:
        return f"check {self.external_id}"
