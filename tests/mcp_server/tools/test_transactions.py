"""Transactions, as an assistant sees them."""

import base64
from datetime import UTC, datetime

import pytest
from django.db import connection

from banking.choices import TransactionType
from banking.models import Location, Merchant, Receipt, ReceiptFile, ReceiptLine
from tests.factories import NOON, PNG, later, make_business_owner, make_receipt_file
from tests.mcp_server.downloads import LINK, without_link

LIST = "svc_search_transactions"
GET = "svc_get_transaction"
EXPORT = "svc_export_transactions_csv"
LOCATIONS = "svc_get_transaction_locations"
MARCH = {"startDate": "2026-03-01", "endDate": "2026-03-31"}
OURS = 2  # statements of every call: who asks, and the log
NOBODY = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def account(business, make_account):
    return make_account(business, account_number="200000000006")


@pytest.fixture
def bakery(db):
    return Merchant.objects.create(
        name="Corner Bakery", mcc="5462", website="https://bakery.example.com"
    )


@pytest.fixture
def reno(db):
    return make_location("reno-1", latitude="39.529600", longitude="-119.813800")


@pytest.fixture
def purchase(account, bakery, reno, make_card, make_transaction):
    """A purchase with everything that belongs to one."""
    row = make_transaction(
        account,
        -1_930,
        transaction_type=TransactionType.PURCHASE,
        category_id="MEALS",
        description="Lunch with a client",
        merchant=bakery,
        merchant_raw_name="SQ *CORNER BAKERY",
        location=reno,
        card=make_card(account, last4="4242"),
        original_amount_cents=1_785,
        original_currency="EUR",
        note="Alex paid",
    )
    receipt = Receipt.objects.create(
        transaction=row, number="R-1001", issued_at=NOON, tax_cents=130, tip_cents=300
    )
    ReceiptLine.objects.create(receipt=receipt, position=1, name="Soup", unit_price_cents=1_500)
    return row


def make_location(key, **values):
    values = {
        "line1": "1 Main St",
        "line2": "Suite 2",
        "city": "Reno",
        "state": "NV",
        "postal_code": "89501",
        **values,
    }
    return Location.objects.create(key=key, **values)


def reference(row):
    """Return the arguments that name a transaction."""
    day = f"{row.occurred_at:%Y-%m-%d}"
    return {
        "accountNo": row.account.account_number,
        "transactionType": row.transaction_type,
        "transactionId": str(row.external_id),
        "startDate": day,
        "endDate": day,
    }


def ids(page):
    return [row["transactionId"] for row in page["transactions"]]


def names(*rows):
    return [str(row.external_id) for row in rows]


def test_a_search_tells_what_moved(assistant, account, purchase, make_transaction):
    hold = make_transaction(account, 5_000, at=later(days=1), pending=True)

    assert assistant.call(LIST) == {
        "page": 1,
        "totalCount": 2,
        "totalAmountCents": 3_070,
        "totalAmountUsd": "30.70",
        "totalInCents": 5_000,
        "totalInUsd": "50.00",
        "totalOutCents": 1_930,
        "totalOutUsd": "19.30",
        "matchedQuery": None,
        "transactions": [
            {
                "transactionId": str(hold.external_id),
                "accountNo": "200000000006",
                "transactionType": "FUND_TRANSFER",
                "amountCents": 5_000,
                "amountUsd": "50.00",
                "merchantName": None,
                "timestamp": "2026-03-03T12:00:00Z",
                "pending": True,
                "categoryCode": "SALES",
                "locationKey": None,
                "description": hold.description,
                "settlementDate": None,
                "hasReceipt": False,
            },
            {
                "transactionId": str(purchase.external_id),
                "accountNo": "200000000006",
                "transactionType": "PURCHASE",
                "amountCents": -1_930,
                "amountUsd": "-19.30",
                "merchantName": "Corner Bakery",
                "timestamp": "2026-03-02T12:00:00Z",
                "pending": False,
                "categoryCode": "MEALS",
                "locationKey": "reno-1",
                "description": "Lunch with a client",
                "settlementDate": "2026-03-02",
                "hasReceipt": True,
            },
        ],
    }


def test_a_business_without_transactions_finds_none(assistant):
    page = assistant.call(LIST)

    assert (page["totalCount"], page["totalAmountCents"], page["transactions"]) == (0, 0, [])


