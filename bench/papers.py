"""How long the papers take: `python -m bench.papers` (a minute).

Each paper is made in each round, in an order that alternates; printed are the median and the
spread (the range of the rounds, in per cent of the median). The peer is the same statement laid
out by reportlab's platypus, the usual way. The exit status says whether the goals hold.
"""

import argparse
import statistics
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from io import BytesIO, RawIOBase
from typing import Any

from reportlab.lib import colors
from reportlab.lib.pagesizes import LETTER
from reportlab.lib.styles import ParagraphStyle
from reportlab.platypus import (
    LongTable,
    Paragraph,
    SimpleDocTemplate,
    TableStyle,
)

from banking.choices import LetterVariant
from banking.money import usd_text
from banking.pdf.expenses import (
    ExpenseLine,
    ExpenseReport,
    ExpenseTotal,
    MonthTotal,
    write_expense_report,
)
from banking.pdf.letters import AccountLetter, render_letter
from banking.pdf.pages import Letterhead, day_text
from banking.pdf.signing import make_signing_identity, sign
from banking.pdf.statements import (
    AccountStatement,
    StatementLine,
    render_statement,
)
from banking.pdf.typefaces import BOLD, REGULAR

MADE_AT = datetime(2026, 6, 1, 6, tzinfo=UTC)
HEAD = Letterhead(
    "Vestibule Bank (sandbox)",
    ("100 Harbor Street", "Portland, OR 97204"),
    "(503) 555-0100",
    "www.vestibule.example",
    "123006800",
    "VSTBUS66XXX",
)
BUSINESS = ("Analytical Engines LLC", ("1 Mill Road", "Portland, OR 97209"))
STATEMENT_LINES, REPORT_LINES, ZIPPED = 100, 5_000, 500
CATEGORIES = [f"Category {number:02}" for number in range(20)]
SHADE, DEEP = colors.HexColor("#f5f7f8"), colors.HexColor("#0b3540")
PEER_STYLE = TableStyle(
    [
        ("FONT", (0, 0), (-1, 0), BOLD, 8.5),
        ("FONT", (0, 1), (-1, -1), REGULAR, 8.5),
        ("TEXTCOLOR", (0, 0), (-1, 0), colors.white),
        ("BACKGROUND", (0, 0), (-1, 0), DEEP),
        ("ALIGN", (3, 0), (-1, -1), "RIGHT"),
        ("ROWBACKGROUNDS", (0, 1), (-1, -1), [colors.white, SHADE]),
    ]
)


@dataclass(frozen=True)
class Goal:
    """What one kind of paper may take. Units: milliseconds."""

    name: str
    make: Callable[[int], object]
    most: float | None = None


class Discarded(RawIOBase):
    """A file that cannot be sought and forgets what is written to it."""

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        return len(content)


