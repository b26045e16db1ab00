"""Leases: periodic work that one worker at a time may do."""

from django.db import models


class Lease(models.Model):
    """The right to do a kind of periodic work until `expires_at`, which identifies the holder."""

    name = models.CharField(max_length=50, primary_key=True)
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"lease of {self.name}"