@pytest.mark.parametrize(
    "wanted",
    [{}, {"minAmountUsd": 1}, {"startDate": "2026-03-01"}, {"startDate": "2025-12-20"}],
)
def test_the_totals_are_those_of_all_pages(assistant, account, make_transaction, wanted):
    for number, amount in enumerate([-300, -500, 1_000, 250]):
        make_transaction(account, amount, at=later(hours=number))

    page = assistant.call(LIST, recordCnt=2, page=2, **wanted)

    sums = [page[f"total{name}Usd"] for name in ("In", "Out", "Amount")]
    assert sums == ["12.50", "8.00", "4.50"]


@pytest.mark.parametrize("count", [1, 12])
def test_a_search_takes_the_same_statements_for_any_page(
    assistant, account, bakery, make_transaction, django_assert_num_queries, count
):
    for number in range(count):
        make_transaction(account, 100, at=later(hours=number), merchant=bakery)

    with django_assert_num_queries(OURS + 2):  # how many there are, the page
        page = assistant.call(LIST)

    assert page["totalCount"] == count


def test_pages_count_from_1_and_hold_ten(assistant, account, make_transaction):
    rows = [make_transaction(account, at=later(hours=-number)) for number in range(12)]

    assert ids(assistant.call(LIST)) == names(*rows[:10])
    assert ids(assistant.call(LIST, page=2)) == names(*rows[10:])
    assert ids(assistant.call(LIST, page=3, recordCnt=5)) == names(*rows[10:])
    beyond = assistant.call(LIST, page=4)
    assert (beyond["page"], beyond["totalCount"], beyond["transactions"]) == (4, 12, [])


@pytest.fixture
def variety(account, business, make_account, make_transaction):
    """Transactions of a business that differ in everything a search may ask for."""
    savings = make_account(business, account_type="SAVING_BUCKET")
    kinds = TransactionType
    return {
        "fee": make_transaction(account, -30, transaction_type=kinds.FEE, category_id="BANK_FEES"),
        "sale": make_transaction(savings, 2_050, at=later(days=1)),
        "hold": make_transaction(
            account, -2_051, at=later(days=2), transaction_type=kinds.ATM, pending=True
        ),
        "cash": make_transaction(
            account, 9_000, at=later(days=40), transaction_type=kinds.CACHE_DEPOSIT
        ),
    }


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"startDate": "2026-03-03"}, ["cash", "hold", "sale"]),
        ({"endDate": "2026-03-03"}, ["sale", "fee"]),
        ({"startDate": "2026-03-03", "endDate": "2026-03-03"}, ["sale"]),
        ({"pending": True}, ["hold"]),
        ({"pending": False}, ["cash", "sale", "fee"]),
        ({"transactionType": "CACHE_DEPOSIT"}, ["cash"]),
        ({"category": "BANK_FEES"}, ["fee"]),
        ({"minAmountUsd": 20.5, "maxAmountUsd": 20.51}, ["hold", "sale"]),
        ({"minAmountUsd": 20.501, "maxAmountUsd": 90}, ["cash", "hold"]),
        ({"maxAmountUsd": 20.509}, ["sale", "fee"]),
        ({"minAmountUsd": 0.3, "maxAmountUsd": 0.3}, ["fee"]),
        ({"maxAmountUsd": 0}, []),
        ({"startDate": "2999-12-31", "endDate": "2999-12-31"}, []),
        ({"accountNo": "200000000006"}, ["cash", "hold", "fee"]),
        ({"accountNo": "200000000006", "pending": False, "category": "SALES"}, ["cash"]),
        ({"category": "GRANTS"}, []),
    ],
)
def test_a_search_narrows_by_every_argument(assistant, variety, wanted, found):
    page = assistant.call(LIST, **wanted)

    assert ids(page) == names(*(variety[name] for name in found))
    assert page["totalCount"] == len(found)


def test_an_account_may_be_named_by_its_external_id(assistant, variety):
    savings = variety["sale"].account

    page = assistant.call(LIST, accountNo=str(savings.external_id))

    assert ids(page) == names(variety["sale"])


