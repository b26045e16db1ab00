"""Bills, as an assistant sees them."""

import base64
from datetime import UTC, date, datetime
from uuid import uuid4

import pytest
from django.utils import timezone

from banking.choices import BillFrequency, BillStatus, PaymentMethod
from tests.factories import NOON, PDF, later
from tests.mcp_server.downloads import LINK, without_link

FAILED = {"status": "FAILED", "failure_reason": "The account is closed."}
SETTLED = {"status": "SETTLED", "settled_date": date(2026, 3, 4)}


def listed(bill, **values):
    return {
        "billExternalId": str(bill.external_id),
        "billNumber": bill.number,
        "status": "PENDING",
        "amountCents": 123_456,
        "amountUsd": "1234.56",
        "currencyCode": "USD",
        "dueDate": "2026-04-01",
        "supplierName": "Mill",
        "createdDate": "2026-03-02",
        "remainingCents": 123_456,
        "remainingUsd": "1234.56",
        "settlementStatus": "UNPAID",
        "attachments": [],
        **values,
    }


def test_bills_are_listed(assistant, supplier, make_bill):
    bill = make_bill(supplier, 123_456)
    make_bill()

    assert assistant.call("svc_list_bills") == {
        "bills": [listed(bill)],
        "totalCount": 1,
        "pageSize": 50,
        "pageNumber": 0,
    }


def test_a_business_without_bills_has_an_empty_list(assistant):
    assert assistant.call("svc_list_bills") == {
        "bills": [],
        "totalCount": 0,
        "pageSize": 50,
        "pageNumber": 0,
    }


def test_of_a_foreign_amount_the_dollars_are_not_known(assistant, supplier, make_bill):
    bill = make_bill(supplier, 123_456, currency_code="EUR")
    foreign = {"currencyCode": "EUR", "amountUsd": None, "remainingUsd": None}

    in_list = assistant.call("svc_list_bills")["bills"]
    in_full = assistant.call("svc_get_bill", billExternalId=str(bill.external_id))

    assert in_list == [listed(bill, **foreign)]
    assert (in_full["amountUsd"], in_full["remainingCents"], in_full["remainingUsd"]) == (
        None,
        123_456,
        None,
    )


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (None, ["PENDING"]),
        ("PENDING", ["PENDING"]),
        ("PAID", ["PAID"]),
        ("CANCELED", ["CANCELED"]),
        ("ALL", ["PENDING", "PAID", "CANCELED"]),
    ],
)
def test_a_filter_shows_the_bills_of_a_status(assistant, supplier, make_bill, status, expected):
    for stored in BillStatus:
        make_bill(supplier, status=stored)

    found = assistant.call("svc_list_bills", status=status)

    assert [bill["status"] for bill in found["bills"]] == expected
    assert found["totalCount"] == len(expected)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ({}, ["B", "A", "C"]),
        ({"sortDirection": "DESC"}, ["C", "A", "B"]),
        ({"sortBy": "CREATE_DATE"}, ["C", "B", "A"]),
        ({"sortBy": "CREATE_DATE", "sortDirection": "DESC"}, ["A", "B", "C"]),
        ({"sortBy": "DUE_DATE", "sortDirection": "ASC"}, ["B", "A", "C"]),
    ],
)
def test_bills_are_sorted_as_asked(assistant, supplier, make_bill, order, expected):
    for number, due, created in [("A", 2, 3), ("B", 1, 2), ("C", 3, 1)]:
        make_bill(
            supplier,
            number=number,
            due_date=later(days=due).date(),
            created_at=later(days=created),
        )

    found = assistant.call("svc_list_bills", **order)

    assert [bill["billNumber"] for bill in found["bills"]] == expected


def test_bills_of_a_period_are_listed(assistant, supplier, make_bill):
    for day in (1, 2, 3):
        make_bill(supplier, due_date=date(2026, 4, day))

    found = assistant.call("svc_list_bills", startDate="2026-04-02", endDate="2026-04-02")

    assert [bill["dueDate"] for bill in found["bills"]] == ["2026-04-02"]
    assert found["totalCount"] == 1


def test_bills_come_in_pages_from_zero(assistant, supplier, make_bill):
    for number in "ABC":
        make_bill(supplier, number=number)

    pages = [assistant.call("svc_list_bills", pageNumber=number, pageSize=2) for number in range(3)]

    assert [[bill["billNumber"] for bill in page["bills"]] for page in pages] == [
        ["A", "B"],
        ["C"],
        [],
    ]
    assert [(page["pageNumber"], page["pageSize"], page["totalCount"]) for page in pages] == [
        (0, 2, 3),
        (1, 2, 3),
        (2, 2, 3),
    ]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"status": "LATE"}, "status: must be one of PAID, PENDING, CANCELED, ALL"),
        ({"sortBy": "NAME"}, "sortBy: must be one of DUE_DATE, CREATE_DATE"),
        ({"sortDirection": "UP"}, "sortDirection: must be one of ASC, DESC"),
        ({"pageSize": 101}, "pageSize: must be a whole number from 1 to 100"),
        ({"pageNumber": -1}, "pageNumber: must be a whole number from 0 to 1000000"),
    ],
)
def test_what_a_list_does_not_know_is_refused(assistant, wrong, message):
    assert assistant.refusal("svc_list_bills", **wrong) == ("INVALID_PARAMETER", message)


