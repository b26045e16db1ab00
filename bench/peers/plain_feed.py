"""A bulk view of transactions in plain DRF: a list in, a serializer with many=True, a list out.

It stores what the record feed stores: postings with their entries, transactions, balances and
totals by our own ledger, and the sender's id and version of each. It knows no keys,
scopes, inbox, batches or stored results.
"""

from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from django.db import transaction
from django.urls import path
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from banking.choices import FeedResult, TransactionType
from banking.models import FeedChange, FeedRecord, Transaction
from banking.services import balances, ledger
from banking.services.ledger import Draft


class DataSerializer(serializers.Serializer):
    """The data of a posted transaction."""

    account = serializers.CharField(max_length=100)
    transactionType = serializers.ChoiceField(TransactionType.choices)  # noqa: N815 - its JSON name
    status = serializers.ChoiceField(["POSTED"])
    amountCents = serializers.IntegerField()  # noqa: N815 - its JSON name
    occurredAt = serializers.DateTimeField()  # noqa: N815 - its JSON name
    category = serializers.CharField(max_length=24)
    description = serializers.CharField(max_length=255)
    merchant = serializers.CharField(max_length=100, required=False, allow_null=True)


class LineSerializer(serializers.Serializer):
    """A line of the feed."""

    kind = serializers.ChoiceField(["transactions"])
    externalId = serializers.CharField(max_length=100)  # noqa: N815 - its JSON name
    version = serializers.IntegerField(min_value=0)
    data = DataSerializer()


class TransactionsView(APIView):
    """Takes up to some hundred transactions in one request and one transaction."""

    authentication_classes = ()
    permission_classes = ()

    @transaction.atomic
    def post(self, request: Request) -> Response:
        serializer = LineSerializer(data=request.data, many=True)
        serializer.is_valid(raise_exception=True)
        lines = serializer.validated_data
        stored = FeedRecord.objects.select_for_update().filter(
            kind="transactions", external_id__in=[line["externalId"] for line in lines]
        )
        known = {record.external_id for record in stored}
        new = [line for line in lines if line["externalId"] not in known]
        rows = _write(new)
        answers = [
            {
                "externalId": line["externalId"],
                "result": "created" if line["externalId"] in rows else "unchanged",
                "id": str(rows[line["externalId"]].external_id)
                if line["externalId"] in rows
                else None,
            }
            for line in lines
        ]
        return Response(answers)


def _write(lines: list[dict[str, Any]]) -> dict[str, Transaction]:
    accounts = _keys("accounts", lines, "account")
    merchants = _keys("merchants", lines, "merchant")
    rows = {line["externalId"]: _row(line["data"], accounts, merchants) for line in lines}
    locked = balances.lock_accounts(list(rows.values()))
    for row in rows.values():
        row.account = locked[row.account_id]
    ledger.record([_draft(row) for row in rows.values()], locked)
    _note(lines, rows)
    return rows


def _keys(kind: str, lines: list[dict[str, Any]], name: str) -> dict[str, int]:
    wanted = {line["data"].get(name) for line in lines} - {None}
    found = FeedRecord.objects.filter(kind=kind, external_id__in=wanted)
    return dict(found.values_list("external_id", "row_id"))


def _row(data: dict[str, Any], accounts: dict[str, int], merchants: dict[str, int]) -> Transaction:
    return Transaction(
        account_id=accounts[data["account"]],
        transaction_type=data["transactionType"],
        amount_cents=data["amountCents"],
        occurred_at=data["occurredAt"],
        category_id=data["category"],
        description=data["description"],
        merchant_id=merchants.get(data.get("merchant")),
    )


def _draft(row: Transaction) -> Draft:
    counter = ledger.counter_of([row])
    return Draft([row], row.occurred_at, counter=counter, description=row.description)


def _note(lines: list[dict[str, Any]], rows: dict[str, Transaction]) -> None:
    now = datetime.now(UTC)
    FeedRecord.objects.bulk_create(
        FeedRecord(
            kind="transactions",
            external_id=line["externalId"],
            row_id=rows[line["externalId"]].pk,
            row_uuid=rows[line["externalId"]].external_id,
            version=line["version"],
            digest=blake2b(repr(line["data"]).encode(), digest_size=16).hexdigest(),
            updated_at=now,
        )
        for line in lines
    )
    FeedChange.objects.bulk_create(
        FeedChange(
            kind="transactions",
            external_id=line["externalId"],
            version=line["version"],
            result=FeedResult.CREATED,
            changed_at=now,
        )
        for line in lines
    )


urlpatterns = [path("transactions", TransactionsView.as_view())]
