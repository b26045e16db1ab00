"""The questions of an accountant, who names the client."""

from collections.abc import Iterator
from datetime import date
from typing import Any

from bench.question_books import Books, Row
from bench.question_list import (
    ACCOUNTANT,
    Firm,
    Json,
    Question,
    checked,
    count_and_sum,
    field,
    first_part,
    plain,
    search,
    summary,
    totals,
)

REVIEW = plain("svc_review_clients")


def ask(text: str, call: Any, read: Any, expected: Any, *before: Any) -> Question:
    """Return a question of an accountant."""
    return Question(ACCOUNTANT, text, [*before, call], read, expected)


def for_client(call: Any) -> Any:
    """Return a call with the client named."""

    def named(books: Books, answers: list[Json]) -> tuple[str, Json]:
        tool, arguments = call(books, answers)
        return tool, {"businessUserId": str(books.business.external_id), **arguments}

    return named


def overdue_bills(firm: Firm) -> list[int]:
    """Return the US cents that remain of the overdue bills of each client that has some."""
    overdue = [
        [
            (bill.currency_code, left)
            for bill, left, _ in books.bills(status="PENDING")
            if bill.due_date < books.days.today and left
        ]
        for books in firm.full
    ]
    return [sum(left for code, left in bills if code == "USD") for bills in overdue if bills]


def overdue_invoices(firm: Firm) -> int:
    """Return what customers of all clients owe on invoices past due."""
    return sum(
        one.total_cents - one.paid_cents
        for books in firm.full
        for one in books.invoices()
        if one.due_date < books.days.today
    )


def recent(firm: Firm) -> Iterator[Row]:
    """Yield the posted rows of all clients since the first of last month."""
    for books in firm.full:
        first = books.days.last_month.first
        for row in books.select(is_posted=True):
            if first <= row["day"] <= books.days.today:
                yield row


def without_receipt(firm: Firm) -> int:
    """Return the purchases from 75 dollars on without a receipt, together."""
    return -sum(
        row["cents"]
        for row in recent(firm)
        if row["type"] == "PURCHASE"
        and row["is_business"]
        and row["cents"] <= -7_500
        and not row["has_receipt"]
    )


def misses_a_statement(books: Books) -> bool:
    """Say whether last month, in which the account was open, has no statement."""
    end = books.days.last_month.last
    return books.last_statement() != (end.year, end.month)


def opened_before(books: Books, day: date) -> bool:
    """Say whether the checking account was open before a day."""
    found = books.business.accounts.filter(account_type="MAIN_ACCOUNT", status="OPEN")
    return any(account.opened_at.date() < day for account in found)


QUESTIONS = [
    ask(
        "How many clients can I read?", REVIEW, field("clientCount"), lambda _b, firm: len(firm.all)
    ),
    ask(
        "Which clients have bills past due, and how much?",
        REVIEW,
        lambda a: (
            checked("BILLS_OVERDUE", "clientCount")(a),
            checked("BILLS_OVERDUE", "amountCents")(a),
        ),
        lambda _b, firm: (len(overdue_bills(firm)), sum(overdue_bills(firm))),
    ),
    ask(
        "How much are all clients owed on late invoices?",
        REVIEW,
        checked("INVOICES_OVERDUE", "amountCents"),
        lambda _b, firm: overdue_invoices(firm),
    ),
    ask(
        "Which clients are below $10,000?",
        plain("svc_review_clients", check="BALANCE_LOW", belowUsd=10_000, size=40),
        lambda a: {row["businessName"] for row in a[-1]["checks"][0]["clients"]},
        lambda _b, firm: {
            books.business.legal_name for books in firm.full if books.available() < 1_000_000
        },
    ),
    ask(
        "Who misses last month's statement?",
        REVIEW,
        checked("STATEMENT_MISSING", "clientCount"),
        lambda _b, firm: sum(
            misses_a_statement(books) and opened_before(books, books.days.today.replace(day=1))
            for books in firm.all
        ),
    ),
    ask(
        "How much of all clients' spending lacks a receipt?",
        REVIEW,
        checked("RECEIPT_MISSING", "amountCents"),
        lambda _b, firm: without_receipt(firm),
    ),
    ask(
        "How much is not categorized?",
        REVIEW,
        checked("NOT_CATEGORIZED", "amountCents"),
        lambda _b, firm: sum(
            abs(row["cents"])
            for row in recent(firm)
            if row["category"] in {"OTHER_EXPENSE", "OTHER_INCOME"}
        ),
    ),
    ask(
        "What did this client earn last quarter?",
        summary("PROFIT", "last_quarter", "QUARTER"),
        field("totalAmountCents"),
        lambda b, _f: b.profit(b.days.last_quarter),
    ),
    ask(
        "What does this client spend most on?",
        summary("EXPENSE", "this_year", "YEAR", groupBy="CATEGORY"),
        first_part("byCategory", "key", "amountCents"),
        lambda b, _f: b.largest(b.days.this_year, "EXPENSE", lambda row: row["category"]),
    ),
    ask(
        "What can this client spend?",
        for_client(plain("svc_get_account_summary")),
        field("availableBalanceCents"),
        lambda b, _f: b.available(),
    ),
    ask(
        "What is this client's tax estimate based on?",
        for_client(plain("svc_estimate_taxes")),
        lambda a: (a[-1]["incomeCents"], a[-1]["deductiblesCents"]),
        lambda b, _f: (
            b.income(b.days.this_year, is_business=True),
            b.deductibles(b.days.this_year),
        ),
    ),
    ask(
        "How many refunds did this client get last year?",
        for_client(search("last_year", transactionType="REFUND")),
        totals,
        lambda b, _f: count_and_sum(list(b.select(b.days.last_year, type="REFUND"))),
    ),
    ask(
        "What did the owner draw this year?",
        for_client(search("this_year", category="OWNER_DRAW", pending=False)),
        field("totalOutCents"),
        lambda b, _f: b.paid_out(b.days.this_year, category="OWNER_DRAW", is_posted=True),
    ),
    ask(
        "What did the owner put in, ever?",
        for_client(search(category="OWNER_INVESTMENT")),
        field("totalInCents"),
        lambda b, _f: sum(max(0, row["cents"]) for row in b.select(category="OWNER_INVESTMENT")),
    ),
]
