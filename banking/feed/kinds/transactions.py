"""Transactions: held, posted, released and reversed by the ledger, many in one statement."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from banking.feed import references
from banking.feed.booking_rules import open_books
from banking.feed.faults import FaultCode, refused
from banking.feed.registry import Kind, Work, register
from banking.feed.transaction_data import TransactionData
from banking.feed.transaction_runs import TransactionRun
from banking.models import Merchant, Transaction
from banking.services import holds
from banking.services.merchants import keep_merchants

NOT_REMOVABLE = "A posted transaction cannot be removed; send the status REVERSED."


class TransactionKind(Kind[TransactionData]):
    """Transactions. They are booked even if they exceed the available balance of the account."""

    name, schema, model = "transactions", TransactionData, Transaction
    shows = (
        "svc_search_transactions",
        "svc_get_transaction",
        "svc_export_transactions_csv",
        "svc_get_financial_summary",
        "svc_get_account_summary",
    )

    def save(self, works: Sequence[Work[TransactionData]], *, at: datetime) -> None:
        accounts = {work.target("accounts", work.data.account) or 0 for work in works}
        cards = {work.target("cards", work.data.card) or 0 for work in works}
        books = open_books(accounts, cards, at=at)
        self._read_again(works)
        run = TransactionRun(books, _merchants(works))
        for work in works:
            run.take(work)
        run.write()

    def find_rows(self, keys: Iterable[Any]) -> dict[Any, Any]:
        rows = Transaction.objects.select_related("posting__reversed_by", "merchant")
        return rows.in_bulk(list(keys))

    def remove(self, row: Transaction, *, at: datetime) -> None:
        try:
            holds.release(row)
        except holds.NotPending:
            raise refused(FaultCode.NOT_REMOVABLE, reason=NOT_REMOVABLE) from None

    def represent(self, row: Transaction) -> dict[str, Any]:
        reversal = getattr(row.posting, "reversed_by", None) if row.posting else None
        names = {
            kind: references.external_ids_of(kind, [key]).get(key or 0)
            for kind, key in [
                ("accounts", row.account_id),
                ("merchants", row.merchant_id),
                ("locations", row.location_id),
                ("cards", row.card_id),
            ]
        }
        return {
            "account": names["accounts"],
            "transactionType": row.transaction_type,
            "status": "REVERSED" if reversal else row.status,
            "amountCents": row.amount_cents,
            "currency": "USD",
            "occurredAt": row.occurred_at,
            "settledAt": row.settled_at,
            "settlesAt": row.settles_at,
            "reversedAt": reversal and reversal.posted_at,
            "category": row.category_id,
            "isBusiness": row.is_business,
            "description": row.description,
            "note": row.note,
            "merchant": names["merchants"],
            "merchantName": row.merchant_raw_name,
            "mcc": row.merchant.mcc if row.merchant else "",
            "location": names["locations"],
            "card": names["cards"],
            "originalAmountCents": row.original_amount_cents,
            "originalCurrency": row.original_currency,
        }

    def _read_again(self, works: Sequence[Work[TransactionData]]) -> None:
        """Read stored rows anew: one may have settled before `save` locked its account."""
        rows = self.find_rows(work.row.pk for work in works if work.row)
        for work in works:
            if work.row:
                work.row = rows[work.row.pk]


def _merchants(works: Sequence[Work[TransactionData]]) -> dict[tuple[str, str], Merchant]:
    keys = {
        (work.data.merchant_name, work.data.mcc)
        for work in works
        if work.data.merchant_name and work.data.mcc and not work.data.merchant
    }
    return keep_merchants(keys) if keys else {}


register(TransactionKind())
