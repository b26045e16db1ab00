"""Firms of accountants."""

from django.db import models
from django.db.models import Q

from foundation.database.constraints import unique


class Firm(models.Model):
    """A firm of accountants. A client gives access to the firm, and all its people may read.

    A person is of one firm at a time. A firm without an active manager is managed by everybody.
    """

    name = models.CharField(max_length=255)
    core_id = models.CharField(
        max_length=100, blank=True, help_text="The id by which the record feed names it."
    )

    class Meta:
        constraints = [unique("firm_core_id_unique", "core_id", condition=~Q(core_id=""))]

    def __str__(self) -> str:
        return f"firm {self.pk}"

    def has_manager(self, *, without: int | None = None) -> bool:
        """Return whether the firm has an active manager other than the accountant `without`."""
        managers = self.people.filter(is_manager=True, user__is_active=True)
        return managers.exclude(pk=without or 0).exists()
