"""Tools for the estimated taxes of a business and its tax bucket."""

from datetime import date
from typing import Annotated, Literal
from uuid import UUID

from django.utils import timezone
from pydantic import AliasPath, BeforeValidator, Field

from banking.choices import Direction, FilingStatus, TransactionStatus
from banking.models import TaxBucket
from banking.queries import taxes
from banking.queries.filters import TransactionFilter
from banking.queries.search import search_transactions
from banking.tax.tables import NoStateTable, NoTaxTables
from mcp_server.caller import Caller
from mcp_server.errors import not_found
from mcp_server.limits import EVERY_LIMIT, OF_BUSINESS, UNDATED, require_days
from mcp_server.registry import tool
from mcp_server.schema import (
    BusinessUserId,
    DateOf,
    Dollars,
    EndDate,
    NameText,
    PageFrom1,
    RecordCount,
    Result,
    StartDate,
)
from mcp_server.scopes import Scope
from mcp_server.validation import require_order, to_cents


class Tax(Result):
    """The amount of a tax for a year."""

    amount_cents: int
    amount_usd: str = ""


TaxOf = Annotated[Tax, BeforeValidator(lambda amount: Tax(amount_cents=amount))]


class TaxBreakdown(Result):
    """The parts of the estimated tax."""

    federal_income_tax: TaxOf = Field(validation_alias="federal_income_tax_cents")
    self_employment_tax: TaxOf = Field(validation_alias="self_employment_tax_cents")
    state_tax: TaxOf = Field(validation_alias="state_tax_cents")


class Estimate(Result):
    """The estimated tax of the year, its assumptions, and the tax savings."""

    estimated_tax_owed_cents: int = Field(validation_alias=AliasPath("estimate", "total_cents"))
    estimated_tax_owed_usd: str = ""
    tax_savings_cents: int = Field(validation_alias="savings_cents")
    tax_savings_usd: str = ""
    income_cents: int = Field(validation_alias=AliasPath("estimate", "income_cents"))
    income_usd: str = ""
    deductibles_cents: int = Field(validation_alias=AliasPath("estimate", "deductibles_cents"))
    deductibles_usd: str = ""
    is_default_income: bool
    estimated_rate_for_next_deductible: Annotated[str, BeforeValidator(str)] = Field(
        validation_alias=AliasPath("estimate", "estimated_rate_for_next_deductible"),
        description="Tax saved per dollar of a further deductible, from 0 to 1.",
    )
    breakdown: TaxBreakdown = Field(validation_alias="estimate")
    tax_year: int = Field(validation_alias=AliasPath("estimate", "year"))
    tax_tables_year: int = Field(
        validation_alias=AliasPath("estimate", "tables_year"),
        description="Earlier than taxYear if it has no tables yet.",
    )
    as_of: date
    filing_status: FilingStatus | None
    assumptions: list[str]
    notes: list[str] = Field(validation_alias=AliasPath("estimate", "notes"))
    sources: list[str] = Field(validation_alias=AliasPath("estimate", "sources"))


class Bucket(Result):
    """The tax bucket with its balance and settings."""

    balance_cents: int = Field(validation_alias=AliasPath("account", "current_cents"))
    balance_usd: str = ""
    is_active: bool
    is_auto_save_enabled: bool
    auto_set_aside_pct: float = Field(validation_alias="auto_set_aside_percent")
    estimated_tax_rate_pct: float = Field(validation_alias="estimated_tax_rate_percent")
    account_id: UUID = Field(validation_alias=AliasPath("account", "external_id"))


class BucketTransaction(Result):
    """A transfer into the tax bucket, or out of it."""

    transaction_id: UUID = Field(validation_alias="external_id")
    amount_cents: int = Field(description="Negative for DEBIT.")
    amount_usd: str = ""
    direction: Direction
    date: DateOf = Field(validation_alias="occurred_at")
    description: NameText
    status: Literal[TransactionStatus.PENDING, TransactionStatus.POSTED]


class BucketTransactionPage(Result):
    """A page of the transfers into the tax bucket and out of it."""

    page: int
    total_count: int
    transactions: list[BucketTransaction]


@tool(Scope.TAX, title="Estimate taxes", within=OF_BUSINESS & UNDATED)
def svc_estimate_taxes(
    caller: Caller,
    income_usd: Annotated[
        Dollars | None,
        Field(description="US dollars of the whole year; left out: the year so far."),
    ] = None,
    deductibles_usd: Annotated[
        Dollars | None,
        Field(description="US dollars of the whole year; left out: the year so far."),
    ] = None,
    business_user_id: BusinessUserId = None,
) -> Estimate:
    """Estimate this year's federal, self-employment and state tax, and compare it with savings.

    For a scenario give both figures of the whole year; assumptions that begin with "Doubtful" say
    what does not fit. It is an estimate, no advice: tell the user its assumptions and notes, and
    taxTablesYear if that is not taxYear.
    """
    business, now = caller.business(business_user_id), timezone.now()
    require_days(caller.reach, now.date().replace(month=1, day=1), now.date())
    try:
        found = taxes.estimate_for(
            business,
            at=now,
            income_cents=None if income_usd is None else to_cents(income_usd),
            deductibles_cents=None if deductibles_usd is None else to_cents(deductibles_usd),
        )
    except (NoTaxTables, NoStateTable) as exc:
        raise not_found(f"Taxes cannot be estimated: {exc}") from None
    return Estimate.model_validate(found)


@tool(Scope.TAX, title="Get tax bucket", within=UNDATED)
def svc_get_tax_bucket(caller: Caller, business_user_id: BusinessUserId = None) -> Bucket:
    """Get the tax bucket's balance and how money is set aside in it.

    For what went in and out, call `svc_search_tax_bucket_transactions`.
    """
    return Bucket.model_validate(_get_bucket(caller, business_user_id))


@tool(Scope.TAX, title="Search tax bucket transactions", within=EVERY_LIMIT)
def svc_search_tax_bucket_transactions(
    caller: Caller,
    start_date: StartDate | None = None,
    end_date: EndDate | None = None,
    record_cnt: RecordCount = 10,
    page: PageFrom1 = 1,
    business_user_id: BusinessUserId = None,
) -> BucketTransactionPage:
    """Search the transfers into the tax bucket and out of it, newest first."""
    require_order(start_date, end_date)
    account = _get_bucket(caller, business_user_id).account
    filters = TransactionFilter(
        start_date=start_date, end_date=end_date, account=account, reach=caller.reach
    )
    found = search_transactions(account.business, filters, page=page, page_size=record_cnt)
    return BucketTransactionPage.model_validate(found)


def _get_bucket(caller: Caller, business_user_id: str | None) -> TaxBucket:
    business = caller.business(business_user_id)
    try:
        bucket = taxes.get_tax_bucket(business, caller.reach)
    except TaxBucket.DoesNotExist:
        raise not_found("The business has no tax bucket.") from None
    bucket.account.business = business  # saves a statement
    return bucket
