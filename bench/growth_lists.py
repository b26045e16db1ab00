"""Lists of many rows, and the rows that they have beside applications and transactions."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone

from banking.choices import ChartType, Granularity, GroupBy, InvoiceFilter
from banking.models import Bill, Business, Invoice, Transaction
from banking.queries.bills import list_bills
from banking.queries.invoices import list_invoices
from banking.queries.summaries import get_financial_summary
from bench.back_office import PAGES, chief
from bench.scale.tables import bare, execute
from onboarding.api.paging import ListQuery, take_page
from onboarding.choices import ApplicationStatus
from onboarding.models import Application, Delivery, Lead, Partner, Publication, Webhook
from onboarding.queries.leads import search_applications
from onboarding.queries.publications import read_feed
from onboarding.queries.webhooks import search_deliveries
from tests import factories

TODAY = datetime(2026, 7, 1, tzinfo=UTC)
BACK_OFFICE = "back office: "
PUBLICATIONS = """
INSERT INTO onboarding_publication
    (message_id, partner_id, lead_id, event_id, type, body, published_at)
SELECT 'evt_' || replace(event.external_id::text, '-', ''), lead.partner_id, lead.id, event.id,
    event.type, repeat('x', CASE WHEN lead.partner_id = %(partner)s THEN 700 ELSE 7 END),
    event.occurred_at
FROM onboarding_event event JOIN onboarding_lead lead ON lead.id = event.lead_id
WHERE event.sequence IS NOT NULL ORDER BY event.occurred_at, event.id
"""
LANES = """
INSERT INTO onboarding_lane (webhook_id, lead_id, claims)
SELECT %(webhook)s, id, 1 FROM onboarding_lead WHERE partner_id = %(partner)s
"""
DELIVERIES = """
INSERT INTO onboarding_delivery (external_id, lane_id, publication_id, status, attempts, retries,
    status_code, fault, created_at, finished_at)
SELECT gen_random_uuid(), lane.id, publication.id, CASE WHEN publication.id %% 50 = 0 THEN 'FAILED'
    ELSE 'DELIVERED' END, 1, 0, 200, '', publication.published_at, publication.published_at
FROM onboarding_publication publication
JOIN onboarding_lane lane ON lane.lead_id = publication.lead_id
WHERE publication.partner_id = %(partner)s ORDER BY publication.id
"""
INVOICES = """
INSERT INTO banking_invoice (external_id, number, status, recipient_name, recipient_email,
    description, issue_date, due_date, ach_payment_allowed, pay_url, subtotal_cents, discount_cents,
    sales_tax_percent, sales_tax_cents, total_cents, paid_cents, paid_date, created_at, business_id)
SELECT gen_random_uuid(), 'INV-' || n, CASE WHEN n %% 20 = 0 THEN 'SENT' ELSE 'PAID' END,
    'Customer ' || n, 'customer' || n || '@example.com', '', day, day + 30, false, '', 1000, 0, 0,
    0, 1000, CASE WHEN n %% 20 = 0 THEN 0 ELSE 1000 END,
    CASE WHEN n %% 20 <> 0 THEN day + 9 END, day,
    %(business)s
FROM (
    SELECT n, DATE '2026-07-01' - (n * 3000::bigint / %(count)s)::int AS day
    FROM generate_series(1, %(count)s) n
) drawn
"""
BILLS = """
INSERT INTO banking_bill (external_id, number, status, amount_cents, currency_code, description,
    invoice_date, due_date, frequency, created_at, business_id, supplier_id)
SELECT gen_random_uuid(), 'BILL-' || n, CASE WHEN n %% 20 = 0 THEN 'PENDING' ELSE 'PAID' END, 1000,
    'USD', '', day, day + 30, '', day, %(business)s, %(supplier)s
