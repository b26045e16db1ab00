"""Tools for bills and the ways to pay them."""

from datetime import date
from typing import Annotated, Any
from uuid import UUID

from django.utils import timezone
from pydantic import Field

from banking.choices import (
    BillFilter,
    BillFrequency,
    BillOrder,
    BillPaymentStatus,
    BillStatus,
    IneligibleReason,
    PaymentMethod,
    SettlementStatus,
    SortDirection,
)
from banking.queries import bills, payment_methods
from banking.queries.bills import BillDetail
from mcp_server.caller import Caller
from mcp_server.limits import OF_BUSINESS, OF_RECORDS, UNDATED
from mcp_server.registry import tool
from mcp_server.schema import (
    BusinessUserId,
    Date,
    DateOf,
    ExternalId,
    FileResult,
    NameStr,
    NameText,
    OrNull,
    Page,
    PageSize,
    Result,
)
from mcp_server.scopes import Scope
from mcp_server.validation import require_order

BillId = Annotated[ExternalId, Field(description="billExternalId from svc_list_bills.")]
DocumentId = Annotated[
    ExternalId, Field(description="documentId of an attachment in svc_list_bills or svc_get_bill.")
]


class Attachment(Result):
    """A file that is attached to a bill."""

    document_id: UUID = Field(validation_alias="external_id")
    file_name: NameStr
    content_type: str
    size_bytes: int


class BillItem(Result):
    """A bill in a list. `amount_usd` is null for a bill in another currency."""

    bill_external_id: UUID = Field(validation_alias="external_id")
    bill_number: str = Field(validation_alias="number")
    status: BillStatus
    amount_cents: int
    amount_usd: str | None = None
    currency_code: str = Field(description="Unless USD, of the cents; the dollars are null then.")
    due_date: date
    supplier_name: NameStr
    created_date: DateOf = Field(validation_alias="created_at")
    remaining_cents: int = Field(description="What settled and scheduled payments leave.")
    remaining_usd: str | None = None
    settlement_status: SettlementStatus
    attachments: list[Attachment]

    def model_post_init(self, context: Any) -> None:
        super().model_post_init(context)
        if self.currency_code != "USD":
            for dollars, _cents in self.amounts:
                setattr(self, dollars, None)


class BillList(Result):
    """One page of bills."""

    bills: list[BillItem] = Field(validation_alias="items")
    total_count: int
    page_size: int
    page_number: int = Field(validation_alias="page")


class Recurrence(Result):
    """The recurrence of a bill and the date of its next payment."""

    is_recurring: bool
    frequency: Annotated[BillFrequency | None, OrNull]
    next_payment_date: date | None
    end_date: date | None = Field(validation_alias="recurrence_end_date")


class Payment(Result):
    """A payment of a bill."""

    payment_id: UUID = Field(validation_alias="external_id")
    method: PaymentMethod
    amount_cents: int
    amount_usd: str = ""
    scheduled_date: date
    settled_date: date | None
    status: BillPaymentStatus
    failure_reason: NameText


class Bill(BillItem):
    """A bill with all its details."""

    description: NameText
    supplier_external_id: UUID
    invoice_date: date
    recurring: Recurrence
    payments: list[Payment]


class Method(Result):
    """A payment method for the rest of a bill."""

    method: PaymentMethod
    eligible: bool = Field(validation_alias="is_eligible")
    ineligible_reason: IneligibleReason | None
    fee_cents: int
    fee_usd: str = ""
    per_payment_limit_cents: int
    per_payment_limit_usd: str = ""
    daily_remaining_cents: int
    daily_remaining_usd: str = ""
    estimated_arrival_date: date = Field(description="If ordered now.")


class MethodList(Result):
    """All payment methods for a bill."""

    bill_external_id: UUID
    payment_methods: list[Method]


@tool(Scope.BILLS, title="List bills", within=OF_BUSINESS)
def svc_list_bills(
    caller: Caller,
    status: Annotated[
        BillFilter, Field(description="PENDING: still to be paid, past due or not.")
    ] = BillFilter.PENDING,
    page_size: PageSize = 50,
    page_number: Page = 0,
    sort_by: Annotated[
        BillOrder, Field(description="By due date, or by the day it was entered.")
    ] = BillOrder.DUE_DATE,
    sort_direction: Annotated[
        SortDirection, Field(description="ASC: the earliest first.")
    ] = SortDirection.ASC,
    business_user_id: BusinessUserId = None,
    start_date: Annotated[
        Date | None, Field(description="First day (UTC), inclusive, of the date in sortBy.")
    ] = None,
    end_date: Annotated[
        Date | None, Field(description="Last day (UTC), inclusive, of the date in sortBy.")
    ] = None,
) -> BillList:
    """List the bills that suppliers sent, by default those still to be paid.

    settlementStatus says what has left for the supplier already, remainingCents what is still to
    be paid. For payments call `svc_get_bill`. What customers have to pay the business is in
    `svc_list_invoices`.
    """
    business = caller.business(business_user_id)
    require_order(start_date, end_date)
    found = bills.list_bill_details(
        business,
        reach=caller.reach,
        status=status,
        sort_by=sort_by,
        direction=sort_direction,
        first=start_date,
        last=end_date,
        page=page_number,
        page_size=page_size,
    )
    return BillList.model_validate(found.of([_bill(detail) for detail in found.items]))


@tool(Scope.BILLS, title="Get bill", within=OF_BUSINESS)
def svc_get_bill(
    caller: Caller, bill_external_id: BillId, business_user_id: BusinessUserId = None
) -> Bill:
    """Get one bill with its recurrence, payments, what remains, and attachments.

    Take the id from `svc_list_bills`.
    """
    detail = bills.get_bill_detail(
        caller.business(business_user_id), bill_external_id, caller.reach
    )
    parts = {"supplier_external_id": detail.bill.supplier.external_id, "recurring": detail.bill}
    return Bill.model_validate(_bill(detail) | parts)


@tool(Scope.BILLS, title="Get bill payment methods", within=OF_BUSINESS & UNDATED)
def svc_get_bill_payment_methods(
    caller: Caller, bill_external_id: BillId, business_user_id: BusinessUserId = None
) -> MethodList:
    """Get the ways to pay what remains of a bill, with fees, limits, arrival, and what prevents it.

    For payments that were made, call `svc_get_bill`.
    """
    business = caller.business(business_user_id)
    offers = payment_methods.list_payment_methods(
        business, bill_external_id, caller.reach, at=timezone.now()
    )
    return MethodList(bill_external_id=bill_external_id, payment_methods=offers)


@tool(Scope.BILLS, title="Download bill attachment", within=OF_BUSINESS & OF_RECORDS)
def svc_download_bill_attachment(
    caller: Caller, document_id: DocumentId, business_user_id: BusinessUserId = None
) -> FileResult:
    """Download a file that came with a bill.

    Take the id from the attachments in `svc_get_bill`.
    """
    attachment = bills.get_attachment(caller.business(business_user_id), document_id, caller.reach)
    return FileResult.of(attachment.read())


def _bill(detail: BillDetail) -> dict[str, Any]:
    """Return the values that a bill has both in lists and in full."""
    bill = detail.bill
    return vars(bill) | vars(detail) | {"supplier_name": bill.supplier.name}
