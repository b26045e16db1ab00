"""What the same search costs as a plain Django view: JSON in, the query, JSON out.

It knows no protocol, no token, no limit and no log; the query is the tool's own.
"""

import json

from django.http import HttpRequest, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from banking.models import Business
from banking.queries.transactions import TransactionFilter, search_transactions


@csrf_exempt
def search(request: HttpRequest) -> JsonResponse:
    """Return a page of transactions."""
    asked = json.loads(request.body)
    business = Business.objects.get(owners__user__email=asked["user"])
    found = search_transactions(
        business,
        TransactionFilter(transaction_type=asked.get("transactionType")),
        page=asked["page"],
        page_size=asked["recordCnt"],
    )
    transactions = [
        {
            "transactionId": str(row.external_id),
            "accountNo": row.account_number,
            "transactionType": row.transaction_type,
            "amountCents": row.amount_cents,
            "amountUsd": f"{row.amount_cents / 100:.2f}",
            "merchantName": row.merchant_name or None,
            "timestamp": f"{row.occurred_at:%Y-%m-%dT%H:%M:%SZ}",
            "pending": row.is_pending,
            "categoryCode": row.category_code,
            "locationKey": row.location_key,
        }
        for row in found.transactions
    ]
    return JsonResponse(
        {"page": found.page, "totalCount": found.total_count, "transactions": transactions}
    )
