"""Receipts of purchases, as sellers issued them."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Q

from banking.models import Business, Receipt
from banking.queries.filters import TransactionFilter
from banking.reach import EVERYTHING, Reach
from foundation.external_ids import parse


def get_receipt(
    business: Business, transaction_id: str | UUID, reach: Reach = EVERYTHING
) -> Receipt:
    """Return the receipt of a transaction by its external id. Raises: Receipt.DoesNotExist."""
    found = Receipt.objects.select_related(
        "transaction__merchant",
        "transaction__location",
        "transaction__card",
        "transaction__category",
        "transaction__business",
        "file",
    ).prefetch_related("lines")
    if not reach.has_all_rows:
        readable = TransactionFilter(reach=reach).transactions(business)
        found = found.filter(transaction__in=readable.values("pk"))
    return found.get(transaction__business=business, transaction__external_id=parse(transaction_id))


def find_with_receipts(business: Business, transaction_ids: Collection[UUID]) -> set[UUID]:
    """Return the ids of the given transactions that have a receipt that may be opened.

    A receipt that came as a file may be opened once the file was scanned and is no malware.
    """
    is_openable = Q(file=None) | Q(file__awaits_scan_since=None, file__malware="")
    found = Receipt.objects.filter(
        is_openable, transaction__business=business, transaction__external_id__in=transaction_ids
    )
    return set(found.values_list("transaction__external_id", flat=True))