@pytest.fixture
def texts(account, bakery, make_transaction):
    """Transactions with words of every kind, the newest first."""
    rows = {
        "bakery": {"merchant": bakery, "merchant_raw_name": "SQ *1234", "description": "Lunch"},
        "raw": {"merchant_raw_name": "CORNER HARDWARE", "description": "Nails, 3-inch"},
        "told": {"description": "Invoice INV-77 of Grünwald Cafe"},
        "none": {"description": "", "merchant_raw_name": ""},
    }
    return {
        name: make_transaction(account, -100, at=later(hours=-place), **values)
        for place, (name, values) in enumerate(rows.items())
    }


@pytest.mark.parametrize(
    ("query", "found", "matched"),
    [
        ("corner", ["bakery", "raw"], "corner"),
        ("CORN bak", ["bakery"], "corn bak"),
        ("hard nails", ["raw"], "hard nails"),
        ("inv 77", ["told"], "inv 77"),
        ("grünwald", ["told"], "grünwald"),
        ("ware", [], "ware"),
        ("corner lunch", [], "corner lunch"),
        ("bakrey", ["bakery"], "bakery"),
        ("corner hardwear", ["raw"], "corner hardware"),
        ("zebra", [], "zebra"),
        ("'; DROP TABLE x; --", [], "drop table x"),
    ],
)
def test_a_query_finds_beginnings_of_words_and_similar_merchants(
    assistant, texts, query, found, matched
):
    page = assistant.call(LIST, query=query)

    assert ids(page) == names(*(texts[name] for name in found))
    assert (page["totalCount"], page["matchedQuery"]) == (len(found), matched)
    assert page["totalOutUsd"] == f"{len(found)}.00"


def test_a_query_narrows_with_the_other_conditions(assistant, texts, make_transaction, account):
    hold = make_transaction(account, -900, merchant_raw_name="CORNER", pending=True)

    assert ids(assistant.call(LIST, query="corner", pending=True)) == names(hold)
    assert ids(assistant.call(LIST, query="corner", maxAmountUsd=5, page=2, recordCnt=1)) == names(
        texts["raw"]
    )
    assert assistant.call(LIST, query="corner", endDate="2026-03-01")["totalCount"] == 0


def test_a_query_never_finds_what_another_business_has(assistant, texts, make_transaction, bakery):
    make_transaction(merchant=bakery, description="Grünwald corner")

    assert assistant.call(LIST, query="corner")["totalCount"] == 2


def test_a_query_without_a_word_is_refused(assistant):
    refusal = assistant.refusal(LIST, query="*!")

    assert refusal == ("INVALID_PARAMETER", "query: must have a letter or a digit")


def test_a_query_takes_the_same_statements_for_any_text(
    assistant, texts, django_assert_num_queries
):
    with django_assert_num_queries(OURS + 4):  # merchants, how many, which, the page
        assistant.call(LIST, query="corner")


@pytest.mark.parametrize("name", ["••••0006", "0006", "****0006"])
def test_an_account_may_be_named_by_its_masked_number(assistant, variety, name):
    page = assistant.call(LIST, accountNo=name)

    assert ids(page) == names(variety["cash"], variety["hold"], variety["fee"])


def test_a_masked_number_of_two_accounts_is_refused(assistant, account, business, make_account):
    make_account(business, account_number="300000080006")

    code, message = assistant.refusal(LIST, accountNo=account.masked_number)

    assert code == "INVALID_PARAMETER"
    assert message.startswith("accountNo: is the masked number of several accounts. Take account")


def test_an_account_that_is_not_the_businesss_is_not_found(assistant, purchase, make_account):
    stranger = make_account()
    unknown = (
        "NOT_FOUND",
        "There is no such account. "
        "Take accountExternalId from `accounts` of svc_get_account_summary.",
    )

    assert assistant.refusal(LIST, accountNo=stranger.account_number) == unknown
    assert assistant.refusal(LIST, accountNo=str(stranger.external_id)) == unknown
    assert assistant.refusal(LIST, accountNo="none") == unknown


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"recordCnt": 0}, "recordCnt: must be a whole number from 1 to 100"),
        ({"recordCnt": 101}, "recordCnt: must be a whole number from 1 to 100"),
        ({"page": 0}, "page: must be a whole number from 1 to 1000000"),
        ({"pending": "true"}, "pending: must be true or false"),
        ({"minAmountUsd": -1}, "minAmountUsd: must be a number from 0 to 1000000000000"),
        (
            {"minAmountUsd": 2, "maxAmountUsd": 1.99},
            "maxAmountUsd: must not be less than minAmountUsd",
        ),
        (
            {"startDate": "2026-03-02", "endDate": "2026-03-01"},
            "endDate: must not be before startDate, 2026-03-02",
        ),
        (
            {"startDate": "2026-02-30"},
            "startDate: must be a date from 1900-01-01 to 2999-12-31, as YYYY-MM-DD",
        ),
        (
            {"transactionType": "CASH_DEPOSIT"},
            "transactionType: must be one of PURCHASE, FUND_TRANSFER, REFUND, CHECK_DEPOSIT, FEE, "
            "ATM, CACHE_DEPOSIT",
        ),
        ({"category": "meals"}, "category: must be a code from svc_list_transaction_categories"),
    ],
)
def test_a_search_refuses_what_it_does_not_know(assistant, wanted, message):
    assert assistant.refusal(LIST, **wanted) == ("INVALID_PARAMETER", message)


