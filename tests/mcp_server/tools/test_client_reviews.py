"""The review of all clients, as an accountant's assistant sees it."""

import random
from datetime import UTC, date, datetime

import pytest
from django.utils import timezone

from banking.choices import AccessLevel, AccessStatus, ClientCheck, TransactionType
from banking.models import ClientAccess
from banking.services.statements import close_months
from mcp_server import texts
from mcp_server.models import AccessLogEntry
from mcp_server.scopes import Scope
from tests import factories
from tests.factories import NOON

REVIEW = "svc_review_clients"
NOW = datetime(2026, 4, 10, 12, tzinfo=UTC)
LONG = "Incorporated Association of Northern Bakeries, Restaurants and Catering Suppliers"


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    monkeypatch.setattr(timezone, "now", lambda: NOW)


@pytest.fixture
def make_client(accountant):
    """Return a function that makes a client with a checking account that has 5,000 dollars."""

    def make(name, **access):
        business = factories.make_business(
            legal_name=name, incorporation_state="TX", created_at=NOON
        )
        factories.make_access(accountant, business, **access)
        account = factories.make_account(business)
        factories.make_transaction(account, 500_000, category_id="OWNER_INVESTMENT")
        return business, account

    return make


def close():
    list(close_months(through=date(2026, 3, 31), at=NOW))


@pytest.fixture
def assistant(accountant, make_assistant):
    return make_assistant(accountant.user)


def found_by(review):
    return {
        row["check"]: [
            (one["businessName"], one["count"], one["amountUsd"]) for one in row["clients"]
        ]
        for row in review["checks"]
    }


def test_each_check_finds_its_clients(assistant, make_client):
    make_client("Tidy LLC")
    close()
    business, account = make_client("Untidy LLC")
    supplier = factories.make_supplier(business)
    factories.make_bill(supplier, 30_000, due_date=date(2026, 4, 1))
    factories.make_bill(supplier, 99_000, due_date=date(2026, 4, 10))
    paid = factories.make_bill(supplier, 7_000, due_date=date(2026, 4, 1))
    factories.make_bill_payment(paid, amount_cents=7_000, scheduled_date=NOW.date())
    factories.make_invoice(business, 12_000, due_date=date(2026, 4, 2))
    bought = {"transaction_type": TransactionType.PURCHASE, "category_id": "INVENTORY"}
    factories.make_transaction(account, -9_000, **bought)
    factories.make_transaction(account, -7_499, **bought)
    factories.make_transaction(account, -40_000, category_id="OTHER_EXPENSE")
    factories.make_transaction(account, -420_000, category_id="OWNER_DRAW")
    factories.make_transaction(
        account,
        6_000_000,
        category_id="SALES",
        at=datetime(2026, 2, 1, tzinfo=UTC),
        is_business=True,
    )
    factories.make_transaction(account, -6_000_000, category_id="LOAN_PRINCIPAL")

    review = assistant.call(REVIEW)

    found = found_by(review)
    [(_, _, tax)] = found.pop("TAX_NOT_SAVED")
    assert float(tax) > 5_000
    assert found == {
        "STATEMENT_MISSING": [("Untidy LLC", 1, "0.00")],
        "BILLS_OVERDUE": [("Untidy LLC", 1, "300.00")],
        "INVOICES_OVERDUE": [("Untidy LLC", 1, "120.00")],
        "BALANCE_LOW": [("Untidy LLC", 1, "235.01")],
        "NOT_CATEGORIZED": [("Untidy LLC", 1, "400.00")],
        "RECEIPT_MISSING": [("Untidy LLC", 1, "90.00")],
    }
    assert (review["clientCount"], review["startDate"], review["notGranted"]) == (
        2,
        "2026-03-01",
        [],
    )


def test_one_check_has_a_limit_and_days_of_its_own(assistant, make_client):
    _, account = make_client("Untidy LLC")
    factories.make_transaction(account, -40_000, category_id="OTHER_EXPENSE")

    low = assistant.call(REVIEW, check="BALANCE_LOW", belowUsd=4_600.01)
    high = assistant.call(REVIEW, check="BALANCE_LOW", belowUsd=4_600)
    late = assistant.call(REVIEW, check="NOT_CATEGORIZED", startDate="2026-03-03")

    assert found_by(low) == {"BALANCE_LOW": [("Untidy LLC", 1, "4600.00")]}
    assert found_by(high) == {"BALANCE_LOW": []}
    assert found_by(late) == {"NOT_CATEGORIZED": []}


def test_a_client_that_shows_statements_is_asked_for_its_statement_alone(assistant, make_client):
    make_client("Quiet LLC", level=AccessLevel.STATEMENTS_ONLY)

    review = assistant.call(REVIEW, belowUsd=1_000_000)

    assert [name for name, clients in found_by(review).items() if clients] == ["STATEMENT_MISSING"]


