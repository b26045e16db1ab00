"""Rate windows: how often a subject did something in its current stretch of time."""

from django.db import models


class RateWindow(models.Model):
    """One counter; the next event after `expires_at` starts it anew.

    A subject says what is counted and of whom: `calls:<access key>`, `creates:…`.
    """

    subject = models.CharField(max_length=120, primary_key=True)
    count = models.PositiveIntegerField()
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.count} by {self.subject}"
