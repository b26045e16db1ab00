"""Bills of suppliers, their payments, and their attachments."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet, prefetch_related_objects

from banking.calendar import add_business_days
from banking.choices import (
    BillFilter,
    BillOrder,
    BillPaymentStatus,
    SettlementStatus,
    SortDirection,
)
from banking.days import DAY
from banking.models import (
    Bill,
    BillAttachment,
    BillPayment,
    Business,
    FeedRecord,
    PaymentRule,
)
from banking.models.bills import COUNTED
from banking.paging import Page, take_page
from banking.reach import EVERYTHING, Reach
from foundation import external_ids

SENT_BY_THE_CORE = Exists(FeedRecord.objects.filter(kind="bill-payments", row_id=OuterRef("pk")))
PAYMENTS = Prefetch("payments", BillPayment.objects.order_by("scheduled_date", "pk"))
ATTACHMENTS = Prefetch("attachments", BillAttachment.objects.order_by("uploaded_at", "pk"))
COLUMNS = {BillOrder.DUE_DATE: "due_date", BillOrder.CREATE_DATE: "created_at"}


@dataclass(frozen=True)
class BillDetail:
    """A bill with its supplier, its payments by scheduled date and its files by upload.

    The remaining amount is what scheduled, sent and settled payments do not cover. Units: cents.
    """

    bill: Bill
    payments: list[BillPayment]
    attachments: list[BillAttachment]
    remaining_cents: int
    settlement_status: SettlementStatus


def list_bills(
    business: Business,
    *,
    reach: Reach = EVERYTHING,
    status: BillFilter = BillFilter.PENDING,
    sort_by: BillOrder = BillOrder.DUE_DATE,
    direction: SortDirection = SortDirection.ASC,
    first: date | None = None,
    last: date | None = None,
    page: int = 0,
    page_size: int = 50,
) -> Page[Bill]:
    """Return a page of the bills that have a status and that `reach` includes.

    The date by which they are sorted lies from `first` to `last` (UTC), both included; None leaves
    an end open. Bills with the same date are sorted by id. The first page is 0.
    """
    found = _readable(business, reach).filter(_of_days(BillOrder(sort_by), first, last))
    if BillFilter(status) is not BillFilter.ALL:
        found = found.filter(status=status)
    sign = "-" if SortDirection(direction) is SortDirection.DESC else ""
    ordered = found.order_by(sign + COLUMNS[BillOrder(sort_by)], sign + "id")
    return take_page(ordered, page=page, page_size=page_size)


def list_bill_details(business: Business, **wanted: Any) -> Page[BillDetail]:
    """Return a page of bills as `list_bills` does, each in full, in four statements."""
    found = list_bills(business, **wanted)
    prefetch_related_objects(found.items, PAYMENTS, ATTACHMENTS)
    return found.of(
        [
            _detail(bill, list(bill.payments.all()), list(bill.attachments.all()))
            for bill in found.items
        ]
    )


def get_bill(business: Business, external_id: str | UUID, reach: Reach = EVERYTHING) -> Bill:
    """Return a bill with its supplier. Raises: Bill.DoesNotExist."""
    return _readable(business, reach).get(external_id=external_ids.parse(external_id))


def get_bill_detail(
    business: Business, external_id: str | UUID, reach: Reach = EVERYTHING
) -> BillDetail:
    """Return a bill in full, in three statements. Raises: Bill.DoesNotExist."""
    bill = get_bill(business, external_id, reach)
    payments = list(bill.payments.order_by("scheduled_date", "pk"))
    return _detail(bill, payments, list(bill.attachments.order_by("uploaded_at", "pk")))


def get_attachment(
    business: Business, document_id: str | UUID, reach: Reach = EVERYTHING
) -> BillAttachment:
    """Return a file that came with a bill. Raises: BillAttachment.DoesNotExist."""
    found = BillAttachment.objects.filter(
        reach.of_days("bill__invoice_date"), bill__business=business
    )
    return found.get(external_id=external_ids.parse(document_id))


def remaining_cents(bill: Bill, payments: Iterable[BillPayment]) -> int:
    """Return the amount of a bill less its scheduled, sent and settled payments; at least zero."""
    return max(0, bill.amount_cents - _sum(payments, COUNTED))


def settlement_status(bill: Bill, payments: Iterable[BillPayment]) -> SettlementStatus:
    """Return the status of a bill by its payments; a scheduled payment does not count as sent.

    SETTLED means that settled payments cover the amount, PARTIALLY_SETTLED that some are settled,
    PROCESSING that a payment was sent and none is settled.
    """
    payments = list(payments)
    settled = _sum(payments, [BillPaymentStatus.SETTLED])
    if settled >= bill.amount_cents:
        return SettlementStatus.SETTLED
    if settled:
        return SettlementStatus.PARTIALLY_SETTLED
    if _sum(payments, [BillPaymentStatus.PROCESSING]):
        return SettlementStatus.PROCESSING
    return SettlementStatus.UNPAID


def list_due_payments(*, at: datetime) -> QuerySet[BillPayment]:
    """Return the scheduled payments of all bills whose date is the day of `at` (UTC) or before.

    Payments that came from the bank's core are left out: the core moves their money itself.
    """
    today = at.astimezone(UTC).date()
    due = BillPayment.objects.filter(status=BillPaymentStatus.SCHEDULED, scheduled_date__lte=today)
    return due.exclude(SENT_BY_THE_CORE).order_by("scheduled_date", "pk")


def list_arrived_payments(*, at: datetime) -> list[BillPayment]:
    """Return the payments in processing that have arrived by the day of `at` (UTC), oldest first.

    A payment arrives when the business days of its method have passed since the day on which it
    left, or as soon as its hold has ended. Bills of all businesses are read; payments that came
    from the bank's core are left out.
    """
    today = at.astimezone(UTC).date()
    travels = dict(PaymentRule.objects.values_list("method", "business_days"))
    sent = BillPayment.objects.filter(status=BillPaymentStatus.PROCESSING)
    sent = sent.exclude(SENT_BY_THE_CORE)
    return [
        payment
        for payment in sent.select_related("transaction").order_by("transaction__occurred_at", "pk")
        if (hold := payment.transaction)
        and (
            not hold.is_pending
            or add_business_days(hold.occurred_at.date(), travels[payment.method]) <= today
        )
    ]


def _of_days(order: BillOrder, first: date | None, last: date | None) -> Q:
    """Return the condition that the date by which bills are sorted lies in a range of days."""
    if order is BillOrder.DUE_DATE:
        return Reach(first=first, last=last).of_days("due_date")
    wanted = Q()
    if first:
        wanted &= Q(created_at__gte=datetime.combine(first, time(), UTC))
    if last:
        wanted &= Q(created_at__lt=datetime.combine(last + DAY, time(), UTC))
    return wanted


def _readable(business: Business, reach: Reach) -> QuerySet[Bill]:
    """Return the bills whose invoice date is in reach, with their suppliers."""
    found = Bill.objects.filter(reach.of_days("invoice_date"), business=business)
    return found.select_related("supplier")


def _detail(
    bill: Bill, payments: list[BillPayment], attachments: list[BillAttachment]
) -> BillDetail:
    return BillDetail(
        bill=bill,
        payments=payments,
        attachments=attachments,
        remaining_cents=remaining_cents(bill, payments),
        settlement_status=settlement_status(bill, payments),
    )


def _sum(payments: Iterable[BillPayment], statuses: list[BillPaymentStatus]) -> int:
    return sum(payment.amount_cents for payment in payments if payment.status in statuses)


def lock_bill(bill_id: int) -> Bill:
    """Lock a bill and return its current row, with supplier and business.

    In a transaction, lock the bill before any account. Raises: Bill.DoesNotExist.
    """
    rows = Bill.objects.select_for_update(of=("self",), no_key=True)
    return rows.select_related("supplier", "business").get(pk=bill_id)
