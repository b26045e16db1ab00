"""Tools for locations: the places where a business bought something."""

from typing import Annotated

from pydantic import Field

from banking.models import Location
from banking.queries import transactions
from mcp_server.caller import Caller
from mcp_server.errors import invalid
from mcp_server.limits import OF_RECORDS
from mcp_server.registry import tool
from mcp_server.schema import BusinessUserId, Result, Text
from mcp_server.scopes import Scope

LocationKeys = Annotated[
    str,
    Field(max_length=2000, description="locationKeys of a search, comma-separated, at most 10."),
]


class Place(Result):
    """The location of a purchase."""

    location_key: str
    street_address: Text
    city: Text
    state: Text
    postal_code: Text
    country: Text
    latitude: float | None
    longitude: float | None


class PlaceList(Result):
    """The requested locations, and the keys that belong to no location."""

    locations: list[Place]
    not_found: list[str]


@tool(Scope.TRANSACTIONS, title="Get transaction locations", within=OF_RECORDS)
def svc_get_transaction_locations(
    caller: Caller, location_keys: LocationKeys, business_user_id: BusinessUserId = None
) -> PlaceList:
    """Get the address and coordinates of places where the business bought something."""
    business = caller.business(business_user_id)
    keys = [key.strip() for key in location_keys.split(",") if key.strip()]
    if not keys:
        raise invalid("locationKeys", "must name a locationKey from svc_search_transactions")
    try:
        places = transactions.list_locations(business, keys, caller.reach)
    except transactions.TooManyLocations:
        raise invalid("locationKeys", "must be at most 10 keys; ask for the others next") from None
    return PlaceList(
        locations=[_place(location) for location in places.found],
        not_found=list(places.not_found),
    )


def _place(location: Location) -> Place:
    return Place(
        location_key=location.key,
        street_address=", ".join(filter(None, [location.line1, location.line2])),
        city=location.city,
        state=location.state,
        postal_code=location.postal_code,
        country=location.country,
        latitude=location.latitude,
        longitude=location.longitude,
    )
