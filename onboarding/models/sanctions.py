"""Lists: people and businesses under sanctions, and politically exposed persons."""

from django.db import models
from django.db.models import Q

from foundation.database.constraints import check
from onboarding.choices import ListCode


class SanctionsList(models.Model):
    """A loaded version of a list, with counts of its entries. One version of each code is current.

    `confirmed_at` is when the same files were last loaded, which adds no row.
    """

    code = models.CharField("list", max_length=4, choices=ListCode, default=ListCode.SDN)
    published_on = models.DateField("published", null=True, blank=True)
    sha256 = models.CharField("SHA-256", max_length=64, help_text="Of the files, in their order.")
    is_current = models.BooleanField(default=True)
    entry_count = models.PositiveIntegerField()
    name_count = models.PositiveIntegerField()
    added_count = models.PositiveIntegerField("added", null=True, blank=True)
    changed_count = models.PositiveIntegerField("changed", null=True, blank=True)
    removed_count = models.PositiveIntegerField("removed", null=True, blank=True)
    loaded_at = models.DateTimeField("loaded")
    confirmed_at = models.DateTimeField("last loaded or confirmed", null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(
                name="sanctionslist_one_current",
                fields=["code"],
                condition=Q(is_current=True),
            ),
            check("sanctionslist_code_known", Q(code__in=ListCode.values)),
        ]

    def __str__(self) -> str:
        return f"{ListCode(self.code).label} of {self.loaded_at:%Y-%m-%d}"


class SanctionsEntry(models.Model):
    """A person, business, ship or aircraft on a list. `number` is the list's own, such as ent_num.

    `sanctions_list` is the loaded list that brought the entry as it is now; later lists without a
    change of the entry keep it. `facts` is `EntryFacts` as JSON; `digest` is a hash of all that the
    list says of the entry.
    """

    sanctions_list = models.ForeignKey(SanctionsList, models.CASCADE, related_name="entries")
    number = models.PositiveIntegerField()
    name = models.CharField(max_length=350)
    kind = models.CharField(max_length=12, blank=True, help_text="individual, vessel, aircraft.")
    programs = models.CharField(max_length=200, blank=True)
    title = models.CharField(max_length=200, blank=True)
    remarks = models.TextField(blank=True)
    addresses = models.JSONField(default=list, blank=True)
    facts = models.JSONField(default=dict, blank=True)
    digest = models.CharField(max_length=64, blank=True, editable=False)

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
    """A name of an entry; `normal` is its normalized form, for searches and to drop duplicates."""

    entry = models.ForeignKey(SanctionsEntry, models.CASCADE, related_name="names")
    name = models.CharField(max_length=350)
    normal = models.CharField(max_length=350)
    is_alias = models.BooleanField(default=False)
    is_weak = models.BooleanField(default=False, help_text="An alias that says little by itself.")

    def __str__(self) -> str:
        return f"name of {self.entry_id}"
