"""Exports: what a file of transactions says about each."""

from typing import Any

from django.db.models import Case, CharField, F, QuerySet, When

from banking.models import Business, Transaction
from banking.queries.filters import TransactionFilter

COLUMNS = (
    "external_id",
    "occurred_at",
    "account__account_number",
    "transaction_type",
    "status",
    "amount_cents",
    "category__display_name",
    "merchant_label",
    "description",
    "is_business",
)


def list_exported(business: Business, filters: TransactionFilter) -> QuerySet[Transaction, Any]:
    """Return the wanted transactions as named tuples of COLUMNS, the newest first."""
    name = Case(
        When(merchant=None, then=F("merchant_raw_name")),
        default=F("merchant__name"),
        output_field=CharField(),
    )
    rows = filters.transactions(business).newest_first().annotate(merchant_label=name)
    return rows.values_list(*COLUMNS, named=True)
