"""Invoices and money summaries, as an assistant sees them."""

from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from banking.choices import DiscountType, InvoiceStatus
from banking.models import InvoiceDiscount, InvoiceLine, Merchant
from banking.queries.invoices import list_invoices

FAR = date(2090, 1, 31)  # still to come
PAID = {"status": InvoiceStatus.PAID, "paid_cents": 1000, "paid_date": date(2026, 3, 20)}
NO_PARTS = dict.fromkeys(["byCategory", "byMerchant", "byMonth", "byAccount", "cashFlow"])
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


def test_a_month_is_summed_up_by_day(assistant, own, business, make_account, make_transaction):
    account = make_account(business)
    make_transaction(account, 100_000, category_id="SALES")
    make_transaction(account, -30_050, category_id="RENT", at=datetime(2026, 3, 31, tzinfo=UTC))

    summary = assistant.call(
        "svc_get_financial_summary", **own, chartType="PROFIT", startDate="2026-03-17"
    )

    days = {f"2026-03-{day:02d}": (0, "0.00") for day in range(1, 32)}
    days |= {"2026-03-02": (100_000, "1000.00"), "2026-03-31": (-30_050, "-300.50")}
    assert summary == {
        "chartType": "PROFIT",
        "granularity": "MONTH",
        "totalAmountUsd": "699.50",
        "totalAmountCents": 69_950,
        "series": [
            {"period": day, "amountCents": cents, "amountUsd": usd}
            for day, (cents, usd) in days.items()
        ],
        **NO_PARTS,
        "startDate": "2026-03-01",
        "endDate": "2026-03-31",
    }


@pytest.mark.parametrize(
    ("granularity", "periods"),
    [
        ("QUARTER", ["2026-01", "2026-02", "2026-03"]),
        ("YEAR", [f"2026-{month:02d}" for month in range(1, 13)]),
    ],
)
def test_a_longer_period_without_money_is_told_by_month(assistant, own, granularity, periods):
    summary = assistant.call(
        "svc_get_financial_summary",
        **own,
        chartType="INCOME",
        startDate="2026-03-02",
        granularity=granularity,
    )

    assert summary == {
        "chartType": "INCOME",
        "granularity": granularity,
        "totalAmountUsd": "0.00",
        "totalAmountCents": 0,
        "series": [{"period": period, "amountCents": 0, "amountUsd": "0.00"} for period in periods],
        **NO_PARTS,
        "startDate": "2026-01-01",
        "endDate": "2026-03-31" if granularity == "QUARTER" else "2026-12-31",
    }


@pytest.mark.parametrize(("part", "total"), [(None, 35_000), (True, 30_000), (False, 5_000)])
def test_private_expenses_are_told_apart(
    assistant, own, business, make_account, make_transaction, part, total
):
    account = make_account(business)
    make_transaction(account, -30_000, category_id="RENT")
    make_transaction(account, -5_000, category_id="MEALS", is_business=False)
    asked = {"chartType": "EXPENSE", "startDate": "2026-03-02", "isBusiness": part}

    summary = assistant.call("svc_get_financial_summary", **own, **asked)

    assert summary["totalAmountCents"] == total


@pytest.fixture
def spending(business, make_account, make_transaction):
    """Rent, two meals at a merchant, one of them private, and a sale; in two months."""
    account = make_account(business, name="Checking", account_number="200000000006")
    merchant = Merchant.objects.create(name="Corner Bakery", mcc="5462")
    make_transaction(account, -30_000, category_id="RENT", merchant_raw_name="LANDLORD")
    meals = {"category_id": "MEALS", "merchant": merchant}
    make_transaction(account, -1_500, at=datetime(2026, 1, 5, tzinfo=UTC), **meals)
    make_transaction(account, -500, is_business=False, **meals)
    make_transaction(account, 90_000, category_id="SALES")
    return account


