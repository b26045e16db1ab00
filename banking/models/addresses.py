"""Postal addresses, wherever a record has one."""

from django.db import models


class PostalAddress(models.Model):
    """The columns of one postal address."""

    line1 = models.CharField(max_length=255, blank=True)
    line2 = models.CharField(max_length=255, blank=True)
    city = models.CharField(max_length=100, blank=True)
    state = models.CharField(max_length=100, blank=True)
    postal_code = models.CharField(max_length=16, blank=True)
    country = models.CharField(max_length=2, default="US")

    class Meta:
        abstract = True

    @property
    def lines(self) -> list[str]:
        """Return the address as it stands on an envelope, without empty lines.

        The country is left out if it is the US.
        """
        place = " ".join(filter(None, [self.state, self.postal_code]))
        lines = [self.line1, self.line2, ", ".join(filter(None, [self.city, place]))]
        return [line for line in [*lines, "" if self.country == "US" else self.country] if line]
