"""Invoices, as an assistant sees them."""

from datetime import date, timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from banking.choices import DiscountType, InvoiceStatus
from banking.models import InvoiceDiscount, InvoiceLine
from banking.queries.invoices import list_invoices

FAR = date(2090, 1, 31)  # still to come
PAID = {"status": InvoiceStatus.PAID, "paid_cents": 1000, "paid_date": date(2026, 3, 20)}
TOOLS = {
    "svc_get_financial_summary": {"chartType": "INCOME", "startDate": "2026-03-02"},
    "svc_list_invoices": {},
    "svc_get_invoice": {"invoiceExternalId": str(uuid4())},
    "svc_list_invoice_service_items": {},
}


@pytest.fixture
def own(business):
    """What every tool here is told of the business."""
    return {"customerExternalId": str(business.external_id)}


@pytest.mark.parametrize("tool", TOOLS)
def test_the_customer_must_be_named_by_everybody(assistant, accountants_assistant, tool):
    for somebody in [assistant, accountants_assistant]:
        code, message = somebody.refusal(tool, **TOOLS[tool])

        assert code == "INVALID_PARAMETER"
        assert message.startswith("customerExternalId: is required")


def test_an_owner_is_named_by_the_users_id_or_the_business_id(assistant, own, owner):
    by_user = assistant.call("svc_list_invoices", customerExternalId=str(owner.external_id))

    assert by_user == assistant.call("svc_list_invoices", **own)


def test_invoices_are_listed(assistant, own, business, make_invoice):
    invoice = make_invoice(
        business,
        123_456,
        number="INV-7",
        recipient_name="Garden Cafe",
        recipient_email="cafe@example.com",
        due_date=FAR,
    )
    make_invoice()

    assert assistant.call("svc_list_invoices", **own) == {
        "invoices": [
            {
                "externalId": str(invoice.external_id),
                "invoiceNumber": "INV-7",
                "status": "SENT",
                "amountCents": 123_456,
                "amountUsd": "1234.56",
                "dueDate": "2090-01-31",
                "recipientName": "Garden Cafe",
                "recipientEmail": "cafe@example.com",
                "issueDate": f"{invoice.issue_date}",
                "paidDate": None,
                "paidCents": 0,
                "paidUsd": "0.00",
                "lineItems": [],
            }
        ],
        "page": 0,
        "pageSize": 50,
        "totalCount": 1,
        "totalPages": 1,
    }


@pytest.mark.parametrize("count", [1, 6])
def test_a_list_has_the_lines_in_their_order_in_one_statement(
    assistant, own, business, make_invoice, count, django_assert_num_queries
):
    for _ in range(count):
        invoice = make_invoice(business)
        for position, name in [(2, "Tea"), (1, "Bread")]:
            InvoiceLine.objects.create(
                invoice=invoice,
                position=position,
                name=name,
                quantity=2,
                unit_price_cents=150,
                amount_cents=300,
            )

    with django_assert_num_queries(2 + 3):  # how many, the page, the lines
        found = assistant.call("svc_list_invoices", **own)

    for told in found["invoices"]:
        assert told["lineItems"] == [
            {"name": name, "quantity": 2, "unitPriceCents": 150, "unitPriceUsd": "1.50"}
            for name in ("Bread", "Tea")
        ]


