from dataclasses import replace
from datetime import date

import pytest

from banking.pdf.statements import StatementLine, render_statement
from banking.pdf.totals import Disagreement
from tests.banking.pdf.reading import ReadDocument
from tests.banking.pdf.samples import HOSTILE, make_statement, statement_lines

HUGE = 2**63 - 1
PAGE_MAX_BYTES = 14_900


def test_a_statement_shows_whose_it_is_and_what_changed():
    lines = [
        StatementLine(date(2026, 5, 4), "Payout", "Sales", 250_000, 350_000),
        StatementLine(date(2026, 5, 9), "Copper Street Hardware", "Tools", -4_350, 345_650),
        StatementLine(date(2026, 5, 31), "Monthly fee", "Fees", -1_500, 344_150, is_fee=True),
    ]

    document = ReadDocument(render_statement(make_statement(lines, opening=100_000)))

    texts = [node.text for node in document.structure.children]
    assert document.title == "Account statement, May 1 \N{EN DASH} May 31, 2026"
    assert "Analytical Engines LLC 1 Mill Road Suite 400 Portland, OR 97209" in texts
    assert "Account Business checking •••• 4821" in texts
    assert texts[8:13] == [
        "Opening balance $1,000.00",
        "Money in $2,500.00",
        "Money out -$43.50",
        "Fees -$15.00",
        "Closing balance $3,441.50",
    ]
    assert document.rows() == [
        ["Date", "Description", "Category", "Amount", "Balance"],
        ["May 4, 2026", "Payout", "Sales", "$2,500.00", "$3,500.00"],
        ["May 9, 2026", "Copper Street Hardware", "Tools", "-$43.50", "$3,456.50"],
        ["May 31, 2026", "Monthly fee", "Fees", "-$15.00", "$3,441.50"],
        ["Change and closing balance", "$2,441.50", "$3,441.50"],
    ]


def test_a_month_without_activity_says_so():
    document = ReadDocument(render_statement(make_statement()))

    assert document.rows()[1:] == [
        ["No activity in this period."],
        ["Change and closing balance", "$0.00", "$12,500.00"],
    ]


def test_every_line_is_on_some_page_in_order():
    lines = statement_lines(500)

    rows = ReadDocument(render_statement(make_statement(lines))).rows()

    assert [row[1] for row in rows[1:-1]] == [line.description for line in lines]


@pytest.mark.parametrize(
    "changes",
    [
        {"money_in_cents": 1},
        {"money_out_cents": -1},
        {"fees_cents": -1},
        {"closing_balance_cents": 1},
    ],
)
def test_totals_that_are_not_those_of_the_lines_are_refused(changes):
    statement = make_statement(statement_lines(20), **changes)

    with pytest.raises(Disagreement):
        render_statement(statement)


def test_a_balance_that_does_not_follow_is_refused():
    first, second, third = statement_lines(3)
    wrong = replace(second, balance_cents=second.balance_cents + 1)

    with pytest.raises(Disagreement, match="balance"):
        render_statement(make_statement([first, wrong, third]))


def test_huge_and_negative_amounts_are_shown_whole():
    lines = [StatementLine(date(2026, 5, 4), "All of it", "Sales", -HUGE, -HUGE)]

    document = ReadDocument(render_statement(make_statement(lines, opening=0)))

    assert document.rows()[1][3:] == ["-$92,233,720,368,547,758.07"] * 2


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_breaks_a_statement(text):
    lines = [StatementLine(date(2026, 5, 4), text, text, -1, 1_249_999)]
    statement = make_statement(
        lines, business_name=text, address_lines=(text,) * 9, account_name=text
    )

    document = ReadDocument(render_statement(statement))

    assert len(document.pages) == 1
    assert len(document.rows()) == 3


def test_a_full_page_is_small():
    render = [render_statement(make_statement(statement_lines(count))) for count in (18, 40)]

    sizes = [len(pdf) / len(ReadDocument(pdf).pages) for pdf in render]

    assert [len(ReadDocument(pdf).pages) for pdf in render] == [1, 2]
    assert max(sizes) < PAGE_MAX_BYTES
