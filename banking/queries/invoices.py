"""Invoices to customers and their payments."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.db.models import QuerySet

from banking.choices import InvoiceDate, InvoiceFilter, InvoiceStatus
from banking.models import Business, Invoice, InvoiceDiscount, InvoiceLine, ServiceItem
from banking.models.invoices import InvoiceQuerySet
from banking.paging import Page, take_page
from banking.reach import EVERYTHING, Reach
from foundation import external_ids


@dataclass(frozen=True)
class InvoiceDetail:
    """An invoice with its lines in their order, and its discounts."""

    invoice: Invoice
    lines: list[InvoiceLine]
    discounts: list[InvoiceDiscount]


def list_invoices(
    business: Business,
    reach: Reach = EVERYTHING,
    *,
    on: date,
    status: InvoiceFilter = InvoiceFilter.ALL,
    first: date | None = None,
    last: date | None = None,
    date_type: InvoiceDate = InvoiceDate.ISSUE_DATE,
    page: int = 0,
    page_size: int = 50,
) -> Page[Invoice]:
    """Return a page of the invoices of a period that have a status on the day `on`, newest first.

    `date_type` names the date that lies from `first` to `last`, both included; None leaves an end
    open. The newest by date of issue are first; the first page is 0. `status_on` of an invoice
    returns its status on a day.
    """
    days = Reach(first=first, last=last).of_days(InvoiceDate(date_type).lower())
    found = _standing(_readable(business, reach).filter(days), status, on=on)
    return take_page(found.order_by("-issue_date", "-id"), page=page, page_size=page_size)


def list_invoice_lines(invoices: Sequence[Invoice]) -> dict[int, list[InvoiceLine]]:
    """Return the lines of invoices in their order, by the key of the invoice, in one statement."""
    lines: dict[int, list[InvoiceLine]] = {invoice.pk: [] for invoice in invoices}
    for line in InvoiceLine.objects.filter(invoice__in=lines).order_by("invoice", "position"):
        lines[line.invoice_id].append(line)
    return lines


def get_invoice(
    business: Business, external_id: str | UUID, reach: Reach = EVERYTHING
) -> InvoiceDetail:
    """Return an invoice in full, in three statements. Raises: Invoice.DoesNotExist."""
    invoice = _readable(business, reach).get(external_id=external_ids.parse(external_id))
    return InvoiceDetail(
        invoice=invoice,
        lines=list(invoice.lines.order_by("position")),
        discounts=list(invoice.discounts.order_by("pk")),
    )


def list_service_items(business: Business) -> QuerySet[ServiceItem]:
    """Return the templates that a business saved for the lines of its invoices, by name."""
    return ServiceItem.objects.filter(business=business).order_by("name", "pk")


def _readable(business: Business, reach: Reach) -> InvoiceQuerySet:
    """Return the invoices whose date of issue may be read."""
    return Invoice.objects.filter(reach.of_days("issue_date"), business=business)


def _standing(invoices: InvoiceQuerySet, status: InvoiceFilter, *, on: date) -> InvoiceQuerySet:
    match InvoiceFilter(status):
        case InvoiceFilter.ALL:
            return invoices
        case InvoiceFilter.UNPAID:
            return invoices.unpaid()
        case InvoiceFilter.OVERDUE:
            return invoices.overdue(on=on)
        case InvoiceFilter.SENT:
            return invoices.not_yet_due(on=on)
        case stored:
            return invoices.filter(status=InvoiceStatus(stored))
