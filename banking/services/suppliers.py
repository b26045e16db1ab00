"""Suppliers: add them, and say how they are paid."""

from datetime import datetime
from typing import Any

from django.db import transaction

from banking.choices import PaymentMethod
from banking.models import Business, Payee, Supplier


@transaction.atomic
def add_supplier(business: Business, *, name: str, at: datetime, **details: Any) -> Supplier:
    """Add a supplier; `details` are columns of its row. Raises: ValidationError."""
    supplier = Supplier(business=business, name=name, created_at=at, **details)
    supplier.full_clean()
    supplier.save()
    return supplier


@transaction.atomic
def set_payee(supplier: Supplier, method: PaymentMethod, **details: Any) -> Payee:
    """Set the payment details of a supplier for a method, replacing earlier details.

    Routing numbers, IBANs and SWIFT codes are checked. Raises: ValidationError.
    """
    locked = Supplier.objects.select_for_update(of=("self",)).get(pk=supplier.pk)
    locked.payees.filter(method=method).delete()
    payee = Payee(supplier=locked, method=method, **details)
    payee.full_clean()
    payee.save()
    return payee


def deactivate_payee(payee: Payee) -> None:
    """Pay by this method no more; its details are kept."""
    payee.is_active = False
    payee.save(update_fields=["is_active"])
