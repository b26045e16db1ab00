"""Tools for invoices, and the templates for their lines."""

from datetime import date
from typing import Annotated
from uuid import UUID

from django.utils import timezone
from pydantic import Field

from banking.choices import (
    DiscountType,
    InvoiceDate,
    InvoiceFilter,
    InvoiceStatus,
)
from banking.queries import invoices
from mcp_server.caller import Caller
from mcp_server.limits import EVERY_LIMIT, OF_BUSINESS
from mcp_server.registry import tool
from mcp_server.schema import (
    CustomerExternalId,
    EndDate,
    ExternalId,
    NameStr,
    NameText,
    Page,
    PageSize,
    Result,
    StartDate,
    Text,
)
from mcp_server.scopes import Scope
from mcp_server.validation import require_order

CUSTOMER = "customerExternalId"
InvoiceId = Annotated[ExternalId, Field(description="externalId from svc_list_invoices.")]


class LineItem(Result):
    """A line of an invoice."""

    name: NameStr
    quantity: float
    unit_price_cents: int
    unit_price_usd: str = ""


class InvoiceItem(Result):
    """An invoice in a list."""

    external_id: UUID
    invoice_number: str = Field(validation_alias="number")
    status: InvoiceStatus
    amount_cents: int = Field(validation_alias="total_cents")
    amount_usd: str = ""
    due_date: date
    recipient_name: NameStr
    recipient_email: NameStr
    issue_date: date
    paid_date: date | None
    paid_cents: int
    paid_usd: str = ""
    line_items: list[LineItem]


class InvoiceList(Result):
    """One page of invoices."""

    invoices: list[InvoiceItem] = Field(validation_alias="items")
    page: int
    page_size: int
    total_count: int
    total_pages: int


class Recipient(Result):
    """The recipient of an invoice."""

    name: NameStr = Field(validation_alias="recipient_name")
    email: NameStr = Field(validation_alias="recipient_email")


class PaymentTerms(Result):
    """The due date of an invoice, and whether it can be paid by ACH."""

    due_date: date
    ach_payment_allowed: bool


class Discount(Result):
    """A discount on the subtotal."""

    name: NameStr
    type: DiscountType = Field(validation_alias="discount_type")
    value: float = Field(description="Percent, or dollars if type is AMOUNT.")
    amount_cents: int
    amount_usd: str = ""


class SalesTax(Result):
    """The sales tax on the subtotal less the discounts."""

    rate_pct: float = Field(validation_alias="sales_tax_percent")
    amount_cents: int = Field(validation_alias="sales_tax_cents")
    amount_usd: str = ""


class Invoice(Result):
    """An invoice with all its details."""

    external_id: UUID
    invoice_number: str = Field(validation_alias="number")
    status: InvoiceStatus
    recipient: Recipient
    description: NameText
    total_amount_cents: int = Field(validation_alias="total_cents")
    total_amount_usd: str = ""
    line_items: list[LineItem]
    payment_terms: PaymentTerms
    pay_url: NameText
    subtotal_cents: int
    subtotal_usd: str = ""
    discounts: list[Discount]
    sales_tax: SalesTax
    paid_cents: int
    paid_usd: str = ""
    issue_date: date
    paid_date: date | None


class ServiceItem(Result):
    """A template for an invoice line."""

    external_id: UUID
    name: str
    description: Text
    unit_price_cents: int
    unit_price_usd: str = ""


class ServiceItemList(Result):
    """All templates of one business."""

    service_items: list[ServiceItem]


@tool(Scope.INVOICES, title="List invoices", within=OF_BUSINESS)
def svc_list_invoices(
    caller: Caller,
    customer_external_id: CustomerExternalId,
    status: Annotated[
        InvoiceFilter, Field(description="UNPAID is SENT and OVERDUE; SENT is not yet due.")
    ] = InvoiceFilter.ALL,
    page: Page = 0,
    size: PageSize = 50,
    start_date: StartDate | None = None,
    end_date: EndDate | None = None,
    date_type: Annotated[
        InvoiceDate, Field(description="The date that startDate and endDate are about.")
    ] = InvoiceDate.ISSUE_DATE,
) -> InvoiceList:
    """List the invoices that the business sent or drafted, newest first.

    For discounts, tax and the link to pay, call `svc_get_invoice`. What the business has to
    pay itself is in `svc_list_bills`.
    """
    business = caller.business(customer_external_id, parameter=CUSTOMER)
    require_order(start_date, end_date)
    today = timezone.now().date()
    found = invoices.list_invoices(
        business,
        caller.reach,
        on=today,
        status=status,
        first=start_date,
        last=end_date,
        date_type=date_type,
        page=page,
        page_size=size,
    )
    lines = invoices.list_invoice_lines(found.items)
    items = [
        vars(invoice) | {"status": invoice.status_on(today), "line_items": lines[invoice.pk]}
        for invoice in found.items
    ]
    return InvoiceList.model_validate(found.of(items))


@tool(Scope.INVOICES, title="Get invoice", within=OF_BUSINESS)
def svc_get_invoice(
    caller: Caller, customer_external_id: CustomerExternalId, invoice_external_id: InvoiceId
) -> Invoice:
    """Get one invoice with its lines, discounts, sales tax, payments and link to pay.

    Take the id from `svc_list_invoices`.
    """
    business = caller.business(customer_external_id, parameter=CUSTOMER)
    detail = invoices.get_invoice(business, invoice_external_id, caller.reach)
    invoice = detail.invoice
    parts = {
        "status": invoice.status_on(timezone.now().date()),
        "recipient": invoice,
        "line_items": detail.lines,
        "payment_terms": invoice,
        "discounts": detail.discounts,
        "sales_tax": invoice,
    }
    return Invoice.model_validate(vars(invoice) | parts)


@tool(Scope.INVOICES, title="List invoice service items", within=EVERY_LIMIT)
def svc_list_invoice_service_items(
    caller: Caller, customer_external_id: CustomerExternalId
) -> ServiceItemList:
    """List the saved templates for lines of invoices, with their default prices.

    For the lines of an invoice, call `svc_get_invoice`.
    """
    business = caller.business(customer_external_id, parameter=CUSTOMER)
    return ServiceItemList(service_items=list(invoices.list_service_items(business)))
