"""Suppliers that a business pays, and their payment details; account numbers are masked."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Prefetch

from banking.choices import PaymentMethod
from banking.models import Business, Payee, Supplier
from foundation import external_ids


@dataclass(frozen=True)
class SupplierSummary:
    """A supplier and the methods by which it can be paid."""

    supplier: Supplier
    active_methods: list[PaymentMethod]


@dataclass(frozen=True)
class PayeeDetails:
    """The payment details of a supplier for a method, with masked account numbers.

    Details that the method does not use are "". The address is that of the bank, but for checks
    that of the payee.
    """

    method: PaymentMethod
    is_active: bool
    payee_name: str
    bank_name: str
    routing_number: str
    account_number_masked: str
    iban_masked: str
    swift: str
    address_lines: list[str]


@dataclass(frozen=True)
class SupplierDetail(SupplierSummary):
    """A supplier with the details of each method, inactive ones too."""

    payees: list[PayeeDetails]

    def payee(self, method: PaymentMethod) -> PayeeDetails | None:
        """Return the details of one method, if there are any."""
        return next((payee for payee in self.payees if payee.method == method), None)


def list_suppliers(business: Business) -> list[SupplierSummary]:
    """Return the suppliers of a business by name, in two statements that decrypt no number."""
    methods = Payee.objects.only("supplier", "method", "is_active")
    found = Supplier.objects.filter(business=business).order_by("name", "pk")
    return [
        SupplierSummary(supplier, _active(supplier.payees.all()))
        for supplier in found.prefetch_related(Prefetch("payees", methods))
    ]


def get_supplier(business: Business, external_id: str | UUID) -> SupplierDetail:
    """Return a supplier with its payees, in two statements. Raises: Supplier.DoesNotExist."""
    found = Supplier.objects.filter(business=business)
    supplier = found.get(external_id=external_ids.parse(external_id))
    payees = list(supplier.payees.order_by("method"))
    return SupplierDetail(supplier, _active(payees), [_details(payee) for payee in payees])


def _active(payees: Iterable[Payee]) -> list[PaymentMethod]:
    """Return the methods with active details, in the order of PaymentMethod."""
    active = {payee.method for payee in payees if payee.is_active}
    return [method for method in PaymentMethod if method in active]


def _details(payee: Payee) -> PayeeDetails:
    return PayeeDetails(
        method=PaymentMethod(payee.method),
        is_active=payee.is_active,
        payee_name=payee.payee_name,
        bank_name=payee.bank_name,
        routing_number=payee.routing_number,
        account_number_masked=payee.account_number_masked,
        iban_masked=payee.iban_masked,
        swift=payee.swift,
        address_lines=payee.lines,
    )
