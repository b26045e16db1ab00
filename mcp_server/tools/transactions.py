"""Tools for transactions: search, details and categories."""

from datetime import date
from typing import Annotated
from uuid import UUID

from pydantic import Field

from banking.choices import CategoryType, Direction, TransactionType
from banking.mcc import describe
from banking.models import Account, Business, Transaction
from banking.queries import accounts, transactions
from banking.queries.filters import TransactionFilter
from banking.queries.search import search_transactions
from banking.queries.words import words_of
from foundation.external_ids import parse
from mcp_server.caller import Caller
from mcp_server.errors import invalid, not_found
from mcp_server.limits import EVERY_LIMIT, Limit, beyond
from mcp_server.registry import tool
from mcp_server.schema import (
    NAME,
    BusinessUserId,
    EndDate,
    ExternalId,
    LeastDollars,
    MostDollars,
    NameText,
    PageFrom1,
    RecordCount,
    Result,
    StartDate,
    Text,
    Timestamp,
)
from mcp_server.scopes import Scope
from mcp_server.serialization import Trusted
from mcp_server.validation import cents_within, require_order

AccountNo = Annotated[
    str,
    Field(
        max_length=64,
        description="accountNo or accountExternalId as told; a masked number if it is unique.",
    ),
]
OfType = Annotated[TransactionType, Field(description="CACHE_DEPOSIT is a cash deposit.")]
TransactionId = Annotated[
    ExternalId, Field(description="transactionId from svc_search_transactions.")
]
CategoryCode = Annotated[
    str, Field(max_length=64, description="A code from svc_list_transaction_categories.")
]


WHERE_ACCOUNTS_ARE = "Take accountExternalId from `accounts` of svc_get_account_summary."


class FoundTransaction(Result):
    """A transaction in a search result."""

    transaction_id: UUID = Field(validation_alias="external_id")
    account_no: str = Field(validation_alias="account_number")
    transaction_type: TransactionType
    amount_cents: int = Field(description="Negative when money left.")
    amount_usd: str = ""
    merchant_name: NameText
    timestamp: Timestamp = Field(validation_alias="occurred_at")
    pending: bool = Field(validation_alias="is_pending")
    category_code: str
    location_key: Annotated[str | None, NAME]  # may spell the name of the place
    description: NameText
    settlement_date: date | None
    has_receipt: bool


class TransactionPage(Trusted):
    """A page of a search result; the totals are those of all pages."""

    page: int
    total_count: int
    total_amount_cents: int | None = Field(description="In less out, of all matches.")
    total_amount_usd: str | None = None
    total_in_cents: int | None
    total_in_usd: str | None = None
    total_out_cents: int | None = Field(description="Not signed.")
    total_out_usd: str | None = None
    transactions: list[FoundTransaction]
    matched_query: NameText
    total_is_lower_bound: bool = Field(
        description="true, of a very common query only: more match than totalCount; sums are null."
    )


class Merchant(Result):
    """The merchant of a transaction. `raw_name` is the name in the transaction's data."""

    name: NameText
    raw_name: NameText
    mcc: Text
    mcc_description: Text
    website: NameText


class TransactionCategory(Result):
    """The category of a transaction."""

    code: str
    display_name: str


class TransactionDetail(FoundTransaction):
    """A transaction with all its details."""

    direction: Direction
    merchant: Merchant | None
    category: TransactionCategory
    is_business: bool
    settlement_amount_cents: int | None
    settlement_amount_usd: str | None = None
    original_amount_cents: int | None = Field(
        description="In the smallest unit of originalCurrency, signed like amountCents."
    )
    original_currency: Text
    card_last4: str | None
    note: NameText
    location_keys: Annotated[list[str], NAME]


class Category(TransactionCategory):
    """A category of income or of expense."""

    transaction_type: CategoryType = Field(validation_alias="category_type")


class CategoryList(Result):
    """All categories."""

    categories: list[Category]


@tool(
    Scope.TRANSACTIONS,
    title="Search transactions",
    shows_account_numbers=True,
    within=EVERY_LIMIT,
)
def svc_search_transactions(
    caller: Caller,
    start_date: StartDate | None = None,
    end_date: EndDate | None = None,
    account_no: AccountNo | None = None,
    record_cnt: RecordCount = 10,
    page: PageFrom1 = 1,
    pending: Annotated[
        bool | None, Field(description="true: holds only; false: settled only; left out: both.")
    ] = None,
    transaction_type: OfType | None = None,
    category: CategoryCode | None = None,
    min_amount_usd: LeastDollars | None = None,
    max_amount_usd: MostDollars | None = None,
    query: Annotated[
        str | None,
        Field(
            max_length=100,
            description="Beginnings of words of merchant or description; similar merchants if "
            "none match, see matchedQuery.",
        ),
    ] = None,
    business_user_id: BusinessUserId = None,
) -> TransactionPage:
    """Search transactions, newest first; amounts are compared without their sign.

    The totals sum up all matches, on every page. For sums over time, call
    `svc_get_financial_summary`; for a file, `svc_export_transactions_csv`.
    """
    business = caller.business(business_user_id)
    require_order(start_date, end_date)
    least, most = cents_within(min_amount_usd, max_amount_usd)
    filters = TransactionFilter(
        start_date=start_date,
        end_date=end_date,
        account=_account(caller, business, account_no) if account_no is not None else None,
        is_pending=pending,
        transaction_type=transaction_type,
        category=category,
        min_amount_cents=least,
        max_amount_cents=most,
        reach=caller.reach,
    )
    if query is not None and not caller.reach.shows_names:
        raise beyond(Limit.NAMES, caller.reach)
    texts = _words(query)
    found = search_transactions(business, filters, page=page, page_size=record_cnt, texts=texts)
    if category is not None and not found.total_count:
        _require_category(category)
    return TransactionPage.of(found)