FROM (
    SELECT n, DATE '2026-07-01' - (n * 3000::bigint / %(count)s)::int AS day
    FROM generate_series(1, %(count)s) n
) drawn
"""

Listed = dict[str, tuple[int, Callable[[], object]]]


@transaction.atomic
def fill(business: Business, count: int) -> None:
    """Tell partners of all events, and give a business so many invoices and bills."""
    partner = Partner.objects.earliest("pk")
    webhook = factories.make_webhook(partner)
    whose = {"partner": partner.pk, "webhook": webhook.pk}
    with bare(["onboarding_publication", "onboarding_lane", "onboarding_delivery"]):
        for statement in (PUBLICATIONS, LANES, DELIVERIES):
            execute(statement, whose)
    supplier = factories.make_supplier(business)
    values = {"business": business.pk, "supplier": supplier.pk, "count": count}
    for statement in (INVOICES, BILLS):
        execute(statement, values)


def lists(business: Business) -> Listed:
    """Return each list with how many rows it has, and how a page of it is asked for."""
    execute("VACUUM ANALYZE")
    return {**of_partner(), **of_business(business), **of_staff()}


def of_partner() -> Listed:
    """Return the lists of the first partner, who has a fourth of all leads."""
    partner, webhook = Partner.objects.earliest("pk"), Webhook.objects.get()
    leads = Lead.objects.filter(partner=partner)
    events = Publication.objects.filter(partner=partner)
    sent = Delivery.objects.filter(lane__webhook=webhook)
    emails, keys = leads.values_list("email", flat=True), leads.values_list("pk", flat=True)
    email, amid = emails.latest("pk"), _middle(keys.order_by("pk"))
    newest = events.order_by("-pk")[100].message_id
    feed = partial(read_feed, partner=partner, at=timezone.now(), size=100)
    rows = {"leads": leads.count(), "events": events.count(), "deliveries": sent.count()}

    def of_leads(after: int | None = None, **wanted: str) -> object:
        found = search_applications(partner=partner, before=after, **wanted)
        return take_page(found, ListQuery("", size=100, after=after), key="lead_id")

    def of_deliveries(after: int | None = None, **wanted: str) -> object:
        return take_page(search_deliveries(webhook, **wanted), ListQuery("", size=100, after=after))

    approved = ApplicationStatus.APPROVED.value
    return {
        "leads of a partner": (rows["leads"], of_leads),
        "leads, in the middle": (rows["leads"], partial(of_leads, amid)),
        "leads, approved": (rows["leads"], partial(of_leads, status=approved)),
        "leads, one email": (rows["leads"], partial(of_leads, email=email)),
        "events of 30 days": (rows["events"], feed),
        "events, read on": (rows["events"], partial(feed, after=newest)),
        "deliveries of a webhook": (rows["deliveries"], of_deliveries),
        "deliveries, in the middle": (
            rows["deliveries"],
            partial(of_deliveries, _middle(sent.order_by("pk")).pk),
        ),
        "deliveries, failed": (rows["deliveries"], partial(of_deliveries, status="FAILED")),
    }


def of_business(business: Business) -> Listed:
    """Return the lists of a business."""
    invoices = Invoice.objects.filter(business=business).count()
    bills = Bill.objects.filter(business=business).count()
    rows = Transaction.objects.filter(business=business).count()
    day = TODAY.date()
    summary = partial(get_financial_summary, business, ChartType.EXPENSE, day, Granularity.YEAR)
    middle = invoices // 200
    return {
        "invoices of a business": (invoices, partial(list_invoices, business, on=day)),
        "invoices, in the middle": (
            invoices,
            partial(list_invoices, business, on=day, page=middle, page_size=100),
        ),
        "invoices, overdue": (
            invoices,
            partial(list_invoices, business, on=day, status=InvoiceFilter.OVERDUE),
        ),
        "bills of a business": (bills, partial(list_bills, business)),
        "summary of a year, by merchant": (rows, partial(summary, group_by=GroupBy.MERCHANT)),
    }


def of_staff() -> Listed:
    """Return the queue of staff."""
    (client, _), rows = chief(), Application.objects.count()
    pages = ["all", "queue unassigned", "queue overdue"]
    return {f"{BACK_OFFICE}{name}": (rows, partial(client.get, PAGES[name])) for name in pages}


def _middle(rows: Any) -> Any:
    return rows[rows.count() // 2]
