"""Tools for files of transactions: receipts, and exports as CSV."""

from typing import Annotated

from pydantic import Field

from banking.models import Business
from banking.queries.filters import TransactionFilter
from banking.queries.receipts import get_receipt
from banking.services import exports, receipts
from foundation.files import Download
from mcp_server.caller import Caller
from mcp_server.errors import invalid
from mcp_server.limits import EVERY_LIMIT, OF_RECORDS
from mcp_server.registry import tool
from mcp_server.schema import (
    BusinessUserId,
    EndDate,
    FileResult,
    LeastDollars,
    MostDollars,
    StartDate,
)
from mcp_server.scopes import Scope
from mcp_server.tools.transactions import OfType, TransactionId
from mcp_server.validation import cents_within, require_order


class TransactionFile(FileResult):
    """Transactions as CSV."""

    row_count: int


@tool(Scope.TRANSACTIONS, title="Get transaction receipt", within=OF_RECORDS)
def svc_get_transaction_receipt(
    caller: Caller, transaction_id: TransactionId, business_user_id: BusinessUserId = None
) -> FileResult:
    """Download the receipt of a transaction: the file that came with it, or a PDF of its lines.

    `hasReceipt` of `svc_get_transaction` says whether there is one.
    """
    business = caller.business(business_user_id)
    return FileResult.of(receipts.get_paper(get_receipt(business, transaction_id, caller.reach)))


@tool(Scope.TRANSACTIONS, title="Export transactions as CSV", within=EVERY_LIMIT)
def svc_export_transactions_csv(
    caller: Caller,
    start_date: StartDate,
    end_date: EndDate,
    pending: Annotated[
        bool | None, Field(description="true: holds only; false: settled only; left out: both.")
    ] = None,
    min_amount_usd: LeastDollars | None = None,
    max_amount_usd: MostDollars | None = None,
    transaction_type: OfType | None = None,
    business_user_id: BusinessUserId = None,
) -> TransactionFile:
    """Download the transactions of at most 366 days as a CSV file.

    For a longer time, call `svc_download_expense_report`.
    """
    business = caller.business(business_user_id)
    require_order(start_date, end_date)
    least, most = cents_within(min_amount_usd, max_amount_usd)
    filters = TransactionFilter(
        start_date=start_date,
        end_date=end_date,
        is_pending=pending,
        transaction_type=transaction_type,
        min_amount_cents=least,
        max_amount_cents=most,
        reach=caller.reach,
    )
    return _export(business, filters)


def _export(business: Business, filters: TransactionFilter) -> TransactionFile:
    try:
        file = exports.export_csv(business, filters)
    except exports.RangeTooLong:
        limit = f"must be at most {exports.MAX_DAYS} days from startDate, both included"
        raise invalid("endDate", f"{limit}; for more call svc_download_expense_report") from None
    header, *rows = file.chunks
    download = Download(file.content_type, file.file_name, b"".join([header, *rows]))
    return TransactionFile.of(download, row_count=len(rows))
