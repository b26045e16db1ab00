"""Transactions, as the business they belong to may read them."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet

from banking.models import Business, Category, Location, Transaction
from banking.queries.filters import TransactionFilter
from banking.reach import EVERYTHING, Reach

MAX_LOCATIONS = 10
ALL_ROWS = TransactionFilter()


class TooManyLocations(ValueError):
    """The caller asked for more than MAX_LOCATIONS locations at once."""


@dataclass(frozen=True)
class LocationsFound:
    """Locations in the order of the requested keys, and the keys with no readable transaction."""

    found: tuple[Location, ...]
    not_found: tuple[str, ...]


def get_transaction(
    business: Business, external_id: UUID, filters: TransactionFilter = ALL_ROWS
) -> Transaction:
    """Return a pending or posted transaction with its related rows, if it matches the filter.

    Raises: Transaction.DoesNotExist, also for a transaction of another business; ValueError for a
    filter with words.
    """
    return (
        filters.transactions(business)
        .select_related("account", "merchant", "category", "location", "card", "receipt")
        .get(external_id=external_id)
    )


def list_categories() -> QuerySet[Category]:
    """Return the categories, expenses first, by name."""
    return Category.objects.order_by("category_type", "display_name")


def list_locations(
    business: Business, keys: Sequence[str], reach: Reach = EVERYTHING
) -> LocationsFound:
    """Return the locations with these keys at which the business has transactions in reach.

    Raises: TooManyLocations for more than MAX_LOCATIONS different keys.
    """
    keys = list(dict.fromkeys(keys))
    if len(keys) > MAX_LOCATIONS:
        raise TooManyLocations(f"{len(keys)} locations are more than {MAX_LOCATIONS}")
    readable = TransactionFilter(reach=reach).transactions(business)
    theirs = readable.filter(location=OuterRef("pk"))
    found = {place.key: place for place in Location.objects.filter(Exists(theirs), key__in=keys)}
    return LocationsFound(
        found=tuple(found[key] for key in keys if key in found),
        not_found=tuple(key for key in keys if key not in found),
    )
