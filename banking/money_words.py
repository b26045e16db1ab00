"""Definitions of income, expense, profit and similar words, as all texts for businesses use them.

Summaries, reports, tax tools, tax statements, exports and the back office select categories by
these lists. `docs/money-words.md` has the same table for readers; a test compares the two.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class MoneyWord:
    """A word, its meaning, the categories that it names, and the tax form's line or the law."""

    word: str
    meaning: str
    categories: tuple[str, ...]
    source: str


TRANSFER = MoneyWord(
    "transfer",
    "money moved between accounts of the same business, set-asides for taxes included; neither "
    "income nor expense, and no cash flow",
    ("TRANSFERS_IN", "TRANSFERS_OUT"),
    "no line: the business has the money before and after",
)
DRAW = MoneyWord(
    "owner's draw",
    "money that the owner takes out for private use; no expense",
    ("OWNER_DRAW",),
    "26 U.S.C. 262; a distribution of an S corporation is Form 1120-S, Schedule K, line 16d",
)
CASH_WITHDRAWAL = MoneyWord(
    "cash withdrawal",
    "cash that somebody took out; no expense, since nobody knows what it paid for",
    ("CASH_WITHDRAWAL",),
    "26 U.S.C. 6001: an expense needs a record",
)
INVESTMENT = MoneyWord(
    "owner's investment",
    "money that the owner puts in; no income",
    ("OWNER_INVESTMENT",),
    "26 U.S.C. 118 for corporations; Schedule C has no line for it",
)
LOAN = MoneyWord(
    "loan principal",
    "the borrowed part of a loan, received or repaid; neither income nor expense, its interest is "
    "an expense",
    ("LOAN_PROCEEDS", "LOAN_PRINCIPAL"),
    "interest alone: Schedule C line 16, Form 1120-S line 13",
)
HOLD = MoneyWord(
    "hold by the bank",
    "money that the bank's staff hold back; nothing moves, so it is neither income nor expense, "
    "nor cash flow",
    ("HOLD",),
    "no line: the business still has the money",
)
INCOME = MoneyWord(
    "income",
    "what came in on categories of income, refunds given taken off",
    (),
    "Schedule C lines 1, 2 and 6; Form 1120-S lines 1a, 1b and 5",
)
EXPENSE = MoneyWord(
    "expense",
    "what left on categories of expense, refunds received taken off, in full",
    (),
    "Schedule C lines 4 and 8 to 27; Form 1120-S lines 2 and 7 to 20",
)
PROFIT = MoneyWord(
    "profit",
    "income less expense of business transactions; private ones never count",
    (),
    "Schedule C line 31; Form 1120-S line 22",
)
DEDUCTIBLE = MoneyWord(
    "deductible",
    "the part of a business expense that taxes are not owed on: of meals half, of all else all",
    (),
    "26 U.S.C. 274(n)(1); Schedule C line 24b",
)
CASH_FLOW = MoneyWord(
    "cash flow",
    "all money into and out of the accounts but transfers: draws, investments, cash and loans "
    "count",
    (),
    "no line: it says what moved, not what was earned",
)

NOT_COUNTED = (TRANSFER, DRAW, INVESTMENT, CASH_WITHDRAWAL, LOAN, HOLD)
MONEY_WORDS = (INCOME, EXPENSE, PROFIT, DEDUCTIBLE, CASH_FLOW, *NOT_COUNTED)
NOT_MOVED = (*TRANSFER.categories, *HOLD.categories)  # neither into nor out of the accounts
UNCOUNTED = tuple(code for word in NOT_COUNTED for code in word.categories)
