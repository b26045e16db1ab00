"""Tools for accounts: the business's accounts here and its linked accounts elsewhere."""

from datetime import date
from typing import Annotated
from uuid import UUID

from django.utils import timezone
from pydantic import AliasPath, Field

from banking.choices import AccountType, BucketType, ConnectionStatus, LinkedAccountType
from banking.queries import accounts, forecasts
from mcp_server.caller import Caller
from mcp_server.limits import OF_BUSINESS, UNDATED, require_days
from mcp_server.registry import tool
from mcp_server.schema import BusinessUserId, Result, Text, Timestamp
from mcp_server.scopes import Scope

PARTS = {
    forecasts.BILLS: Scope.BILLS,
    forecasts.INVOICES: Scope.INVOICES,
    forecasts.OTHER: Scope.TRANSACTIONS,
}


class SubAccount(Result):
    """An account beside the checking account."""

    bucket_type: BucketType
    balance_cents: int
    balance_usd: str = ""


class AccountBalance(Result):
    """An open account of any type. On credit accounts the balance is the debt, negative."""

    account_external_id: UUID = Field(validation_alias="external_id")
    account_type: AccountType
    name: Text
    account_number_masked: str = Field(validation_alias="masked_number")
    balance_cents: int = Field(validation_alias="current_cents")
    balance_usd: str = ""
    available_cents: int = Field(description="Less holds; of credit accounts the unused limit.")
    available_usd: str = ""
    credit_limit_cents: int | None
    credit_limit_usd: str | None = None


class AccountSummary(Result):
    """The checking account with its sub-accounts, and all accounts. Account numbers are masked."""

    account_external_id: UUID = Field(validation_alias=AliasPath("account", "external_id"))
    account_number_masked: str = Field(validation_alias=AliasPath("account", "masked_number"))
    routing_number: str = Field(validation_alias=AliasPath("account", "routing_number"))
    is_primary_ubo_checking: bool = Field(validation_alias=AliasPath("account", "is_primary"))
    available_balance_cents: int = Field(validation_alias=AliasPath("account", "available_cents"))
    available_balance_usd: str = ""
    sub_accounts: list[SubAccount]
    accounts: list[AccountBalance]
    total_cash_cents: int = Field(
        validation_alias="cash_cents", description="Of all accounts but credit accounts."
    )
    total_cash_usd: str = ""
    total_owed_cents: int = Field(
        validation_alias="owed_cents", description="On credit accounts; not signed."
    )
    total_owed_usd: str = ""


class ForecastWeek(Result):
    """A week of a forecast: money that moves, negative if it leaves, and the cash at the end."""

    end_date: date
    bills_cents: int
    bills_usd: str = ""
    invoices_cents: int
    invoices_usd: str = ""
    other_cents: int
    other_usd: str = ""
    cash_cents: int
    cash_usd: str = ""


class CashForecast(Result):
    """A forecast of cash by week."""

    as_of: date
    cash_cents: int
    cash_usd: str = ""
    lowest: ForecastWeek = Field(description="The week that ends with the least cash.")
    weeks: list[ForecastWeek]
    assumptions: list[str]


class LinkedAccount(Result):
    """An account at another institution. Its number is masked."""

    external_id: UUID
    institution_name: str
    account_name: Text
    account_number_masked: str = Field(validation_alias="masked_number")
    account_type: LinkedAccountType
    connection_status: ConnectionStatus
    last_synced_at: Timestamp | None


class LinkedAccountList(Result):
    """All linked accounts of one business."""

    linked_accounts: list[LinkedAccount]
    total_count: int


@tool(Scope.ACCOUNTS, title="Get account summary", within=UNDATED)
def svc_get_account_summary(
    caller: Caller, business_user_id: BusinessUserId = None
) -> AccountSummary:
    """Get the checking account's available balance and numbers, and the balances of all accounts.

    `accounts` has savings, emergency bucket, line of credit and secured card, too.

    For the tax bucket's settings, call `svc_get_tax_bucket`; for accounts at other banks,
    `svc_list_linked_external_accounts`.
    """
    business = caller.business(business_user_id)
    return AccountSummary.model_validate(accounts.get_account_summary(business, caller.reach))


@tool(Scope.ACCOUNTS, title="List linked external accounts", within=OF_BUSINESS)
def svc_list_linked_external_accounts(
    caller: Caller, business_user_id: BusinessUserId = None
) -> LinkedAccountList:
    """List the accounts at other institutions that the business linked, without balances."""
    found = list(accounts.list_linked_accounts(caller.business(business_user_id)))
    return LinkedAccountList(linked_accounts=found, total_count=len(found))


@tool(Scope.ACCOUNTS, title="Forecast cash", within=OF_BUSINESS & UNDATED)
def svc_forecast_cash(
    caller: Caller,
    days: Annotated[int, Field(ge=7, le=180, description="Days from today, inclusive.")] = 90,
    business_user_id: BusinessUserId = None,
) -> CashForecast:
    """Forecast the cash of the coming weeks from bills, recurring bills, invoices and history.

    It is an estimate: tell the user its assumptions. For balances now, `svc_get_account_summary`.
    """
    business = caller.business(business_user_id)
    parts = [part for part, scope in PARTS.items() if scope in caller.scopes]
    today = timezone.now().date()
    require_days(caller.reach, today - forecasts.HISTORY, today)
    forecast = forecasts.forecast_cash(business, today=today, days=days, parts=parts)
    return CashForecast.model_validate(forecast)
