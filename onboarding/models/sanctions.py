"""Sanctions: the list of people and businesses that the bank must not serve.

Source: OFAC's Specially Designated Nationals list, in its CSV formats.
"""

from django.db import models
from django.db.models import Q


class SanctionsList(models.Model):
    """A loaded list. Only the newest list keeps its entries; older lists keep their counts."""

    sha256 = models.CharField("SHA-256", max_length=64, help_text="Of the files, in their order.")
    is_current = models.BooleanField(default=True)
    entry_count = models.PositiveIntegerField()
    name_count = models.PositiveIntegerField()
    loaded_at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                name="sanctionslist_one_current",
                fields=["is_current"],
                condition=Q(is_current=True),
            )
        ]

    def __str__(self) -> str:
        return f"list of {self.loaded_at:%Y-%m-%d}"


class SanctionsEntry(models.Model):
    """A person, business or craft on the list. `number` is the list's own number (ent_num)."""

    sanctions_list = models.ForeignKey(SanctionsList, models.CASCADE, related_name="entries")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=350)
    kind = models.CharField(max_length=12, blank=True, help_text="individual, vessel, aircraft.")
    programs = models.CharField(max_length=200, blank=True)
    title = models.CharField(max_length=200, blank=True)
    remarks = models.TextField(blank=True)
    addresses = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["number"]
        verbose_name_plural = "sanctions entries"
        constraints = [
            models.UniqueConstraint(
                name="sanctionsentry_number_unique", fields=["sanctions_list", "number"]
            )
        ]

    def __str__(self) -> str:
        return f"entry {self.number}"


class SanctionsName(models.Model):
    """A name of an entry; `normal` is its normalized form, used to search and to drop doubles."""

    entry = models.ForeignKey(SanctionsEntry, models.CASCADE, related_name="names")
    name = models.CharField(max_length=350)
    normal = models.CharField(max_length=350)
    is_alias = models.BooleanField(default=False)
    is_weak = models.BooleanField(default=False, help_text="An alias that says little by itself.")

    def __str__(self) -> str:
        return f"name of {self.entry_id}"