def test_a_business_without_invoices_has_an_empty_list(assistant, own):
    assert assistant.call("svc_list_invoices", **own) == {
        "invoices": [],
        "page": 0,
        "pageSize": 50,
        "totalCount": 0,
        "totalPages": 0,
    }


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (None, ["CANCELED", "PAID", "OVERDUE", "SENT", "SENT", "DRAFT"]),
        ("ALL", ["CANCELED", "PAID", "OVERDUE", "SENT", "SENT", "DRAFT"]),
        ("UNPAID", ["OVERDUE", "SENT", "SENT"]),
        ("PAID", ["PAID"]),
        ("OVERDUE", ["OVERDUE"]),
        ("DRAFT", ["DRAFT"]),
        ("SENT", ["SENT", "SENT"]),
    ],
)
def test_a_filter_shows_where_invoices_stand_today(
    assistant, own, business, make_invoice, status, expected
):
    today = timezone.now().date()
    issued = {"issue_date": date(2026, 3, 2)}
    for values in [
        {"status": InvoiceStatus.DRAFT, "due_date": FAR},
        {"due_date": FAR},
        {"due_date": today},
        {"due_date": today - timedelta(days=1)},
        {**PAID, "due_date": FAR},
        {"status": InvoiceStatus.CANCELED, "due_date": FAR},
    ]:
        make_invoice(business, **issued, **values)

    found = assistant.call("svc_list_invoices", **own, status=status)

    assert [invoice["status"] for invoice in found["invoices"]] == expected
    assert found["totalCount"] == len(expected)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [({}, "2026-03-02"), ({"dateType": "DUE_DATE"}, "2026-03-01")],
)
def test_invoices_of_a_period_are_listed(assistant, own, business, make_invoice, asked, expected):
    days = {"startDate": "2026-03-02", "endDate": "2026-03-02"}
    for issued, due in ((1, 4), (2, 3), (1, 2)):
        make_invoice(business, issue_date=date(2026, 3, issued), due_date=date(2026, 3, due))

    found = assistant.call("svc_list_invoices", **own, **days, **asked)

    assert [invoice["issueDate"] for invoice in found["invoices"]] == [expected]
    assert found["totalCount"] == 1


def test_invoices_come_in_pages_from_zero(assistant, own, business, make_invoice):
    for _ in range(3):
        make_invoice(business)
    newest_first = [
        str(invoice.external_id) for invoice in list_invoices(business, on=FAR, page=0).items
    ]

    pages = [assistant.call("svc_list_invoices", **own, page=page, size=2) for page in range(3)]

    ids = [[invoice["externalId"] for invoice in page["invoices"]] for page in pages]
    assert ids == [newest_first[:2], newest_first[2:], []]
    assert {(page["pageSize"], page["totalCount"], page["totalPages"]) for page in pages} == {
        (2, 3, 2)
    }
    assert [page["page"] for page in pages] == [0, 1, 2]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"status": "LATE"}, "status: must be one of ALL, UNPAID, PAID, OVERDUE, DRAFT, SENT"),
        ({"size": 101}, "size: must be a whole number from 1 to 100"),
        ({"size": 0}, "size: must be a whole number from 1 to 100"),
        ({"page": -1}, "page: must be a whole number from 0 to 1000000"),
    ],
)
def test_what_a_list_does_not_know_is_refused(assistant, own, wrong, message):
    refusal = assistant.refusal("svc_list_invoices", **own, **wrong)

    assert refusal == ("INVALID_PARAMETER", message)


@pytest.mark.parametrize("count", [1, 20])
def test_a_list_takes_the_same_statements_whatever_its_length(
    assistant, own, business, make_invoice, count, django_assert_num_queries
):
    for _ in range(count):
        make_invoice(business, lines=1, discounts=1)

    with django_assert_num_queries(2 + 3):  # the count, the page, the lines
        assistant.call("svc_list_invoices", **own)


@pytest.fixture
def invoice(business, make_invoice):
    """An invoice with all that one can have, paid in part."""
    invoice = make_invoice(
        business,
        110_000,
        number="INV-8",
        recipient_name="Garden Cafe",
        recipient_email="cafe@example.com",
        description="Bread in March",
        due_date=date(2026, 4, 1),
        ach_payment_allowed=False,
        pay_url="https://example.com/pay/8",
        subtotal_cents=115_000,
        discount_cents=15_000,
        sales_tax_percent="10.125",
        sales_tax_cents=10_000,
        paid_cents=60_000,
    )
    lines = [("Loaf", "1.5", 20_000, 30_000), ("Catering", "1", 85_000, 85_000)]
    for position, (name, quantity, price, amount) in enumerate(lines, start=1):
        InvoiceLine.objects.create(
            invoice=invoice,
            position=position,
            name=name,
            quantity=quantity,
            unit_price_cents=price,
            amount_cents=amount,
        )
    for kind, value, cents in [(DiscountType.PERCENT, 10, 11_500), (DiscountType.AMOUNT, 35, 3500)]:
        InvoiceDiscount.objects.create(
            invoice=invoice, name=kind.label, discount_type=kind, value=value, amount_cents=cents
        )
    return invoice


