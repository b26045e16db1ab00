"""Merchants: who sold something, and where."""

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from banking.models.addresses import PostalAddress

MCC = RegexValidator(r"^[0-9]{4}$")


class Merchant(models.Model):
    """Who sold something, under the name that people know."""

    name = models.CharField(max_length=120)
    mcc = models.CharField("MCC", max_length=4, blank=True, validators=[MCC])
    website = models.URLField(blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(name="merchant_unique", fields=["name", "mcc"]),
            models.CheckConstraint(
                name="merchant_mcc_has_four_digits",
                condition=Q(mcc="") | Q(mcc__regex=r"^[0-9]{4}$"),
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Location(PostalAddress):
    """Where something was bought."""

    key = models.CharField(max_length=32, unique=True)
    latitude = models.DecimalField(max_digits=9, decimal_places=6, null=True, blank=True)
    longitude = models.DecimalField(max_digits=9, decimal_places=6, null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="location_coordinates_on_earth",
                condition=Q(latitude=None, longitude=None)
                | Q(
                    latitude__isnull=False,
                    longitude__isnull=False,
                    latitude__gte=-90,
                    latitude__lte=90,
                    longitude__gte=-180,
                    longitude__lte=180,
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.key
