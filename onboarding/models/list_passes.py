"""List passes: comparisons of the names of all parties with the changed entries of a list."""

from django.db import models
from django.db.models import Q

from foundation.database.constraints import check
from onboarding.models.sanctions import SanctionsList


class ListPass(models.Model):
    """A comparison of all parties with the changed entries of a loaded list.

    Without a list, parties are compared with all entries of all lists, because the way of comparing
    names has changed; `comparison` is the version of that way. `source` and `last_id` say how far
    the pass has come: the table and the primary key.
    """

    sanctions_list = models.ForeignKey(SanctionsList, models.PROTECT, null=True, blank=True)
    comparison = models.PositiveIntegerField()
    source = models.CharField(max_length=12, blank=True)
    last_id = models.BigIntegerField(default=0)
    party_count = models.BigIntegerField("compared parties", default=0)
    found_count = models.BigIntegerField("similar parties", default=0)
    created_at = models.DateTimeField("created")
    finished_at = models.DateTimeField("finished", null=True, blank=True)

    class Meta:
        verbose_name_plural = "list passes"
        ordering = ["-pk"]
        indexes = [models.Index(name="listpass_open", fields=["id"], condition=Q(finished_at=None))]

    def __str__(self) -> str:
        return f"pass {self.pk}"


class RecordCursor(models.Model):
    """The key of the newest change of the bank's records whose names were compared. One row."""

    last_id = models.BigIntegerField()

    class Meta:
        constraints = [check("recordcursor_is_one_row", Q(pk=1))]

    def __str__(self) -> str:
        return f"cursor {self.last_id}"