def test_an_invoice_is_told_in_full(assistant, own, invoice, django_assert_num_queries):
    with django_assert_num_queries(2 + 3):  # the invoice, its lines, its discounts
        result = assistant.call(
            "svc_get_invoice", **own, invoiceExternalId=str(invoice.external_id)
        )

    assert result == {
        "externalId": str(invoice.external_id),
        "invoiceNumber": "INV-8",
        "status": "OVERDUE",
        "recipient": {"name": "Garden Cafe", "email": "cafe@example.com"},
        "description": "Bread in March",
        "totalAmountCents": 110_000,
        "totalAmountUsd": "1100.00",
        "lineItems": [
            {
                "name": "Loaf",
                "quantity": 1.5,
                "unitPriceCents": 20_000,
                "unitPriceUsd": "200.00",
            },
            {
                "name": "Catering",
                "quantity": 1,
                "unitPriceCents": 85_000,
                "unitPriceUsd": "850.00",
            },
        ],
        "paymentTerms": {"dueDate": "2026-04-01", "achPaymentAllowed": False},
        "payUrl": "https://example.com/pay/8",
        "subtotalCents": 115_000,
        "subtotalUsd": "1150.00",
        "discounts": [
            {
                "name": "Percent of the subtotal",
                "type": "PERCENT",
                "value": 10,
                "amountCents": 11_500,
                "amountUsd": "115.00",
            },
            {
                "name": "Amount",
                "type": "AMOUNT",
                "value": 35,
                "amountCents": 3_500,
                "amountUsd": "35.00",
            },
        ],
        "salesTax": {"ratePct": 10.125, "amountCents": 10_000, "amountUsd": "100.00"},
        "paidCents": 60_000,
        "paidUsd": "600.00",
        "issueDate": "2026-03-02",
        "paidDate": None,
    }


def test_a_draft_has_nothing_that_was_not_written(assistant, own, business, make_invoice):
    draft = make_invoice(business, status=InvoiceStatus.DRAFT)

    result = assistant.call("svc_get_invoice", **own, invoiceExternalId=str(draft.external_id))

    bare = {"description": None, "payUrl": None, "lineItems": [], "discounts": []}
    assert bare.items() <= result.items()
    assert result["salesTax"] == {"ratePct": 0, "amountCents": 0, "amountUsd": "0.00"}


def test_a_paid_invoice_tells_when(assistant, own, business, make_invoice):
    paid = make_invoice(business, 1000, **PAID)

    result = assistant.call("svc_get_invoice", **own, invoiceExternalId=str(paid.external_id))

    assert (result["status"], result["paidUsd"], result["paidDate"]) == (
        "PAID",
        "10.00",
        "2026-03-20",
    )


def test_the_invoice_of_another_business_does_not_exist(assistant, own, make_invoice):
    refusals = [
        assistant.refusal("svc_get_invoice", **own, invoiceExternalId=str(external_id))
        for external_id in [make_invoice().external_id, uuid4(), "INV-1"]
    ]

    message = "There is no such invoice. Take externalId from svc_list_invoices."
    assert refusals == [("NOT_FOUND", message)] * 3


def test_service_items_are_listed_by_name(assistant, own, business, make_service_item):
    tart = make_service_item(business, name="Tart", description="A whole one", unit_price_cents=5)
    loaf = make_service_item(business, name="Loaf", unit_price_cents=123_456)
    make_service_item()

    assert assistant.call("svc_list_invoice_service_items", **own) == {
        "serviceItems": [
            {
                "externalId": str(loaf.external_id),
                "name": "Loaf",
                "description": None,
                "unitPriceCents": 123_456,
                "unitPriceUsd": "1234.56",
            },
            {
                "externalId": str(tart.external_id),
                "name": "Tart",
                "description": "A whole one",
                "unitPriceCents": 5,
                "unitPriceUsd": "0.05",
            },
        ]
    }


def test_a_business_without_service_items_has_an_empty_list(
    assistant, own, django_assert_num_queries
):
    with django_assert_num_queries(2 + 1):  # the items
        result = assistant.call("svc_list_invoice_service_items", **own)

    assert result == {"serviceItems": []}


def test_an_accountant_reads_the_clients_invoices(
    accountants_assistant, assistant, own, business, make_invoice
):
    make_invoice(business)

    result = accountants_assistant.call("svc_list_invoices", **own)

    assert result["totalCount"] == 1
    assert result == assistant.call("svc_list_invoices", **own)
