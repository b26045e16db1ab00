"""The rows of an export of transactions."""

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Case, CharField, F, QuerySet, When

from banking.models import Business, Transaction
from banking.money_words import UNCOUNTED
from banking.queries.filters import TransactionFilter
from foundation.files import DANGEROUS

COLUMNS = (
    "external_id",
    "occurred_at",
    "account__account_number",
    "transaction_type",
    "status",
    "amount_cents",
    "category__display_name",
    "merchant_label",
    "description",
    "is_business",
    "settled_at",
    "category_id",
    "category__category_type",
)
COPY = """
COPY (
    SELECT found.external_id, to_char(found.time, 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        '••••' || right(account.account_number, 4), found.transaction_type, found.status,
        (found.amount_cents / 100.0)::numeric(20, 2), {category}, {merchant}, {description},
        CASE WHEN found.is_business THEN 'BUSINESS' ELSE 'PRIVATE' END,
        to_char(found.settled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        CASE WHEN NOT found.category_id = ANY(%(uncounted)s) THEN category.category_type END
    FROM (
        SELECT *, occurred_at AT TIME ZONE 'UTC' AS time FROM banking_transaction WHERE {wanted}
    ) found
    JOIN banking_account account ON account.id = found.account_id
    JOIN banking_category category ON category.code = found.category_id
    LEFT JOIN banking_merchant merchant ON merchant.id = found.merchant_id
    ORDER BY found.occurred_at DESC, found.id DESC
) TO STDOUT (FORMAT csv, ENCODING 'UTF8')
"""
LOCAL = """
SET LOCAL enable_sort = off;  -- the first line comes at once, not after the sorting
SET LOCAL statement_timeout = %s  -- a slow reader's download may last longer than other statements
"""
TEXTS = {
    "category": "category.display_name",
    "merchant": "coalesce(merchant.name, found.merchant_raw_name)",
    "description": "found.description",
}
DEFUSED = """
CASE WHEN {text} = '' THEN NULL WHEN left({text}, 1) = ANY(%(dangerous)s) THEN '''' || {text}
    ELSE {text} END
"""  # as `foundation.files.defuse` has it; only NULL is written without quotes


def list_exported(business: Business, filters: TransactionFilter) -> QuerySet[Transaction, Any]:
    """Return the wanted transactions as named tuples of COLUMNS, the newest first."""
    name = Case(
        When(merchant=None, then=F("merchant_raw_name")),
        default=F("merchant__name"),
        output_field=CharField(),
    )
    rows = filters.transactions(business).newest_first().annotate(merchant_label=name)
    return rows.values_list(*COLUMNS, named=True)


def copy_exported(business: Business, filters: TransactionFilter) -> Iterator[bytes]:
    """Yield the wanted transactions as lines of CSV without header, the newest first.

    Works on PostgreSQL only. The statement may take EXPORT_SECONDS, because a slow reader holds it
    open. Until the last line is read, or the iterator is closed, the thread's database connection
    is busy: run no other statement on it.
    """
    shown = TEXTS if filters.reach.shows_names else TEXTS | {"merchant": "''", "description": "''"}
    texts = {name: DEFUSED.format(text=text) for name, text in shown.items()}
    statement = COPY.format(wanted=filters.where_transactions(), **texts)
    values = {
        **filters.values(business),
        "dangerous": list(DANGEROUS),
        "uncounted": list(UNCOUNTED),
    }
    seconds = settings.EXPORT_SECONDS
    waiting = connection.waiting_for(seconds)  # type: ignore[attr-defined]  # foundation.database.postgresql
    with transaction.atomic(), waiting, connection.cursor() as cursor:
        cursor.execute(LOCAL, [seconds * 1000])
        with cursor.copy(cursor.mogrify(statement, values)) as lines:
            for line in lines:
                yield b"%b\r\n" % line[:-1]