@pytest.mark.parametrize("count", [1, 20])
def test_a_list_takes_the_same_statements_whatever_its_length(
    assistant, business, make_supplier, make_bill, count, django_assert_num_queries
):
    for _ in range(count):
        make_bill(make_supplier(business))

    with django_assert_num_queries(2 + 4):  # the count, the page, its payments, its files
        assistant.call("svc_list_bills")


def test_a_list_tells_what_has_left_and_which_files_came(
    assistant, supplier, make_bill, make_bill_payment, make_bill_attachment
):
    bill = make_bill(supplier, 123_456)
    make_bill_payment(bill, amount_cents=23_400, **SETTLED)
    attachment = make_bill_attachment(bill, file_name="flour.pdf")

    [told] = assistant.call("svc_list_bills")["bills"]

    assert (told["settlementStatus"], told["remainingUsd"]) == ("PARTIALLY_SETTLED", "1000.56")
    assert [file["documentId"] for file in told["attachments"]] == [str(attachment.external_id)]


@pytest.mark.parametrize("count", [1, 20])
def test_a_bill_is_told_in_full(
    assistant,
    supplier,
    make_bill,
    make_bill_payment,
    make_bill_attachment,
    count,
    django_assert_num_queries,
):
    bill = make_bill(
        supplier,
        123_456,
        description="Flour",
        frequency=BillFrequency.MONTHLY,
        next_payment_date=date(2026, 4, 2),
        recurrence_end_date=date(2026, 12, 31),
    )
    settled = make_bill_payment(bill, amount_cents=23_400, **SETTLED)
    failed = [
        make_bill_payment(bill, method=PaymentMethod.CHECK, scheduled_date=NOON.date(), **FAILED)
        for _ in range(count)
    ]
    attachment = make_bill_attachment(bill, file_name="flour.pdf")

    with django_assert_num_queries(2 + 3):  # the bill, its payments, its files
        result = assistant.call("svc_get_bill", billExternalId=str(bill.external_id))

    assert result == {
        **listed(bill),
        "description": "Flour",
        "supplierExternalId": str(supplier.external_id),
        "invoiceDate": "2026-03-02",
        "remainingCents": 100_056,
        "remainingUsd": "1000.56",
        "recurring": {
            "isRecurring": True,
            "frequency": "MONTHLY",
            "nextPaymentDate": "2026-04-02",
            "endDate": "2026-12-31",
        },
        "payments": [
            {
                "paymentId": str(settled.external_id),
                "method": "ACH",
                "amountCents": 23_400,
                "amountUsd": "234.00",
                "scheduledDate": "2026-03-02",
                "settledDate": "2026-03-04",
                "status": "SETTLED",
                "failureReason": None,
            },
            *(
                {
                    "paymentId": str(payment.external_id),
                    "method": "CHECK",
                    "amountCents": 1_000,
                    "amountUsd": "10.00",
                    "scheduledDate": "2026-03-02",
                    "settledDate": None,
                    "status": "FAILED",
                    "failureReason": "The account is closed.",
                }
                for payment in failed
            ),
        ],
        "settlementStatus": "PARTIALLY_SETTLED",
        "attachments": [
            {
                "documentId": str(attachment.external_id),
                "fileName": "flour.pdf",
                "contentType": "application/pdf",
                "sizeBytes": len(PDF),
            }
        ],
    }
    assert list(result)[:9] == list(listed(bill))[:9]


def test_a_bill_that_comes_once_has_no_dates(assistant, supplier, make_bill):
    bill = make_bill(supplier, 1_000)

    result = assistant.call("svc_get_bill", billExternalId=str(bill.external_id))

    assert result["recurring"] == {
        "isRecurring": False,
        "frequency": None,
        "nextPaymentDate": None,
        "endDate": None,
    }
    assert (result["payments"], result["attachments"], result["description"]) == ([], [], None)
    assert (result["remainingCents"], result["settlementStatus"]) == (1_000, "UNPAID")


@pytest.mark.parametrize("tool", ["svc_get_bill", "svc_get_bill_payment_methods"])
def test_the_bill_of_another_business_does_not_exist(assistant, make_bill, tool):
    refusals = [
        assistant.refusal(tool, billExternalId=str(external_id))
        for external_id in [make_bill().external_id, uuid4(), "BILL-1"]
    ]

    message = "There is no such bill. Take billExternalId from svc_list_bills."
    assert refusals == [("NOT_FOUND", message)] * 3