@pytest.mark.parametrize(
    ("by", "asked", "parts"),
    [
        ("CATEGORY", {}, [("RENT", "Rent and lease", "300.00", 1), ("MEALS", None, "20.00", 2)]),
        (
            "MERCHANT",
            {},
            [("LANDLORD", "LANDLORD", "300.00", 1), ("Corner Bakery", None, "20.00", 2)],
        ),
        ("MONTH", {}, [("2026-01", "January 2026", "15.00", 1), ("2026-03", None, "305.00", 2)]),
        ("MONTH", {"isBusiness": False}, [("2026-03", None, "5.00", 1)]),
        (
            "MONTH",
            {"chartType": "PROFIT"},
            [("2026-01", None, "-15.00", 1), ("2026-03", None, "600.00", 2)],
        ),
        ("MERCHANT", {"chartType": "INCOME"}, [("NO_MERCHANT", None, "900.00", 1)]),
    ],
)
@pytest.mark.usefixtures("spending")
def test_the_parts_of_a_summary_add_up_to_it(assistant, own, by, asked, parts):
    wanted = {"chartType": "EXPENSE", "startDate": "2026-03-02", "granularity": "YEAR", **asked}

    summary = assistant.call("svc_get_financial_summary", **own, **wanted, groupBy=by)

    told = summary[f"by{by.title()}"]
    assert [(row["key"], row["amountUsd"], row["count"]) for row in told] == [
        (key, amount, count) for key, _, amount, count in parts
    ]
    assert sum(row["amountCents"] for row in told) == summary["totalAmountCents"]
    assert [name for name in NO_PARTS if summary[name] is not None] == [f"by{by.title()}"]


def test_the_part_of_an_account_has_its_id(assistant, own, spending):
    wanted = {"chartType": "EXPENSE", "startDate": "2026-03-02", "groupBy": "ACCOUNT"}

    [part] = assistant.call("svc_get_financial_summary", **own, **wanted)["byAccount"]

    assert (part["key"], part["name"]) == (str(spending.external_id), "Checking ••••0006")
    assert part["amountUsd"] == "305.00"


def test_profit_has_no_private_part(assistant, own):
    asked = {"chartType": "PROFIT", "startDate": "2026-03-02", "isBusiness": True}

    refusal = assistant.refusal("svc_get_financial_summary", **own, **asked)

    assert refusal == ("INVALID_PARAMETER", "isBusiness: does not apply to PROFIT; leave it out")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"chartType": "LOSS"}, "chartType: must be one of INCOME, EXPENSE, PROFIT"),
        ({"granularity": "DAY"}, "granularity: must be one of MONTH, QUARTER, YEAR"),
        ({"startDate": "2026-02-30"}, "startDate: must be a date"),
        ({"isBusiness": "yes"}, "isBusiness: must be true or false"),
    ],
)
def test_what_a_summary_does_not_know_is_refused(assistant, own, wrong, message):
    asked = {**own, "chartType": "INCOME", "startDate": "2026-03-02", **wrong}

    code, result = assistant.refusal("svc_get_financial_summary", **asked)

    assert code == "INVALID_PARAMETER"
    assert result.startswith(message)


def test_a_summary_is_one_statement(assistant, own, django_assert_num_queries):
    with django_assert_num_queries(2 + 1):  # the sums
        assistant.call("svc_get_financial_summary", **own, **TOOLS["svc_get_financial_summary"])


def test_a_summary_has_the_cash_flow_of_its_period_when_asked(
    assistant, own, business, make_account, make_transaction
):
    account = make_account(business)
    for cents, category in ((9_000, "SALES"), (-700, "OWNER_DRAW"), (-300, "TRANSFERS_OUT")):
        make_transaction(account, cents, category_id=category)
    asked = {**own, "chartType": "PROFIT", "startDate": "2026-03-02"}

    plain = assistant.call("svc_get_financial_summary", **asked)
    told = assistant.call("svc_get_financial_summary", **asked, withCashFlow=True)

    assert plain["cashFlow"] is None
    assert told["totalAmountCents"] == 9_000
    assert told["cashFlow"] == {
        "inCents": 9_000,
        "inUsd": "90.00",
        "outCents": 700,
        "outUsd": "7.00",
        "netCents": 8_300,
        "netUsd": "83.00",
    }


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
