"""The questions of an owner about single records: merchants, bills, invoices, taxes."""

from typing import Any

from bench.question_books import Books, Row
from bench.question_list import (
    OWNER,
    TAX,
    Json,
    Question,
    count_and_sum,
    field,
    plain,
    search,
    summary,
    totals,
)

YEAR, MONTH, QUARTER = "YEAR", "MONTH", "QUARTER"


def ask(text: str, call: Any, read: Any, expected: Any, *before: Any) -> Question:
    """Return a question of an owner; `expected` is computed from the owner's books alone."""
    return Question(OWNER, text, [*before, call], read, lambda books, _firm: expected(books))


def top_merchant(books: Books) -> str:
    """Return the merchant with the largest expense of the last whole year."""
    parts = books.parts(books.days.last_year, "EXPENSE", lambda row: row["merchant"])
    return next(name for name, _ in parts if name)


def at_merchant(books: Books) -> list[Row]:
    """Return the transactions with the merchant that most was spent at last year."""
    name = top_merchant(books)
    return [row for row in books.rows if row["merchant"] == name]


def find_merchant(books: Books, answers: list[Json]) -> tuple[str, Json]:
    """Return the search for the first merchant that the summary before names."""
    return "svc_search_transactions", {
        "recordCnt": 1,
        "query": next(row["name"] for row in answers[0]["byMerchant"] if row["name"]),
    }


def misspelled(books: Books, _answers: list[Json]) -> tuple[str, Json]:
    """Return the search for a merchant whose first word has two letters swapped."""
    word, _, rest = top_merchant(books).partition(" ")
    wrong = f"{word[:-2]}{word[-1]}{word[-2]} {rest}".strip()
    return "svc_search_transactions", {"recordCnt": 1, "query": wrong}


def of_bucket(_books: Books, answers: list[Json]) -> tuple[str, Json]:
    """Return the search for the rows of the tax bucket that was read before."""
    return "svc_search_transactions", {"recordCnt": 1, "accountNo": answers[0]["accountId"]}


def remaining(books: Books, *, overdue: bool = False) -> list[int]:
    """Return what is still to be paid of each bill that is to be paid, those in dollars."""
    return [
        left
        for bill, left, _ in books.bills(status="PENDING", currency_code="USD")
        if not overdue or bill.due_date < books.days.today
    ]


def unpaid(books: Books) -> int:
    """Return what customers owe on invoices that were sent."""
    return sum(one.total_cents - one.paid_cents for one in books.invoices())


MERCHANTS = summary("EXPENSE", "last_year", YEAR, groupBy="MERCHANT")
BILLS = plain("svc_list_bills", pageSize=20)
PURCHASES = plain("svc_search_transactions", transactionType="PURCHASE", recordCnt=20)

