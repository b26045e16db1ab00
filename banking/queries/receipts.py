"""Receipts of purchases, as sellers issued them."""

from uuid import UUID

from banking.models import Business, Receipt
from foundation.external_ids import parse


def get_receipt(business: Business, transaction_id: str | UUID) -> Receipt:
    """Return the receipt of a transaction by its external id. Raises: Receipt.DoesNotExist."""
    found = Receipt.objects.select_related(
        "transaction__merchant",
        "transaction__location",
        "transaction__card",
        "transaction__category",
        "transaction__business",
        "file",
    ).prefetch_related("lines")
    return found.get(transaction__business=business, transaction__external_id=parse(transaction_id))
