"""The questions of an owner about income, spending and balances."""

from typing import Any

from bench.question_books import Books
from bench.question_list import (
    OWNER,
    SUMMARY,
    Question,
    account,
    field,
    first_part,
    part,
    plain,
    search,
    summary,
)

YEAR, MONTH, QUARTER = "YEAR", "MONTH", "QUARTER"


def ask(text: str, call: Any, read: Any, expected: Any, *before: Any) -> Question:
    """Return a question of an owner; `expected` is computed from the owner's books alone."""
    return Question(OWNER, text, [*before, call], read, lambda books, _firm: expected(books))


def best_month(books: Books) -> tuple[str, int] | tuple[()]:
    """Return the month of this year with the largest income."""
    return books.largest(books.days.this_year, "INCOME", lambda row: f"{row['day']:%Y-%m}")


MERCHANTS = summary("EXPENSE", "this_year", YEAR, groupBy="MERCHANT")
CATEGORIES = summary("EXPENSE", "this_year", YEAR, groupBy="CATEGORY")

QUESTIONS = [
    ask(
        "What can I spend from checking?", SUMMARY, field("availableBalanceCents"), Books.available
    ),
    ask(
        "How much is in savings?",
        SUMMARY,
        account("SAVING_BUCKET"),
        lambda b: b.balance("SAVING_BUCKET"),
    ),
    ask(
        "How much is in the emergency bucket?",
        SUMMARY,
        account("EMERGENCY_BUCKET"),
        lambda b: b.balance("EMERGENCY_BUCKET"),
    ),
    ask(
        "How much is set aside for taxes?",
        plain("svc_get_tax_bucket"),
        field("balanceCents"),
        lambda b: b.balance("TAX_BUCKET"),
    ),
    ask(
        "What do I owe on the line of credit?", SUMMARY, account("LOC"), lambda b: b.balance("LOC")
    ),
    ask("What is all our cash together?", SUMMARY, field("totalCashCents"), Books.cash),
    ask(
        "What do we owe on all credit?",
        SUMMARY,
        field("totalOwedCents"),
        lambda b: -b.balance("LOC") - b.balance("SECURED_CARD"),
    ),
    ask(
        "Did we make money this year?",
        summary("PROFIT", "this_year", YEAR),
        field("totalAmountCents"),
        lambda b: b.profit(b.days.this_year),
    ),
    ask(
        "What was last quarter's profit?",
        summary("PROFIT", "last_quarter", QUARTER),
        field("totalAmountCents"),
        lambda b: b.profit(b.days.last_quarter),
    ),
    ask(
        "What was last month's profit?",
        summary("PROFIT", "last_month", MONTH),
        field("totalAmountCents"),
        lambda b: b.profit(b.days.last_month),
    ),
    ask(
        "What was last year's profit?",
        summary("PROFIT", "last_year", YEAR),
        field("totalAmountCents"),
        lambda b: b.profit(b.days.last_year),
    ),
    ask(
        "What did we earn last month?",
        summary("INCOME", "last_month", MONTH),
        field("totalAmountCents"),
        lambda b: b.income(b.days.last_month),
    ),
    ask(
        "What did we spend last month?",
        summary("EXPENSE", "last_month", MONTH),
        field("totalAmountCents"),
        lambda b: b.expense(b.days.last_month),
    ),
    ask(
        "What did the business alone spend last year?",
        summary("EXPENSE", "last_year", YEAR, isBusiness=True),
        field("totalAmountCents"),
        lambda b: b.expense(b.days.last_year, is_business=True),
    ),
    ask(
        "How much of this year's spending was private?",
        summary("EXPENSE", "this_year", YEAR, isBusiness=False),
        field("totalAmountCents"),
        lambda b: b.expense(b.days.this_year, is_business=False),
    ),
    ask(
        "What do I spend most on this year?",
        CATEGORIES,
        first_part("byCategory", "key", "amountCents"),
        lambda b: b.largest(b.days.this_year, "EXPENSE", lambda row: row["category"]),
    ),
    ask(
        "How much rent did we pay this year?",
        CATEGORIES,
        part("byCategory", "RENT"),
        lambda b: b.expense(b.days.this_year, category="RENT"),
    ),
    ask(
        "What went on meals last quarter?",
        summary("EXPENSE", "last_quarter", QUARTER, groupBy="CATEGORY"),
        part("byCategory", "MEALS"),
        lambda b: b.expense(b.days.last_quarter, category="MEALS"),
    ),
    ask(
        "Where do we spend most this year?",
        MERCHANTS,
        first_part("byMerchant", "key"),
        lambda b: b.largest(
            b.days.this_year, "EXPENSE", lambda row: row["merchant"] or "NO_MERCHANT"
        )[:1],
    ),
    ask(
        "Which month of this year earned most?",
        summary("INCOME", "this_year", YEAR, groupBy="MONTH"),
        lambda a: max(
            ((row["key"], row["amountCents"]) for row in a[-1]["byMonth"]),
            key=lambda row: row[1],
            default=(),
        ),
        best_month,
    ),
    ask(
        "What do we earn most with this year?",
        summary("INCOME", "this_year", YEAR, groupBy="CATEGORY"),
        first_part("byCategory", "key", "amountCents"),
        lambda b: b.largest(b.days.this_year, "INCOME", lambda row: row["category"]),
    ),
    ask(
        "How many bookings did last month have?",
        search("last_month"),
        field("totalCount"),
        lambda b: len(list(b.select(b.days.last_month))),
    ),
    ask(
        "How much money came in last month, all told?",
        search("last_month"),
        field("totalInCents"),
        lambda b: sum(max(0, row["cents"]) for row in b.select(b.days.last_month)),
    ),
    ask(
        "How much money left last month, all told?",
        search("last_month"),
        field("totalOutCents"),
        lambda b: b.paid_out(b.days.last_month),
    ),
]
