"""Suppliers of businesses, and how they are paid."""

from typing import Annotated

from pydantic import StringConstraints

from banking.choices import PaymentMethod
from banking.feed.plain import PlainKind
from banking.feed.registry import register
from banking.feed.schemas import BusinessId, Country, Data, Id, Reference, Text, Timestamp
from banking.models import Payee, Supplier

SupplierId = Annotated[Id, Reference("suppliers")]
Name = Annotated[str, StringConstraints(min_length=1, max_length=255)]


class SupplierData(Data):
    """A company or person who sends bills to a business."""

    business: BusinessId
    name: Name
    contact_name: Text = ""
    email: Annotated[str, StringConstraints(max_length=254)] = ""
    phone_number: Annotated[str, StringConstraints(max_length=16)] = ""
    line1: Text = ""
    line2: Text = ""
    city: Text = ""
    state: Text = ""
    postal_code: Text = ""
    country: Country = "US"
    created_at: Timestamp


class PayeeData(Data):
    """How a supplier is paid by one method, for example the account to which a wire goes.

    The address is that of the supplier's bank; for a check it is that of the payee.
    """

    supplier: SupplierId
    method: PaymentMethod
    is_active: bool = True
    payee_name: Name
    bank_name: Text = ""
    routing_number: Text = ""
    account_number: Text = ""
    iban: Text = ""
    swift: Text = ""
    line1: Text = ""
    line2: Text = ""
    city: Text = ""
    state: Text = ""
    postal_code: Text = ""
    country: Country = "US"


register(
    PlainKind(
        "suppliers",
        SupplierData,
        Supplier,
        shows=["svc_list_suppliers", "svc_get_supplier"],
        fixed=["business"],
    )
)
register(
    PlainKind(
        "payees",
        PayeeData,
        Payee,
        shows=["svc_get_supplier", "svc_get_bill_payment_methods"],
        fixed=["supplier", "method"],
        identity=["supplier_id", "method"],
    )
)