@tool(Scope.TRANSACTIONS, title="Get transaction", shows_account_numbers=True, within=EVERY_LIMIT)
def svc_get_transaction(
    caller: Caller,
    account_no: AccountNo,
    transaction_type: OfType,
    transaction_id: TransactionId,
    start_date: StartDate,
    end_date: EndDate,
    business_user_id: BusinessUserId = None,
) -> TransactionDetail:
    """Get one transaction with merchant, category, location keys and settlement.

    All arguments come from `svc_search_transactions`; the dates enclose its timestamp.
    """
    business = caller.business(business_user_id)
    require_order(start_date, end_date)
    filters = TransactionFilter(
        start_date=start_date,
        end_date=end_date,
        account=_account(caller, business, account_no),
        transaction_type=transaction_type,
        reach=caller.reach,
    )
    try:
        row = transactions.get_transaction(business, parse(transaction_id), filters)
    except Transaction.DoesNotExist:
        raise not_found(
            "There is no transaction of this id, account, type and date; "
            "take them all from svc_search_transactions."
        ) from None
    return _detail(row, caller)


@tool(Scope.TRANSACTIONS, title="List transaction categories", within=EVERY_LIMIT)
def svc_list_transaction_categories(
    caller: Caller, business_user_id: BusinessUserId = None
) -> CategoryList:
    """List the categories that transactions are sorted under."""
    caller.business(business_user_id)
    return CategoryList(categories=list(transactions.list_categories()))


def _account(caller: Caller, business: Business, account_no: str) -> Account:
    """Return the account that an argument names. Raises: ToolError."""
    try:
        return accounts.get_account(business, account_no, caller.reach)
    except Account.DoesNotExist:
        raise not_found(f"There is no such account. {WHERE_ACCOUNTS_ARE}") from None
    except accounts.AmbiguousNumber:
        raise invalid(
            "accountNo", f"is the masked number of several accounts. {WHERE_ACCOUNTS_ARE}"
        ) from None


def _words(query: str | None) -> tuple[str, ...]:
    if query is None:
        return ()
    if texts := words_of(query):
        return texts
    raise invalid("query", "must have a letter or a digit")


def _require_category(code: str) -> None:
    if not transactions.list_categories().filter(code=code).exists():
        raise invalid("category", "must be a code from svc_list_transaction_categories")


def _detail(row: Transaction, caller: Caller) -> TransactionDetail:
    location_key = row.location.key if row.location else None
    return TransactionDetail(
        transaction_id=row.external_id,
        account_no=accounts.number_of(row.account, caller.reach),
        transaction_type=row.transaction_type,
        amount_cents=row.amount_cents,
        merchant_name=row.merchant_name,
        timestamp=row.occurred_at,
        pending=row.is_pending,
        category_code=row.category_id,
        location_key=location_key,
        description=row.description,
        direction=row.direction,
        merchant=_merchant(row),
        category=TransactionCategory.model_validate(row.category),
        is_business=row.is_business,
        settlement_amount_cents=row.settlement_cents,
        settlement_date=row.settlement_date,
        original_amount_cents=_original_cents(row),
        original_currency=row.original_currency,
        card_last4=row.card.last4 if row.card else None,
        note=row.note,
        has_receipt=hasattr(row, "receipt"),
        location_keys=[location_key] if location_key else [],
    )


def _original_cents(row: Transaction) -> int | None:
    """Return the original amount with the sign of the amount. Some sources store it unsigned."""
    if row.original_amount_cents is None:
        return None
    return abs(row.original_amount_cents) * (1 if row.amount_cents > 0 else -1)


def _merchant(row: Transaction) -> Merchant | None:
    if not row.merchant_name:
        return None
    code = row.merchant.mcc if row.merchant else ""
    return Merchant(
        name=row.merchant_name,
        raw_name=row.merchant_raw_name,
        mcc=code,
        mcc_description=describe(code),
        website=row.merchant.website if row.merchant else None,
    )
