"""Merchants of imported and sent lines: each pair of name and category code (MCC) is one row."""

from collections.abc import Collection

from django.db import connection, transaction

from banking.models import Merchant

Key = tuple[str, str]  # name and MCC


@transaction.atomic
def keep_merchants(keys: Collection[Key]) -> dict[Key, Merchant]:
    """Return the merchants with these names and codes, by name and code; new ones are added.

    The result may have other codes of the same names, too.
    """
    found = _find(keys)
    if missing := set(keys) - found.keys():
        _lock()
        added = [Merchant(name=name, mcc=mcc) for name, mcc in sorted(missing)]
        Merchant.objects.bulk_create(added, ignore_conflicts=True)
        found = _find(keys)
    return found


def _find(keys: Collection[Key]) -> dict[Key, Merchant]:
    named = Merchant.objects.filter(name__in={name for name, _ in keys})
    return {(merchant.name, merchant.mcc): merchant for merchant in named}


def _lock() -> None:
    """Lock the table on PostgreSQL: two writers that add merchants at once could deadlock."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("LOCK TABLE banking_merchant IN SHARE ROW EXCLUSIVE MODE")
