"""Accounts, as an assistant sees them."""

import pytest

from banking.choices import AccessLevel, AccountType, ConnectionStatus, LinkedAccountType
from tests.factories import NOON


@pytest.fixture
def checking(business, make_account, make_transaction):
    """A primary account with 1,250 dollars, 200 of them held."""
    account = make_account(business, is_primary=True)
    make_transaction(account, 125_000)
    make_transaction(account, -20_000, pending=True)
    return account


def test_a_summary_has_the_checking_account_and_the_buckets(
    assistant, business, checking, make_account, make_transaction
):
    collateral = make_account(business, account_type=AccountType.SECURED_CARD_COLLATERAL)
    make_account(business, account_type=AccountType.SAVING_BUCKET)
    make_transaction(make_account(business, account_type=AccountType.TAX_BUCKET), 5)
    make_transaction(collateral, 50_000)

    summary = assistant.call("svc_get_account_summary")

    assert {name: summary[name] for name in list(summary)[:7]} == {
        "accountExternalId": str(checking.external_id),
        "accountNumberMasked": f"••••{checking.account_number[-4:]}",
        "routingNumber": "110000000",
        "isPrimaryUboChecking": True,
        "availableBalanceCents": 105_000,
        "availableBalanceUsd": "1050.00",
        "subAccounts": [
            {"bucketType": "TAX", "balanceCents": 5, "balanceUsd": "0.05"},
            {
                "bucketType": "SECURED_CARD_COLLATERAL",
                "balanceCents": 50_000,
                "balanceUsd": "500.00",
            },
        ],
    }


def test_a_summary_has_the_balances_of_all_open_accounts(
    assistant, business, checking, make_account, make_transaction
):
    savings = make_account(business, account_type=AccountType.SAVING_BUCKET, name="Oven")
    make_transaction(savings, 7_000)
    credit = make_account(business, account_type=AccountType.LOC, credit_limit_cents=100_000)
    make_transaction(credit, -30_000)

    summary = assistant.call("svc_get_account_summary")

    told = {row["accountType"]: row for row in summary["accounts"]}
    assert told["SAVING_BUCKET"] == {
        "accountExternalId": str(savings.external_id),
        "accountType": "SAVING_BUCKET",
        "name": "Oven",
        "accountNumberMasked": savings.masked_number,
        "balanceCents": 7_000,
        "balanceUsd": "70.00",
        "availableCents": 7_000,
        "availableUsd": "70.00",
        "creditLimitCents": None,
        "creditLimitUsd": None,
    }
    assert told["MAIN_ACCOUNT"]["availableUsd"] == "1050.00"
    assert (told["LOC"]["balanceUsd"], told["LOC"]["availableUsd"]) == ("-300.00", "700.00")
    assert (summary["totalCashUsd"], summary["totalOwedUsd"]) == ("1320.00", "300.00")


def test_a_checking_account_may_stand_alone_and_in_the_red(
    assistant, business, make_account, make_transaction
):
    make_transaction(make_account(business), -1_234)

    summary = assistant.call("svc_get_account_summary")

    assert summary["isPrimaryUboChecking"] is False
    assert summary["availableBalanceUsd"] == "-12.34"
    assert summary["subAccounts"] == []


def test_a_business_without_a_checking_account_has_no_summary(assistant, make_account):
    make_account()

    assert assistant.refusal("svc_get_account_summary") == (
        "NOT_FOUND",
        "There is no such account.",
    )


def test_the_accountant_reads_the_clients_summary(accountants_assistant, business, checking):
    summary = accountants_assistant.call(
        "svc_get_account_summary", businessUserId=str(business.external_id)
    )

    assert summary["accountExternalId"] == str(checking.external_id)


def test_a_client_may_show_its_statements_only(
    make_assistant, accountant, business, checking, make_access
):
    make_access(accountant, business, level=AccessLevel.STATEMENTS_ONLY)

    refusal = make_assistant(accountant.user).refusal(
        "svc_get_account_summary", businessUserId=str(business.external_id)
    )

    assert refusal == ("ACCESS_DENIED", "This client lets you see statements only.")


def test_linked_accounts_are_listed_with_masked_numbers(assistant, business, make_linked_account):
    savings = make_linked_account(business, account_name="Rainy days", last4="6789")
    card = make_linked_account(
        business,
        institution_name="Zinc Credit Union",
        account_name="Travel card",
        last4="0001",
        account_type=LinkedAccountType.CREDIT_CARD,
        connection_status=ConnectionStatus.LOGIN_REQUIRED,
        last_synced_at=None,
    )
    make_linked_account()

    assert assistant.call("svc_list_linked_external_accounts") == {
        "linkedAccounts": [
            {
                "externalId": str(savings.external_id),
                "institutionName": "Example Savings",
                "accountName": "Rainy days",
                "accountNumberMasked": "••••6789",
                "accountType": "SAVINGS",
                "connectionStatus": "CONNECTED",
                "lastSyncedAt": f"{NOON:%Y-%m-%dT%H:%M:%S}Z",
            },
            {
                "externalId": str(card.external_id),
                "institutionName": "Zinc Credit Union",
                "accountName": "Travel card",
                "accountNumberMasked": "••••0001",
                "accountType": "CREDIT_CARD",
                "connectionStatus": "LOGIN_REQUIRED",
                "lastSyncedAt": None,
            },
        ],
        "totalCount": 2,
    }


def test_a_business_may_have_linked_nothing(assistant):
    assert assistant.call("svc_list_linked_external_accounts") == {
        "linkedAccounts": [],
        "totalCount": 0,
    }


@pytest.mark.parametrize("count", [1, 20])
def test_linked_accounts_take_one_statement(
    assistant, business, make_linked_account, count, django_assert_num_queries
):
    for _ in range(count):
        make_linked_account(business)

    with django_assert_num_queries(3):  # the token and the business, the accounts, the log
        assert assistant.call("svc_list_linked_external_accounts")["totalCount"] == count


def test_a_forecast_tells_weeks_the_lowest_and_assumptions(assistant, checking):
    forecast = assistant.call("svc_forecast_cash", days=14)

    assert (forecast["cashUsd"], len(forecast["weeks"])) == ("1050.00", 2)
    assert set(forecast["lowest"]) == {
        "endDate",
        *(
            f"{part}{unit}"
            for part in ("bills", "invoices", "other", "cash")
            for unit in ("Cents", "Usd")
        ),
    }
    assert len(forecast["assumptions"]) == 4


def test_a_forecast_leaves_out_what_was_not_granted(make_assistant, owner, checking):
    forecast = make_assistant(owner, scopes=["accounts:read"]).call("svc_forecast_cash")

    assert forecast["assumptions"][-1] == "What the user did not grant is left out."
    assert {week["cashUsd"] for week in forecast["weeks"]} == {"1050.00"}
