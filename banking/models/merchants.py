"""Merchants: who sold something, and where."""

from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from banking.models.addresses import PostalAddress
from foundation.database.constraints import check, unique

MCC = RegexValidator(r"^[0-9]{4}$")


class Merchant(models.Model):
    """A merchant under the name that people know."""

    name = models.CharField(max_length=120)
    mcc = models.CharField("MCC", max_length=4, blank=True, validators=[MCC])
    website = models.URLField(blank=True)

    class Meta:
        constraints = [
            unique("merchant_unique", "name", "mcc"),
            check("merchant_mcc_has_four_digits", Q(mcc="") | Q(mcc__regex=r"^[0-9]{4}$")),
        ]

    def __str__(self) -> str:
        return self.name


class Location(PostalAddress):
    """The address and coordinates at which a merchant sells, under a unique `key`."""

    key = models.CharField(max_length=32, unique=True)
    latitude = models.DecimalField(max_digits=9, decimal_places=6, null=True, blank=True)
    longitude = models.DecimalField(max_digits=9, decimal_places=6, null=True, blank=True)

    class Meta:
        constraints = [
            check(
                "location_coordinates_on_earth",
                Q(latitude=None, longitude=None)
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
