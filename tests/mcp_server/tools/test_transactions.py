"""Transactions, as an assistant sees them."""

import pytest
from django.db import connection

from banking.choices import TransactionType
from banking.queries import search_counts
from foundation.database.estimates import Estimate
from tests.factories import later

LIST = "svc_search_transactions"
GET = "svc_get_transaction"
EXPORT = "svc_export_transactions_csv"
LOCATIONS = "svc_get_transaction_locations"
MARCH = {"startDate": "2026-03-01", "endDate": "2026-03-31"}
OURS = 2  # statements of every call: who asks, and the log
NOBODY = "00000000-0000-4000-8000-000000000000"


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
        "totalIsLowerBound": False,
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
    estimates = 1 if connection.vendor == "postgresql" else 0  # how many the planner expects
    with django_assert_num_queries(OURS + 4 + estimates):  # merchants, number, ids, the page
        assistant.call(LIST, query="corner")


def test_the_total_of_a_very_common_query_is_a_lower_bound(assistant, texts, monkeypatch):
    monkeypatch.setattr(search_counts, "MOST_COUNTED", 1)
    monkeypatch.setattr(search_counts, "estimate", lambda sql, values: Estimate(10**9, 10**9))

    page = assistant.call(LIST, query="corner", recordCnt=1)

    assert (page["totalCount"], page["totalIsLowerBound"]) == (1, True)
    assert {
        page[f"total{of}{unit}"] for of in ("Amount", "In", "Out") for unit in ("Cents", "Usd")
    } == {None}


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


def test_an_accountant_reads_a_clients_transactions(accountants_assistant, business, purchase):
    client = {"businessUserId": str(business.external_id)}

    assert ids(accountants_assistant.call(LIST, **client)) == names(purchase)
    assert accountants_assistant.call(GET, **reference(purchase), **client)["hasReceipt"] is True
    assert accountants_assistant.call(EXPORT, **MARCH, **client)["rowCount"] == 1
