"""Reconciliations: comparisons of the ledger with files of the bank's core system."""

from django.db import models


class Reconciliation(models.Model):
    """The result of comparing the ledger with a file of the core system, by account and day.

    Balances and counts are compared. All differences are counted, the first ones kept as texts.
    """

    file_name = models.CharField(max_length=255)
    line_count = models.BigIntegerField()
    difference_count = models.BigIntegerField()
    differences = models.JSONField(default=list, help_text="The first differences, as texts.")
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"reconciliation {self.pk}"
