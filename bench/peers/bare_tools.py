"""What the tools do as plain Django views: JSON in, the tools' own query, JSON out.

They know no protocol, no token, no limit and no log, and have no more middleware than Django
itself needs.
"""

import hashlib
import json
from base64 import b64encode
from datetime import date
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from banking.choices import ChartType, Granularity, GroupBy
from banking.models import Account, Business
from banking.queries import accounts, statements, summaries
from banking.queries.filters import TransactionFilter
from banking.queries.search import search_transactions
from banking.queries.summary_groups import Group
from banking.queries.words import words_of

Json = dict[str, Any]


@csrf_exempt
def search(request: HttpRequest) -> JsonResponse:
    """Return a page of transactions."""
    asked, business = _read(request)
    found = search_transactions(
        business,
        TransactionFilter(),
        page=asked["page"],
        page_size=asked["recordCnt"],
        texts=words_of(asked.get("query", "")),
    )
    transactions = [
        {
            "transactionId": str(row.external_id),
            "accountNo": row.account_number,
            "transactionType": row.transaction_type,
            "amountCents": row.amount_cents,
            "amountUsd": _usd(row.amount_cents),
            "merchantName": row.merchant_name or None,
            "timestamp": f"{row.occurred_at:%Y-%m-%dT%H:%M:%SZ}",
            "pending": row.is_pending,
            "categoryCode": row.category_code,
            "locationKey": row.location_key,
            "description": row.description or None,
            "settlementDate": row.settlement_date,
            "hasReceipt": row.has_receipt,
        }
        for row in found.transactions
    ]
    sums = {
        "totalAmount": found.total_amount_cents,
        "totalIn": found.total_in_cents,
        "totalOut": found.total_out_cents,
    }
    return JsonResponse(
        {
            "page": found.page,
            "totalCount": found.total_count,
            **{f"{name}Cents": amount for name, amount in sums.items()},
            **{f"{name}Usd": _usd(amount) for name, amount in sums.items()},
            "transactions": transactions,
            "matchedQuery": found.matched_query,
            "totalIsLowerBound": found.total_is_lower_bound,
        }
    )


@csrf_exempt
def account_summary(request: HttpRequest) -> JsonResponse:
    """Return the checking account and those beside it."""
    _, business = _read(request)
    found = accounts.get_account_summary(business)
    account = found.account
    return JsonResponse(
        {
            "accountExternalId": str(account.external_id),
            "accountNumberMasked": account.masked_number,
            "routingNumber": account.routing_number,
            "isPrimaryUboChecking": account.is_primary,
            "availableBalanceCents": account.available_cents,
            "availableBalanceUsd": _usd(account.available_cents),
            "subAccounts": [
                {
                    "bucketType": row.bucket_type,
                    "balanceCents": row.balance_cents,
                    "balanceUsd": _usd(row.balance_cents),
                }
                for row in found.sub_accounts
            ],
            "accounts": [_balance(row) for row in found.accounts],
            "totalCashCents": found.cash_cents,
            "totalCashUsd": _usd(found.cash_cents),
            "totalOwedCents": found.owed_cents,
            "totalOwedUsd": _usd(found.owed_cents),
        }
    )


@csrf_exempt
def financial_summary(request: HttpRequest) -> JsonResponse:
    """Return what a period adds up to."""
    asked, business = _read(request)
    found = summaries.get_financial_summary(
        business,
        ChartType(asked["chartType"]),
        date.fromisoformat(asked["startDate"]),
        Granularity(asked["granularity"]),
        group_by=GroupBy(asked["groupBy"]) if "groupBy" in asked else None,
    )
    groups = {f"by{found.group_by.capitalize()}": found.groups} if found.group_by else {}
    series = [
        {
            "period": point.period,
            "amountCents": point.amount_cents,
            "amountUsd": _usd(point.amount_cents),
        }
        for point in found.series
    ]
    return JsonResponse(
        {
            "chartType": found.chart_type,
            "granularity": found.granularity,
            "totalAmountCents": found.total_cents,
            "totalAmountUsd": _usd(found.total_cents),
            "series": series,
            **dict.fromkeys(["byCategory", "byMerchant", "byMonth", "byAccount"]),
            **{name: [_group(row) for row in rows] for name, rows in groups.items()},
            "cashFlow": None,
            "startDate": found.first,
            "endDate": found.last,
        }
    )


@csrf_exempt
def statement(request: HttpRequest) -> JsonResponse:
    """Return a statement as a PDF in Base64."""
    asked, business = _read(request)
    download = statements.get_statement(business, asked["statementId"]).read()
    return JsonResponse(
        {
            "contentType": download.content_type,
            "base64": b64encode(download.content).decode(),
            "fileName": download.file_name,
            "sizeBytes": len(download.content),
            "sha256": hashlib.sha256(download.content).hexdigest(),
        }
    )


def _group(row: Group) -> Json:
    return {
        "key": row.key,
        "name": row.name or None,
        "amountCents": row.amount_cents,
        "amountUsd": _usd(row.amount_cents),
        "count": row.count,
    }


def _balance(row: Account) -> Json:
    limit = row.credit_limit_cents
    return {
        "accountExternalId": str(row.external_id),
        "accountType": row.account_type,
        "name": row.name or None,
        "accountNumberMasked": row.masked_number,
        "balanceCents": row.current_cents,
        "balanceUsd": _usd(row.current_cents),
        "availableCents": row.available_cents,
        "availableUsd": _usd(row.available_cents),
        "creditLimitCents": limit,
        "creditLimitUsd": None if limit is None else _usd(limit),
    }


def _read(request: HttpRequest) -> tuple[Json, Business]:
    asked = json.loads(request.body)
    return asked, Business.objects.get(owners__user__email=asked["user"])


def _usd(cents: int) -> str:
    return f"{cents / 100:.2f}"


urlpatterns = [
    path("svc_search_transactions", search),
    path("svc_get_account_summary", account_summary),
    path("svc_get_financial_summary", financial_summary),
    path("svc_download_statement", statement),
]
