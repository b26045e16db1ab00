"""Tools for suppliers, and the ways to pay them."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from banking.choices import PaymentMethod
from banking.queries import suppliers
from banking.queries.suppliers import SupplierSummary
from mcp_server.caller import Caller
from mcp_server.limits import EVERY_LIMIT
from mcp_server.registry import tool
from mcp_server.schema import (
    NAME,
    AddressOrNull,
    BusinessUserId,
    DateOf,
    ExternalId,
    NameStr,
    NameText,
    Result,
    Text,
)
from mcp_server.scopes import Scope

SupplierId = Annotated[
    ExternalId, Field(description="supplierExternalId from svc_list_suppliers or svc_get_bill.")
]


class SupplierItem(Result):
    """A supplier in a list."""

    supplier_external_id: UUID
    name: NameStr
    contact_name: NameText
    email: NameText
    phone: NameText
    address: Annotated[AddressOrNull, NAME]
    active_payment_methods: list[PaymentMethod]
    created_date: DateOf


class SupplierList(Result):
    """All suppliers of one business."""

    suppliers: list[SupplierItem]
    total_count: int


class BankPayee(Result):
    """The payment details of a supplier for ACH payments and domestic wires."""

    bank_name: NameText
    routing_number: str
    account_number_masked: str
    payee_name: NameStr
    is_active: bool


class ForeignPayee(Result):
    """The payment details of a supplier for international wires: an IBAN or an account number."""

    bank_name: NameText
    swift: str
    iban_masked: Text
    account_number_masked: Text
    bank_address_lines: Annotated[list[str], NAME] = Field(validation_alias="address_lines")
    payee_name: NameStr
    is_active: bool


class CheckPayee(Result):
    """The payment details of a supplier for checks."""

    payee_name: NameStr
    address_lines: Annotated[list[str], NAME]
    is_active: bool


class Supplier(SupplierItem):
    """A supplier with payment details. Account numbers are masked."""

    ach: BankPayee | None
    wire_domestic: BankPayee | None
    wire_international: ForeignPayee | None
    check: CheckPayee | None


@tool(Scope.BILLS, title="List suppliers", within=EVERY_LIMIT)
def svc_list_suppliers(caller: Caller, business_user_id: BusinessUserId = None) -> SupplierList:
    """List the suppliers with contact, address and active ways to pay them.

    For bank details, call `svc_get_supplier`.
    """
    found = suppliers.list_suppliers(caller.business(business_user_id))
    return SupplierList(
        suppliers=[SupplierItem.model_validate(_facts(summary)) for summary in found],
        total_count=len(found),
    )


@tool(Scope.BILLS, title="Get supplier", within=EVERY_LIMIT)
def svc_get_supplier(
    caller: Caller, supplier_external_id: SupplierId, business_user_id: BusinessUserId = None
) -> Supplier:
    """Get one supplier with its ACH, wire and check details; account numbers are masked.

    Take the id from `svc_list_suppliers` or `svc_get_bill`.
    """
    detail = suppliers.get_supplier(caller.business(business_user_id), supplier_external_id)
    payees = {method.lower(): detail.payee(method) for method in PaymentMethod}
    return Supplier.model_validate(_facts(detail) | payees)


def _facts(summary: SupplierSummary) -> dict[str, Any]:
    """Return the values that a supplier has both in lists and in full."""
    supplier = summary.supplier
    return {
        "supplier_external_id": supplier.external_id,
        "name": supplier.name,
        "contact_name": supplier.contact_name,
        "email": supplier.email,
        "phone": supplier.phone_number,
        "address": supplier,
        "active_payment_methods": summary.active_methods,
        "created_date": supplier.created_at,
    }
