"""Merchants and the locations of purchases."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field, StringConstraints

from banking.feed.plain import PlainKind
from banking.feed.registry import register
from banking.feed.schemas import Country, Data, Text
from banking.models import Location, Merchant

Degrees = Annotated[Decimal, Field(max_digits=9, decimal_places=6)]


class MerchantData(Data):
    """A merchant, by its common name, and its merchant category code (MCC)."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=120)]
    mcc: Annotated[str, StringConstraints(pattern=r"^[0-9]{4}$|^$")] = Field(
        default="", description="Merchant category code."
    )
    website: Text = ""


class LocationData(Data):
    """The address and the coordinates of a place where purchases are made."""

    key: Annotated[str, StringConstraints(min_length=1, max_length=32)] = Field(
        description="The `locationKey` of the tools."
    )
    line1: Text = ""
    line2: Text = ""
    city: Text = ""
    state: Text = ""
    postal_code: Text = ""
    country: Country = "US"
    latitude: Annotated[Degrees, Field(ge=-90, le=90)] | None = None
    longitude: Annotated[Degrees, Field(ge=-180, le=180)] | None = None


register(
    PlainKind(
        "merchants",
        MerchantData,
        Merchant,
        shows=["svc_get_transaction"],
        identity=["name", "mcc"],
    )
)
register(
    PlainKind(
        "locations",
        LocationData,
        Location,
        shows=["svc_get_transaction_locations"],
        identity=["key"],
    )
)