@pytest.mark.parametrize("status", [AccessStatus.REVOKED, AccessStatus.PENDING_TERMS])
def test_only_clients_that_may_be_read_now_are_reviewed(assistant, make_client, status):
    for number in range(3):
        make_client(f"Client {number} LLC")
    first = assistant.call(REVIEW, check="BALANCE_LOW", belowUsd=9_999, size=2)

    gone = {"revoked_at": NOW} if status == AccessStatus.REVOKED else {"granted_at": None}
    ClientAccess.objects.filter(business__legal_name="Client 2 LLC").update(status=status, **gone)
    rest = assistant.call(REVIEW, check="BALANCE_LOW", belowUsd=9_999, size=2, page=1)

    assert (first["clientCount"], rest["clientCount"]) == (3, 2)
    assert rest["checks"][0]["clients"] == []


def test_bills_in_another_currency_are_counted_and_not_added_up(assistant, make_client):
    business, _ = make_client("Importer LLC")
    supplier = factories.make_supplier(business)
    factories.make_bill(supplier, 30_000, due_date=date(2026, 4, 1))
    factories.make_bill(supplier, 99_000, due_date=date(2026, 4, 1), currency_code="EUR")

    review = assistant.call(REVIEW, check="BILLS_OVERDUE")

    assert found_by(review) == {"BILLS_OVERDUE": [("Importer LLC", 2, "300.00")]}
    assert review["checks"][0]["amountCents"] == 30_000


def test_clients_whose_tax_cannot_be_estimated_are_counted(assistant, make_client):
    make_client("Tidy LLC")
    business, _ = make_client("Abroad LLC")
    type(business).objects.filter(pk=business.pk).update(tax_state="", incorporation_state="PR")

    review = assistant.call(REVIEW)

    assert {row["check"]: row["notEstimated"] for row in review["checks"]} == {
        **dict.fromkeys(ClientCheck.values, 0),
        "TAX_NOT_SAVED": 1,
    }
    assert found_by(review)["TAX_NOT_SAVED"] == []


def test_a_check_of_data_that_was_not_granted_is_left_out(accountant, make_assistant, make_client):
    make_client("Untidy LLC")
    assistant = make_assistant(accountant.user, scopes=[Scope.CLIENTS, Scope.BILLS])

    review = assistant.call(REVIEW)

    assert list(found_by(review)) == ["BILLS_OVERDUE"]
    assert set(review["notGranted"]) == set(ClientCheck) - {"BILLS_OVERDUE"}
    assert assistant.refusal(REVIEW, check="TAX_NOT_SAVED") == (
        "ACCESS_DENIED",
        "The user did not grant the data of this check.",
    )


def test_every_client_that_was_reviewed_has_a_row_in_the_log(assistant, make_client):
    clients = {make_client(f"Client {number} LLC")[0].pk for number in range(3)}

    assistant.call(REVIEW)

    assert set(AccessLogEntry.objects.values_list("business", flat=True)) == clients


@pytest.mark.parametrize("count", [2, 12])
def test_a_review_takes_the_same_statements_for_any_number_of_clients(
    assistant, make_client, count, django_assert_max_num_queries
):
    for number in range(count):
        make_client(f"Client {number} LLC")

    with django_assert_max_num_queries(13):
        assistant.call(REVIEW)


def test_500_clients_with_long_names_take_two_calls_and_8000_tokens(assistant, accountant):
    """The first call counts the clients of each check, the second names all clients of one."""
    tokens = pytest.importorskip("bpe_openai").get_encoding("o200k_base")
    shuffled = random.Random(1)
    owners = [
        factories.make_business(
            legal_name=f"{' '.join(shuffled.sample(LONG.split(), 9))} {number}", created_at=NOON
        )
        for number in range(500)
    ]
    for business in owners:
        factories.make_access(accountant, business)
        factories.make_account(business)

    answers = [
        assistant.call(REVIEW),
        assistant.call(REVIEW, check="BALANCE_LOW", brief=True),
    ]

    assert [
        row["clientCount"] for row in answers[0]["checks"] if row["check"] == "BALANCE_LOW"
    ] == [500]
    assert len(answers[1]["checks"][0]["names"]) == 500
    assert sum(len(tokens.encode(texts.rendered(answer).decode())) for answer in answers) < 8_000


def test_all_clients_of_a_check_are_named_briefly(assistant, make_client):
    for name in ("Short Name LLC", "The Cooperative of Bakers of the North, Branch 2"):
        make_client(name)

    [found] = assistant.call(REVIEW, check="BALANCE_LOW", belowUsd=10_000, brief=True)["checks"]

    assert (found["clientCount"], found["clients"]) == (2, [])
    assert sorted(found["names"]) == ["Short Name LLC", "The Cooperative of B…h, Branch 2"]


def test_names_alone_are_of_one_check(assistant):
    assert assistant.refusal(REVIEW, brief=True) == ("INVALID_PARAMETER", "brief: needs check")
