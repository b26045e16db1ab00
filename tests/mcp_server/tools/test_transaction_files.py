"""Receipts and exports of transactions, as an assistant sees them."""

import base64
from datetime import UTC, datetime

import pytest
from django.db import connection

from banking.models import ReceiptFile
from tests.factories import NOON, PNG, make_business_owner, make_receipt_file
from tests.mcp_server.downloads import LINK, without_link

EXPORT = "svc_export_transactions_csv"
MARCH = {"startDate": "2026-03-01", "endDate": "2026-03-31"}
OURS = 2  # statements of every call: who asks, and the log
NO_RECEIPT = "There is no such receipt. Take transactionId from svc_search_transactions."
NOBODY = "00000000-0000-4000-8000-000000000000"


def test_a_receipt_is_a_pdf(assistant, purchase):
    receipt = assistant.call("svc_get_transaction_receipt", transactionId=str(purchase.external_id))

    content = base64.b64decode(receipt.pop("base64"))
    assert without_link(receipt) == {
        "contentType": "application/pdf",
        "fileName": "receipt-R-1001.pdf",
    }
    assert content.startswith(b"%PDF-")


def test_a_receipt_that_came_with_a_file_is_this_file(assistant, purchase):
    file = make_receipt_file(purchase.receipt, content=PNG, file_name="lunch.png")
    ask = {"transactionId": str(purchase.external_id)}

    assert without_link(assistant.call("svc_get_transaction_receipt", **ask)) == {
        "contentType": "image/png",
        "fileName": "lunch.png",
        "base64": base64.b64encode(PNG).decode(),
    }
    for closed, why in [
        ({"awaits_scan_since": NOON}, "waits for"),
        ({"malware": "Eicar"}, "Malware"),
    ]:
        ReceiptFile.objects.filter(pk=file.pk).update(**closed)
        code, message = assistant.refusal("svc_get_transaction_receipt", **ask)
        assert (code, why in message) == ("NOT_FOUND", True)


def test_a_transaction_without_a_receipt_has_none(assistant, account, make_transaction):
    row = make_transaction(account)
    none = ("NOT_FOUND", NO_RECEIPT)

    for transaction_id in (str(row.external_id), NOBODY, "none"):
        refusal = assistant.refusal("svc_get_transaction_receipt", transactionId=transaction_id)
        assert refusal == none


def test_the_receipt_of_another_business_is_not_found(make_assistant, make_user, purchase):
    owner = make_user()
    make_business_owner(user=owner)

    refusal = make_assistant(owner).refusal(
        "svc_get_transaction_receipt", transactionId=str(purchase.external_id)
    )

    assert refusal == ("NOT_FOUND", NO_RECEIPT)


def test_transactions_are_exported_as_csv(
    assistant, purchase, account, make_transaction, django_assert_num_queries
):
    make_transaction(account, 5_000, at=datetime(2026, 3, 31, 23, 59, tzinfo=UTC))
    make_transaction(account, 5_000, at=datetime(2026, 4, 1, tzinfo=UTC))

    copying = 3 if connection.vendor == "postgresql" else 0  # a setting, in a savepoint of its own
    with django_assert_num_queries(OURS + 1 + LINK + copying):
        file = assistant.call(EXPORT, **MARCH)

    lines = base64.b64decode(file.pop("base64")).decode().splitlines()
    assert without_link(file) == {
        "contentType": "text/csv; charset=utf-8",
        "fileName": "transactions-2026-03-01-2026-03-31.csv",
        "rowCount": 2,
    }
    assert lines[0].startswith("Transaction ID,")
    assert lines[2] == (
        f"{purchase.external_id},2026-03-02T12:00:00Z,••••0006,PURCHASE,POSTED,-19.30,Meals,"
        "Corner Bakery,Lunch with a client,BUSINESS,2026-03-02T12:00:00Z,EXPENSE"
    )
    assert len(lines) == 3


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        ({}, 3),
        ({"pending": True}, 1),
        ({"pending": False}, 2),
        ({"transactionType": "FEE"}, 1),
        ({"minAmountUsd": 20.5, "maxAmountUsd": 20.5}, 1),
        ({"transactionType": "REFUND"}, 0),
    ],
)
def test_an_export_narrows_by_every_argument(assistant, variety, wanted, count):
    assert assistant.call(EXPORT, **MARCH, **wanted)["rowCount"] == count


def test_an_export_covers_a_leap_year_and_no_more(assistant):
    whole = assistant.call(EXPORT, startDate="2028-01-01", endDate="2028-12-31")
    longer = assistant.refusal(EXPORT, startDate="2026-01-01", endDate="2027-01-02")

    assert whole["rowCount"] == 0
    assert longer == (
        "INVALID_PARAMETER",
        "endDate: must be at most 366 days from startDate, both included; for more call "
        "svc_download_expense_report",
    )


@pytest.mark.parametrize(
    ("wanted", "fault"),
    [
        ({"startDate": "2026-03-01"}, "endDate: is required"),
        ({"endDate": "2026-03-01"}, "startDate: is required"),
        ({"startDate": "2026-03-02", "endDate": "2026-03-01"}, "endDate: must not be before"),
        ({**MARCH, "minAmountUsd": 2, "maxAmountUsd": 1}, "maxAmountUsd: must not be less"),
        ({**MARCH, "transactionType": "CASH"}, "transactionType: must be one of PURCHASE"),
    ],
)
def test_an_export_refuses_what_it_does_not_know(assistant, wanted, fault):
    code, message = assistant.refusal(EXPORT, **wanted)

    assert code == "INVALID_PARAMETER"
    assert message.startswith(fault)
