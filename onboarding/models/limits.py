"""Rate windows: how often a subject did something in its current minute."""

from django.db import models


class RateWindow(models.Model):
    """One counter; the next event after `expires_at` starts it anew.

    A subject reads `calls:<access key>`, `creates:…`, `failures:<address or key>`.
    """

    subject = models.CharField(max_length=120, primary_key=True)
    count = models.PositiveIntegerField()
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.count} by {self.subject}"
