from django.db import connection

from banking.choices import TransactionType
from banking.models import Transaction
from foundation.database.text_hashes import TextHash, text_hash_sql

EXPLAIN = {"postgresql": "EXPLAIN ", "sqlite": "EXPLAIN QUERY PLAN "}


def test_equal_kinds_have_equal_numbers(make_transaction):
    make_transaction(transaction_type=TransactionType.ATM)
    make_transaction(transaction_type=TransactionType.ATM)
    make_transaction(transaction_type=TransactionType.FEE)

    numbers = Transaction.objects.annotate(
        number=TextHash("transaction_type", "status", "category")
    ).order_by("id")

    first, second, third = numbers.values_list("number", flat=True)
    assert first == second != third


def test_the_index_of_kinds_is_read_by_number(db):
    number = text_hash_sql(connection.vendor, "transaction_type", "status", "category_id")

    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off")
        cursor.execute(
            f"{EXPLAIN[connection.vendor]} SELECT id FROM banking_transaction WHERE account_id = 1"
            f" AND {number} = {text_hash_sql(connection.vendor, '%s', '%s', '%s')}"
            " AND is_business ORDER BY occurred_at DESC, id DESC",
            ["ATM", "POSTED", "SALES"],
        )
        plan = str(cursor.fetchall())

    assert "transaction_kind" in plan
    assert "Sort" not in plan
