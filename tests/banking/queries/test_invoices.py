"""Invoices are listed by where they stand on a day, and read in full."""

from datetime import date
from uuid import uuid4

import pytest

from banking.choices import InvoiceDate, InvoiceFilter, InvoiceStatus
from banking.models import Invoice
from banking.queries import invoices
from tests.factories import NOON, later

TODAY = later(days=10).date()
PAID = {"status": InvoiceStatus.PAID, "paid_cents": 1000, "paid_date": NOON.date()}


@pytest.fixture
def business(make_business):
    return make_business()


@pytest.fixture
def one_of_each(business, make_invoice):
    """Return an invoice in each status by name, the due one due today, the oldest first."""
    values = {
        "draft": {"status": InvoiceStatus.DRAFT, "due_date": NOON.date()},
        "due": {"due_date": TODAY},
        "overdue": {"due_date": later(days=9).date()},
        "paid": {**PAID, "due_date": NOON.date()},
        "canceled": {"status": InvoiceStatus.CANCELED, "due_date": NOON.date()},
    }
    return {name: make_invoice(business, **value) for name, value in values.items()}


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (InvoiceFilter.ALL, ["canceled", "paid", "overdue", "due", "draft"]),
        (InvoiceFilter.UNPAID, ["overdue", "due"]),
        (InvoiceFilter.OVERDUE, ["overdue"]),
        (InvoiceFilter.SENT, ["due"]),
        (InvoiceFilter.PAID, ["paid"]),
        (InvoiceFilter.DRAFT, ["draft"]),
    ],
)
def test_a_filter_shows_what_stands_so_on_the_day(
    business, one_of_each, make_invoice, status, expected
):
    make_invoice()

    page = invoices.list_invoices(business, on=TODAY, status=status)

    assert page.items == [one_of_each[name] for name in expected]
    assert page.total_count == len(expected)


def test_each_status_on_a_day_follows_from_the_due_date(business, one_of_each):
    page = invoices.list_invoices(business, on=TODAY)

    assert [invoice.status_on(TODAY) for invoice in page.items] == [
        "CANCELED",
        "PAID",
        "OVERDUE",
        "SENT",
        "DRAFT",
    ]


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        ({}, [2, 1, 0]),
        ({"first": date(2026, 3, 2)}, [2, 1]),
        ({"last": date(2026, 3, 2)}, [1, 0]),
        ({"first": date(2026, 3, 2), "last": date(2026, 3, 2)}, [1]),
        ({"first": date(2026, 4, 2), "date_type": InvoiceDate.DUE_DATE}, [1, 0]),
        ({"last": date(2026, 4, 2), "date_type": InvoiceDate.DUE_DATE}, [2, 1]),
    ],
)
def test_a_period_is_of_the_date_of_issue_or_the_due_date(business, make_invoice, days, expected):
    made = [
        make_invoice(business, issue_date=date(2026, 3, day), due_date=date(2026, 4, 4 - day))
        for day in (1, 2, 3)
    ]

    page = invoices.list_invoices(business, on=TODAY, **days)

    assert page.items == [made[number] for number in expected]
    assert page.total_count == len(expected)


def test_an_unknown_filter_is_refused(business):
    with pytest.raises(ValueError, match="LATE"):
        invoices.list_invoices(business, on=TODAY, status="LATE")


def test_invoices_come_newest_first_in_pages_of_fifty(business, make_invoice):
    dates = [date(2026, 3, day) for day in (2, 1, 2, 3)]
    made = [make_invoice(business, issue_date=day) for day in dates]

    pages = [
        invoices.list_invoices(business, on=TODAY, page=page, page_size=3) for page in range(2)
    ]

    assert [row for page in pages for row in page.items] == [made[3], made[2], made[0], made[1]]
    assert invoices.list_invoices(business, on=TODAY).page_size == 50


@pytest.mark.parametrize("count", [3, 30])
def test_a_list_takes_two_statements(business, make_invoice, count, django_assert_num_queries):
    for _ in range(count):
        make_invoice(business, lines=1)

    with django_assert_num_queries(2):
        page = invoices.list_invoices(business, on=TODAY, status=InvoiceFilter.UNPAID)

    assert len(page.items) == count


@pytest.mark.parametrize("count", [3, 30])
def test_an_invoice_is_read_in_three_statements(
    business, make_invoice, count, django_assert_num_queries
):
    invoice = make_invoice(business, lines=count, discounts=count)
    make_invoice(business, lines=1, discounts=1)

    with django_assert_num_queries(3):
        detail = invoices.get_invoice(business, str(invoice.external_id))

    assert detail.invoice == invoice
    assert [line.position for line in detail.lines] == list(range(1, count + 1))
    assert len(detail.discounts) == count


def test_the_invoice_of_another_business_is_not_found(business, make_invoice):
    for external_id in [make_invoice().external_id, uuid4(), "INV-1"]:
        with pytest.raises(Invoice.DoesNotExist):
            invoices.get_invoice(business, external_id)


@pytest.mark.parametrize("count", [3, 30])
def test_service_items_come_by_name_in_one_statement(
    business, make_service_item, count, django_assert_num_queries
):
    for number in range(count):
        make_service_item(business, name=f"Service {number:02d}")
    make_service_item()

    with django_assert_num_queries(1):
        names = [item.name for item in invoices.list_service_items(business)]

    assert names == [f"Service {number:02d}" for number in range(count)]


@pytest.mark.parametrize("count", [3, 30])
def test_lines_of_many_invoices_take_one_statement(
    business, make_invoice, count, django_assert_num_queries
):
    made = [make_invoice(business, lines=number % 3) for number in range(count)]

    with django_assert_num_queries(1):
        lines = invoices.list_invoice_lines(made)

    for number, invoice in enumerate(made):
        assert [line.position for line in lines[invoice.pk]] == list(range(1, number % 3 + 1))