def test_each_way_to_pay_tells_its_price_and_what_prevents_it(
    assistant,
    business,
    supplier,
    make_account,
    make_transaction,
    make_payee,
    make_bill,
    monkeypatch,
    django_assert_num_queries,
):
    make_transaction(make_account(business, is_primary=True), 1_010_00)
    make_payee(supplier, PaymentMethod.ACH)
    make_payee(supplier, PaymentMethod.WIRE_DOMESTIC)
    make_payee(supplier, PaymentMethod.WIRE_INTERNATIONAL, is_active=False)
    bill = make_bill(supplier, 1_000_00)
    friday_evening = datetime(2026, 3, 6, 21, tzinfo=UTC)
    monkeypatch.setattr(timezone, "now", lambda: friday_evening)

    with django_assert_num_queries(2 + 6):  # a bill's methods take six
        result = assistant.call(
            "svc_get_bill_payment_methods", billExternalId=str(bill.external_id).upper()
        )

    methods = [
        ("ACH", None, 0, 100_000_00, 250_000_00, "2026-03-11"),
        ("WIRE_DOMESTIC", "INSUFFICIENT_FUNDS", 20_00, 500_000_00, 1_000_000_00, "2026-03-09"),
        ("WIRE_INTERNATIONAL", "PAYEE_INACTIVE", 40_00, 250_000_00, 500_000_00, "2026-03-11"),
        ("CHECK", "NO_PAYEE_DETAILS", 1_50, 50_000_00, 100_000_00, "2026-03-16"),
    ]
    assert result == {
        "billExternalId": str(bill.external_id),
        "paymentMethods": [
            {
                "method": method,
                "eligible": reason is None,
                "ineligibleReason": reason,
                "feeCents": fee,
                "feeUsd": f"{fee / 100:.2f}",
                "perPaymentLimitCents": limit,
                "perPaymentLimitUsd": f"{limit / 100:.2f}",
                "dailyRemainingCents": left,
                "dailyRemainingUsd": f"{left / 100:.2f}",
                "estimatedArrivalDate": arrival,
            }
            for method, reason, fee, limit, left, arrival in methods
        ],
    }


def test_an_attachment_is_a_file(
    assistant, supplier, make_bill, make_bill_attachment, django_assert_num_queries
):
    attachment = make_bill_attachment(make_bill(supplier), file_name="flour.pdf")

    with django_assert_num_queries(2 + 1 + LINK):  # the attachment
        result = assistant.call(
            "svc_download_bill_attachment", documentId=str(attachment.external_id)
        )

    assert without_link(result) == {
        "contentType": "application/pdf",
        "base64": base64.b64encode(PDF).decode(),
        "fileName": "flour.pdf",
    }


def test_an_attachment_is_saved_under_the_extension_of_its_type(
    assistant, supplier, make_bill, make_bill_attachment
):
    attachment = make_bill_attachment(make_bill(supplier), file_name="flour.diagcab")

    result = assistant.call("svc_download_bill_attachment", documentId=str(attachment.external_id))

    assert result["fileName"] == "flour.diagcab.pdf"


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ({"awaits_scan_since": NOON}, "It waits for its malware scan; try again in some minutes."),
        ({"malware": "Eicar"}, "Malware was found in it."),
    ],
)
def test_an_attachment_that_may_be_malware_is_not_downloaded(
    assistant, supplier, make_bill, make_bill_attachment, state, why
):
    attachment = make_bill_attachment(make_bill(supplier), **state)

    refusal = assistant.refusal(
        "svc_download_bill_attachment", documentId=str(attachment.external_id)
    )

    assert refusal == ("NOT_FOUND", f"This file cannot be downloaded. {why}")


def test_the_attachment_of_another_business_does_not_exist(assistant, make_bill_attachment):
    refusals = [
        assistant.refusal("svc_download_bill_attachment", documentId=str(document_id))
        for document_id in [make_bill_attachment().external_id, uuid4(), "flour.pdf"]
    ]

    message = (
        "There is no such bill attachment. "
        "Take documentId of an attachment in svc_list_bills or svc_get_bill."
    )
    assert refusals == [("NOT_FOUND", message)] * 3


@pytest.mark.parametrize(
    ("tool", "parameter"),
    [
        ("svc_get_bill", "billExternalId"),
        ("svc_get_bill_payment_methods", "billExternalId"),
        ("svc_download_bill_attachment", "documentId"),
    ],
)
def test_an_id_must_be_given(assistant, tool, parameter):
    code, message = assistant.refusal(tool)

    assert code == "INVALID_PARAMETER"
    assert message.startswith(f"{parameter}: is required")


def test_an_accountant_names_the_client(
    accountants_assistant, assistant, business, supplier, make_bill
):
    bill = make_bill(supplier)
    asked = {"billExternalId": str(bill.external_id)}

    refusal = accountants_assistant.refusal("svc_get_bill", **asked)
    result = accountants_assistant.call(
        "svc_get_bill", **asked, businessUserId=str(business.external_id)
    )

    assert refusal[0] == "INVALID_PARAMETER"
    assert result == assistant.call("svc_get_bill", **asked)