def test_a_transaction_comes_with_all_that_is_known(assistant, purchase, django_assert_num_queries):
    wanted = reference(purchase)

    with django_assert_num_queries(OURS + 2):  # the account, the transaction
        found = assistant.call(GET, **wanted)

    assert found == {
        "transactionId": str(purchase.external_id),
        "accountNo": "200000000006",
        "transactionType": "PURCHASE",
        "amountCents": -1_930,
        "amountUsd": "-19.30",
        "merchantName": "Corner Bakery",
        "timestamp": "2026-03-02T12:00:00Z",
        "pending": False,
        "categoryCode": "MEALS",
        "locationKey": "reno-1",
        "description": "Lunch with a client",
        "direction": "DEBIT",
        "merchant": {
            "name": "Corner Bakery",
            "rawName": "SQ *CORNER BAKERY",
            "mcc": "5462",
            "mccDescription": "Bakeries",
            "website": "https://bakery.example.com",
        },
        "category": {"code": "MEALS", "displayName": "Meals"},
        "isBusiness": True,
        "settlementAmountCents": -1_930,
        "settlementAmountUsd": "-19.30",
        "settlementDate": "2026-03-02",
        "originalAmountCents": -1_785,
        "originalCurrency": "EUR",
        "cardLast4": "4242",
        "note": "Alex paid",
        "hasReceipt": True,
        "locationKeys": ["reno-1"],
    }


def test_what_is_not_known_of_a_transaction_is_null(assistant, account, make_transaction):
    hold = make_transaction(account, 5_000, description="", pending=True, is_business=False)

    found = assistant.call(GET, **reference(hold))

    assert found == {
        "transactionId": str(hold.external_id),
        "accountNo": "200000000006",
        "transactionType": "FUND_TRANSFER",
        "amountCents": 5_000,
        "amountUsd": "50.00",
        "merchantName": None,
        "timestamp": "2026-03-02T12:00:00Z",
        "pending": True,
        "categoryCode": "SALES",
        "locationKey": None,
        "description": None,
        "direction": "CREDIT",
        "merchant": None,
        "category": {"code": "SALES", "displayName": "Sales"},
        "isBusiness": False,
        "settlementAmountCents": None,
        "settlementAmountUsd": None,
        "settlementDate": None,
        "originalAmountCents": None,
        "originalCurrency": None,
        "cardLast4": None,
        "note": None,
        "hasReceipt": False,
        "locationKeys": [],
    }


def test_a_merchant_may_be_known_by_its_raw_name_alone(assistant, account, make_transaction):
    row = make_transaction(account, -500, merchant_raw_name="TIN SPOON 7")

    found = assistant.call(GET, **reference(row))

    assert found["merchantName"] == "TIN SPOON 7"
    assert found["merchant"] == {
        "name": "TIN SPOON 7",
        "rawName": "TIN SPOON 7",
        "mcc": None,
        "mccDescription": None,
        "website": None,
    }


@pytest.mark.parametrize(
    "wrong",
    [
        {"transactionId": NOBODY},
        {"transactionId": "none"},
        {"transactionType": "REFUND"},
        {"endDate": "2026-03-01", "startDate": "2026-03-01"},
    ],
)
def test_a_transaction_is_found_by_what_the_search_told_alone(assistant, purchase, wrong):
    code, message = assistant.refusal(GET, **{**reference(purchase), **wrong})

    assert code == "NOT_FOUND"
    assert message.startswith("There is no transaction of this id, account, type and date")


