import tracemalloc
from dataclasses import replace
from datetime import date
from io import BytesIO

import pytest

from banking.pdf.expenses import ExpenseLine, MonthTotal, write_expense_report
from banking.pdf.totals import Disagreement
from tests.banking.pdf.reading import ReadDocument
from tests.banking.pdf.samples import (
    HOSTILE,
    expense_lines,
    make_expense_report,
    render_expense_report,
)

LINES = [
    ExpenseLine(date(2026, 1, 9), "Blue Kettle Coffee", "Beans", "Meals", "4821", 1_250),
    ExpenseLine(date(2026, 2, 3), "Blue Kettle Coffee", "Returned", "Meals", "4821", -250),
    ExpenseLine(date(2026, 2, 1), "Stratus Cloud", "Seats", "Software", "", 3_000),
]


def test_a_summary_has_totals_by_category_merchant_and_month():
    document = ReadDocument(render_expense_report(make_expense_report(LINES)))

    texts = [node.text for node in document.structure.children]
    alternatives = [figure.entries["/Alt"] for figure in document.structure.all("Figure")]
    assert {"Transactions 3", "Categories 2", "Average per month $20.00"} <= set(texts)
    assert "Total spent $40.00" in texts
    assert alternatives == [
        "Bar chart of what was spent by month: Jan 2026 $12.50, Feb 2026 $27.50.",
        "Bar chart of what was spent by category: Software $30.00, Meals $10.00.",
    ]
    assert document.rows(0)[1:] == [
        ["Meals", "2", "25.0 %", "$10.00"],
        ["Software", "1", "75.0 %", "$30.00"],
        ["Total", "3", "", "$40.00"],
    ]
    assert document.rows(1)[1:] == [
        ["Blue Kettle Coffee", "2", "$10.00"],
        ["Stratus Cloud", "1", "$30.00"],
    ]


def test_a_detailed_report_has_each_line_and_a_subtotal_per_category():
    document = ReadDocument(render_expense_report(make_expense_report(LINES), LINES))

    assert document.title.startswith("Detailed expense report, ")
    assert document.rows(1)[1:] == [
        ["Jan 9, 2026", "Blue Kettle Coffee", "Beans", "•4821", "$12.50"],
        ["Feb 3, 2026", "Blue Kettle Coffee", "Returned", "•4821", "-$2.50"],
        ["Meals, 2 transactions", "$10.00"],
    ]
    assert document.rows(2)[1:] == [
        ["Feb 1, 2026", "Stratus Cloud", "Seats", "", "$30.00"],
        ["Software, 1 transaction", "$30.00"],
    ]


@pytest.mark.parametrize("lines", [None, []])
def test_a_period_without_expenses_says_so(lines):
    document = ReadDocument(render_expense_report(make_expense_report([]), lines))

    assert ["No expenses in this period."] in document.rows()
    assert document.rows()[-1] == ["Total", "0", "", "$0.00"]


@pytest.mark.parametrize(
    "lines",
    [
        LINES[:2],
        LINES[1:],
        [LINES[2], *LINES[:2]],
        [*LINES, replace(LINES[2], category="Travel")],
        [*LINES[:2], replace(LINES[2], amount_cents=3_001)],
    ],
)
def test_lines_that_are_not_those_of_the_totals_are_refused(lines):
    report = make_expense_report(LINES)

    with pytest.raises(Disagreement):
        render_expense_report(report, lines)


def test_months_that_are_not_those_of_the_categories_are_refused():
    report = make_expense_report(LINES, months=(MonthTotal(date(2026, 1, 1), 1),))

    with pytest.raises(Disagreement):
        render_expense_report(report)


def test_more_refunds_than_expenses_can_be_drawn():
    lines = [replace(line, amount_cents=-abs(line.amount_cents)) for line in LINES]

    document = ReadDocument(render_expense_report(make_expense_report(lines)))

    assert "Total spent -$45.00" in [node.text for node in document.structure.children]


def test_a_hundred_months_and_categories_can_be_drawn():
    lines = [
        replace(LINES[0], posted_date=date(2018 + n // 12, n % 12 + 1, 1), category=f"Kind {n:03}")
        for n in range(100)
    ]

    document = ReadDocument(render_expense_report(make_expense_report(lines), lines))

    alternatives = [figure.entries["/Alt"] for figure in document.structure.all("Figure")]
    assert "and 76 more" in alternatives[0]
    assert "93 others $1,162.50" in alternatives[1]
    assert len(document.structure.all("Table")) == 101


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_breaks_a_report(text):
    lines = [replace(LINES[0], merchant=text, description=text, category=text, card_last4=text)]
    report = make_expense_report(lines, business_name=text, address_lines=(text,) * 9)

    for chosen in (None, lines):
        document = ReadDocument(render_expense_report(report, chosen))

        assert document.rows()[-1][-1] == "$12.50"


def test_a_long_report_takes_no_more_memory_than_a_short_one():
    peaks = {}
    for count in (300, 5_100):
        lines = expense_lines(count)
        report = make_expense_report(lines)
        tracemalloc.start()
        write_expense_report(report, Discarded(), lines=iter(lines))
        peaks[count] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()

    assert peaks[5_100] < peaks[300] + 2_000_000


class Discarded(BytesIO):
    """A file that forgets what is written to it."""

    def write(self, content):
        return len(content)