def make_statement(seed: int) -> AccountStatement:
    """Return a statement of a hundred lines that differ with `seed`."""
    opening = balance = 1_250_000
    lines = []
    for index in range(STATEMENT_LINES):
        amount = (index + seed) * 7919 % 90_000 - 40_001
        balance += amount
        day = date(2026, 5, 1) + timedelta(days=index * 31 // STATEMENT_LINES)
        text = f"Copper Street Hardware #{seed}-{index}"
        lines.append(StatementLine(day, text, CATEGORIES[index % 20], amount, balance))
    money_in = sum(line.amount_cents for line in lines if line.amount_cents > 0)
    totals = (opening, money_in, balance - opening - money_in, 0, balance)
    period = (date(2026, 5, 1), date(2026, 5, 31))
    return AccountStatement(
        HEAD, *BUSINESS, "Business checking", "4821", *period, *totals, lines, MADE_AT
    )


def expense_lines(seed: int) -> Iterator[ExpenseLine]:
    """Yield five thousand lines by category."""
    each = REPORT_LINES // len(CATEGORIES)
    for category in CATEGORIES:
        for index in range(each):
            day = date(2026, 1, 1) + timedelta(days=index * 365 // each)
            text = f"Blue Kettle Coffee #{seed}-{index}"
            yield ExpenseLine(day, text, "Card purchase", category, "4821", index * 7919 % 90_000)


def make_report() -> ExpenseReport:
    """Return the totals of `expense_lines`."""
    each = REPORT_LINES // len(CATEGORIES)
    spent = sum(index * 7919 % 90_000 for index in range(each))
    categories = tuple(ExpenseTotal(name, each, spent) for name in CATEGORIES)
    months = (MonthTotal(date(2026, 1, 1), spent * len(CATEGORIES)),)
    period = (date(2026, 1, 1), date(2026, 12, 31))
    return ExpenseReport(HEAD, *BUSINESS, *period, categories, months, (), MADE_AT)


def write_report(seed: int) -> None:
    """Write the detailed report to nowhere."""
    write_expense_report(make_report(), Discarded(), lines=expense_lines(seed))


def make_letter(seed: int) -> AccountLetter:
    """Return an ACH letter."""
    account = ("Business checking", f"{402178814821 + seed}", "Open", date(2024, 3, 14))
    return AccountLetter(HEAD, LetterVariant.ACH, *BUSINESS, *account, f"LTR-{seed}", None, MADE_AT)


def zip_statements(seed: int) -> None:
    """Write five hundred statements to one archive, none held after it is written."""
    statement = make_statement(seed)
    with zipfile.ZipFile(Discarded(), "w", zipfile.ZIP_STORED) as archive:
        for number in range(ZIPPED):
            client = replace(statement, business_name=f"Client {number}")
            archive.writestr(f"{number}.pdf", render_statement(client))


def platypus_statement(seed: int) -> bytes:
    """Return the statement as platypus makes it, neither tagged nor numbered x of y."""
    statement = make_statement(seed)
    head = [["Date", "Description", "Category", "Amount", "Balance"]]
    rows = [
        [
            day_text(line.posted_date),
            line.description,
            line.category,
            usd_text(line.amount_cents),
            usd_text(line.balance_cents),
        ]
        for line in statement.lines
    ]
    table = LongTable(head + rows, colWidths=[69, 199, 88, 79, 69], repeatRows=1)
    table.setStyle(PEER_STYLE)
    title = ParagraphStyle("title", fontName=BOLD, fontSize=20, leading=40, textColor=DEEP)
    target = BytesIO()
    document = SimpleDocTemplate(target, pagesize=LETTER, leftMargin=54, rightMargin=54)
    document.build([Paragraph("Account statement", title), table])
    return target.getvalue()


def measure(goals: list[Goal], rounds: int) -> dict[str, list[float]]:
    """Return the milliseconds of each paper in each round, after one that does not count."""
    taken: dict[str, list[float]] = {goal.name: [] for goal in goals}
    for number in range(rounds + 1):
        for goal in goals if number % 2 else reversed(goals):
            start = time.process_time()
            goal.make(number)
            taken[goal.name].append((time.process_time() - start) * 1_000)
    return {name: found[1:] for name, found in taken.items()}


def peak_of(make: Callable[[int], object]) -> float:
    """Return what making it allocates at most. Units: MiB."""
    tracemalloc.start()
    make(0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1024**2


def report(goals: list[Goal], taken: dict[str, list[float]]) -> bool:
    """Print the figures; return whether the goals hold."""
    holds = True
    for goal in goals:
        found = taken[goal.name]
        median = statistics.median(found)
        spread = (max(found) - min(found)) * 100 / median
        wanted = f"at most {goal.most:,.0f}" if goal.most else ""
        noisy = "  noisy" if spread > 25 else ""
        sys.stdout.write(f"{goal.name:<40}{median:>10.1f} ms  ±{spread:3.0f} %{noisy}  {wanted}\n")
        holds = holds and (goal.most is None or median < goal.most)
    return holds


def main() -> int:
    """Run the benchmark; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7, help="Of the papers (7).")
    rounds = parser.parse_args().rounds
    bank = make_signing_identity(name=HEAD.name, at=MADE_AT)

    def signed_letter(seed: int) -> bytes:
        pdf = render_letter(make_letter(seed))
        return sign(pdf, identity=bank, reason="Bank account letter", at=MADE_AT)

    ours = Goal(
        "statement of 100 lines", lambda seed: render_statement(make_statement(seed)), 1_000 / 60
    )
    peer = Goal("the same by platypus, untagged", platypus_statement)
    long = Goal("detailed report of 5,000 lines", write_report, 1_000)
    papers = [ours, peer, long, Goal("signed letter", signed_letter)]
    archive = [Goal("ZIP of 500 statements", zip_statements)]
    taken = measure(papers, rounds) | measure(archive, max(1, rounds // 3))
    holds = report([*papers, *archive], taken)
    ratio = statistics.median(taken[peer.name]) / statistics.median(taken[ours.name])
    sys.stdout.write(f"platypus takes {ratio:.2f} times as long as the tagged statement\n")
    for goal in (ours, long, *archive):
        sys.stdout.write(f"peak of {goal.name:<32}{peak_of(goal.make):>10.1f} MiB\n")
    return int(not holds)


if __name__ == "__main__":
    sys.exit(main())