def test_the_transaction_of_another_business_is_not_found(assistant, purchase, make_transaction):
    stranger = make_transaction(transaction_type=TransactionType.PURCHASE)

    its_account = assistant.refusal(GET, **reference(stranger))
    its_id = assistant.refusal(
        GET, **{**reference(purchase), "transactionId": str(stranger.external_id)}
    )

    assert its_account[0] == "NOT_FOUND"
    assert its_id[0] == "NOT_FOUND"


def test_a_transaction_needs_every_argument(assistant, purchase):
    for name in reference(purchase):
        given = {key: value for key, value in reference(purchase).items() if key != name}

        code, message = assistant.refusal(GET, **given)

        assert code == "INVALID_PARAMETER"
        assert message.startswith(f"{name}: is required")


def test_categories_are_listed_expenses_first(assistant, django_assert_num_queries):
    with django_assert_num_queries(OURS + 1):
        listed = assistant.call("svc_list_transaction_categories")

    assert list(listed) == ["categories"]
    kinds = [row["transactionType"] for row in listed["categories"]]
    assert kinds == sorted(kinds)
    assert set(kinds) == {"EXPENSE", "INCOME"}
    meals = {"code": "MEALS", "displayName": "Meals", "transactionType": "EXPENSE"}
    assert meals in listed["categories"]


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
    none = ("NOT_FOUND", "There is no such receipt.")

    for transaction_id in (str(row.external_id), NOBODY, "none"):
        refusal = assistant.refusal("svc_get_transaction_receipt", transactionId=transaction_id)
        assert refusal == none


def test_the_receipt_of_another_business_is_not_found(make_assistant, make_user, purchase):
    owner = make_user()
    make_business_owner(user=owner)

    refusal = make_assistant(owner).refusal(
        "svc_get_transaction_receipt", transactionId=str(purchase.external_id)
    )

    assert refusal == ("NOT_FOUND", "There is no such receipt.")


def test_locations_come_in_the_order_of_their_keys(
    assistant, account, purchase, make_transaction, django_assert_num_queries
):
    plain = make_location("online", line1="", line2="", city="", state="", postal_code="")
    make_transaction(account, -100, location=plain)
    make_location("elsewhere")

    with django_assert_num_queries(OURS + 1):
        answer = assistant.call(LOCATIONS, locationKeys="online, elsewhere,reno-1,,online,none")

    assert answer == {
        "locations": [
            {
                "locationKey": "online",
                "streetAddress": None,
                "city": None,
                "state": None,
                "postalCode": None,
                "country": "US",
                "latitude": None,
                "longitude": None,
            },
            {
                "locationKey": "reno-1",
                "streetAddress": "1 Main St, Suite 2",
                "city": "Reno",
                "state": "NV",
                "postalCode": "89501",
                "country": "US",
                "latitude": 39.5296,
                "longitude": -119.8138,
            },
        ],
        "notFound": ["elsewhere", "none"],
    }


def test_a_location_where_only_others_bought_is_not_found(assistant, account, make_transaction):
    make_transaction(location=make_location("theirs"))

    answer = assistant.call(LOCATIONS, locationKeys="theirs")

    assert answer == {"locations": [], "notFound": ["theirs"]}


def test_ten_locations_are_the_most(assistant):
    keys = [f"key-{number}" for number in range(11)]

    ten = assistant.call(LOCATIONS, locationKeys=",".join(keys[:10]))
    eleven = assistant.refusal(LOCATIONS, locationKeys=",".join(keys))

    assert ten == {"locations": [], "notFound": keys[:10]}
    message = "locationKeys: must be at most 10 keys; ask for the others next"
    assert eleven == ("INVALID_PARAMETER", message)


@pytest.mark.parametrize("keys", ["", " , ,"])
def test_no_location_is_refused(assistant, keys):
    message = "locationKeys: must name a locationKey from svc_search_transactions"

    assert assistant.refusal(LOCATIONS, locationKeys=keys) == ("INVALID_PARAMETER", message)


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


def test_an_accountant_reads_a_clients_transactions(accountants_assistant, business, purchase):
    client = {"businessUserId": str(business.external_id)}

    assert ids(accountants_assistant.call(LIST, **client)) == names(purchase)
    assert accountants_assistant.call(GET, **reference(purchase), **client)["hasReceipt"] is True
    assert accountants_assistant.call(EXPORT, **MARCH, **client)["rowCount"] == 1
