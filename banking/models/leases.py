"""Leases: periodic work that one worker at a time may do."""

from django.db import models


class Lease(models.Model):
    """The right of one worker to do the periodic work `name` until `expires_at`.

    A worker recognizes its own lease by the `expires_at` that it wrote.
    """

    name = models.CharField(max_length=50, primary_key=True)
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"lease of {self.name}"