QUESTIONS = [
    ask(
        "How many purchases above $500 this year, and how much?",
        search("this_year", transactionType="PURCHASE", minAmountUsd=500),
        totals,
        lambda b: count_and_sum(
            [
                row
                for row in b.select(b.days.this_year, type="PURCHASE")
                if abs(row["cents"]) >= 50_000
            ]
        ),
    ),
    ask(
        "What is still pending?",
        search(pending=True),
        totals,
        lambda b: count_and_sum(list(b.select(is_posted=False))),
    ),
    ask(
        "What fees did the bank take this year?",
        search("this_year", transactionType="FEE"),
        field("totalOutCents"),
        lambda b: b.paid_out(b.days.this_year, type="FEE"),
    ),
    ask(
        "How much cash was drawn at ATMs this year?",
        search("this_year", transactionType="ATM"),
        field("totalOutCents"),
        lambda b: b.paid_out(b.days.this_year, type="ATM"),
    ),
    ask(
        "How many refunds did we get last year, and how much?",
        search("last_year", transactionType="REFUND"),
        totals,
        lambda b: count_and_sum(list(b.select(b.days.last_year, type="REFUND"))),
    ),
    ask(
        "How much did I take out for myself this year?",
        search("this_year", category="OWNER_DRAW", pending=False),
        field("totalOutCents"),
        lambda b: b.paid_out(b.days.this_year, category="OWNER_DRAW", is_posted=True),
    ),
    ask(
        "How often did we buy where we spend most?",
        find_merchant,
        field("totalCount"),
        lambda b: len(at_merchant(b)),
        MERCHANTS,
    ),
    ask(
        "When was the last purchase there?",
        find_merchant,
        lambda a: a[-1]["transactions"][0]["timestamp"][:10],
        lambda b: f"{at_merchant(b)[0]['day']}",
        MERCHANTS,
    ),
    ask(
        "And if I misspell the merchant?",
        misspelled,
        totals,
        lambda b: count_and_sum(at_merchant(b)),
    ),
    ask(
        "Which of the last 20 purchases lack a receipt?",
        PURCHASES,
        lambda a: [row["transactionId"] for row in a[-1]["transactions"] if not row["hasReceipt"]],
        lambda b: [
            row["id"] for row in list(b.select(type="PURCHASE"))[:20] if not row["has_receipt"]
        ],
    ),
    ask(
        "What do we still have to pay on bills?",
        BILLS,
        lambda a: sum(
            row["remainingCents"] for row in a[-1]["bills"] if row["currencyCode"] == "USD"
        ),
        lambda b: sum(remaining(b)),
    ),
    ask(
        "How many bills that nobody pays are past due?",
        BILLS,
        lambda a: [
            row["billNumber"]
            for row in a[-1]["bills"]
            if row["remainingCents"] and row["dueDate"] < TODAY[0]
        ],
        lambda b: [
            bill.number
            for bill, left, _ in b.bills(status="PENDING")
            if left and bill.due_date < b.days.today
        ],
    ),
    ask(
        "Which bill is due next?",
        plain("svc_list_bills", pageSize=1),
        field("bills", 0, "billNumber"),
        lambda b: b.bills(status="PENDING")[0][0].number,
    ),
    ask(
        "Which bills are paid in part?",
        BILLS,
        lambda a: [
            row["billNumber"]
            for row in a[-1]["bills"]
            if row["settlementStatus"] == "PARTIALLY_SETTLED"
        ],
        lambda b: [
            bill.number
            for bill, _, settled in b.bills(status="PENDING")
            if 0 < settled < bill.amount_cents
        ],
    ),
    ask(
        "How many invoices are overdue?",
        plain("svc_list_invoices", names_customer=True, status="OVERDUE", size=1),
        field("totalCount"),
        lambda b: sum(one.due_date < b.days.today for one in b.invoices()),
    ),
    ask(
        "How much do customers owe us?",
        plain("svc_list_invoices", names_customer=True, status="UNPAID", size=25),
        lambda a: sum(row["amountCents"] - row["paidCents"] for row in a[-1]["invoices"]),
        unpaid,
    ),
    ask(
        "What income does my tax estimate rest on?",
        TAX,
        field("incomeCents"),
        lambda b: b.income(b.days.this_year, is_business=True),
    ),
    ask(
        "What can I deduct so far this year?",
        TAX,
        field("deductiblesCents"),
        lambda b: b.deductibles(b.days.this_year),
    ),
    ask(
        "How much of the estimated tax is saved?",
        TAX,
        field("taxSavingsCents"),
        lambda b: b.balance("TAX_BUCKET"),
    ),
    ask(
        "How much was ever moved into the tax bucket, less what left?",
        of_bucket,
        field("totalAmountCents"),
        lambda b: b.balance("TAX_BUCKET"),
        plain("svc_get_tax_bucket"),
    ),
    ask(
        "What cash does the forecast begin with?",
        plain("svc_forecast_cash"),
        field("cashCents"),
        lambda b: (
            b.cash()
            + sum(
                min(0, row["cents"])
                for row in b.select(is_posted=False)
                if row["account"] not in {"LOC", "SECURED_CARD"}
            )
        ),
    ),
    ask(
        "Which month has the latest statement?",
        plain("svc_list_statements", accountType="MAIN_ACCOUNT"),
        lambda a: (a[-1]["statements"][0]["year"], a[-1]["statements"][0]["month"]),
        Books.last_statement,
    ),
]
TODAY: list[str] = []
