"""What the calls that come most often cost: each statement is named, so that one more fails."""

import pytest

from banking.models import Statement
from banking.models.stored_files import store
from foundation.files import PDF, Download
from tests.factories import NOON

EVERY_CALL = ["the token with the business", "the limits", "the log"]
COUNT_AND_PAGE = ["how many", "the page"]
MARCH = {"chartType": "EXPENSE", "startDate": "2026-03-02"}


@pytest.fixture
def limited(settings):
    """As in production."""
    settings.RATE_LIMIT_FACTOR = 1


@pytest.fixture
def account(business, make_account, make_transaction):
    account = make_account(business)
    for number in range(25):
        make_transaction(account, -1_000 - number)
    return account


@pytest.mark.usefixtures("limited")
def test_a_ping_costs_the_token(assistant, django_assert_num_queries):
    with django_assert_num_queries(len(["the token with the business"])):
        assistant.ask("ping")


@pytest.mark.usefixtures("account", "limited")
@pytest.mark.parametrize(
    ("arguments", "rows", "statements"),
    [
        ({"recordCnt": 10}, 10, COUNT_AND_PAGE),
        ({"recordCnt": 100}, 25, COUNT_AND_PAGE),
        ({"recordCnt": 10, "page": 3}, 5, COUNT_AND_PAGE),
        ({"startDate": "2026-03-01", "transactionType": "PURCHASE"}, 0, ["how many"]),
    ],
)
def test_a_search(assistant, arguments, rows, statements, django_assert_num_queries):
    with django_assert_num_queries(len(EVERY_CALL + statements)):
        answer = assistant.call("svc_search_transactions", **arguments)

    assert len(answer["transactions"]) == rows


@pytest.mark.usefixtures("account", "limited")
def test_an_account_summary(assistant, django_assert_num_queries):
    with django_assert_num_queries(len([*EVERY_CALL, "the accounts"])):
        answer = assistant.call("svc_get_account_summary")

    assert answer["subAccounts"] == []


@pytest.mark.usefixtures("account", "limited")
@pytest.mark.parametrize("granularity", ["MONTH", "QUARTER", "YEAR"])
def test_a_financial_summary(assistant, owner, granularity, django_assert_num_queries):
    arguments = {"customerExternalId": str(owner.external_id), "granularity": granularity, **MARCH}

    with django_assert_num_queries(len([*EVERY_CALL, "the totals"])):
        answer = assistant.call("svc_get_financial_summary", **arguments)

    assert answer["granularity"] == granularity


@pytest.mark.usefixtures("limited")
def test_a_statement(assistant, account, django_assert_num_queries):
    statement = Statement.objects.create(
        business=account.business,
        account=account,
        year=2026,
        month=2,
        opening_cents=0,
        in_cents=0,
        out_cents=0,
        closing_cents=0,
        transaction_count=0,
        created_at=NOON,
        **store(Download(PDF, "statement.pdf", b"%PDF-1.7")),
    )

    with django_assert_num_queries(len([*EVERY_CALL, "the statement", "its link"])):
        answer = assistant.call("svc_download_statement", statementId=str(statement.external_id))

    assert answer["fileName"] == "statement.pdf"
