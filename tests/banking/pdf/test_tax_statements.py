from datetime import date

import pytest

from banking.pdf.tax_statements import CategoryExpense, render_tax_statement
from banking.pdf.totals import Disagreement
from tests.banking.pdf.reading import ReadDocument
from tests.banking.pdf.samples import HOSTILE, make_tax_statement


def test_a_quarter_shows_income_expenses_set_aside_and_tax():
    document = ReadDocument(render_tax_statement(make_tax_statement()))

    texts = [node.text for node in document.structure.children]
    assert document.title == "Tax statement, Quarter 2, 2026"
    assert {
        "Income $62,150.00",
        "Expenses $19,900.00",
        "Profit $42,250.00",
        "Set aside $12,400.00",
        "Estimated tax $6,107.11",
    } <= set(texts)
    assert document.rows(0)[1:] == [
        ["Contract labor", "9", "$12,400.00", "$12,400.00"],
        ["Meals", "3", "$7,500.00", "$3,750.00"],
        ["Total", "12", "$19,900.00", "$16,150.00"],
    ]
    assert document.rows(1)[1:] == [
        ["Balance before Apr 1, 2026", "$4,120.00"],
        ["Moved to the tax bucket", "$12,400.00"],
        ["Moved out of the tax bucket", "-$4,120.00"],
        ["Balance on Jun 30, 2026", "$12,400.00"],
    ]
    assert document.rows(2)[1:] == [
        ["Federal income tax", "$4,123.11"],
        ["State tax", "$1,984.00"],
        ["Estimated tax", "$6,107.11"],
    ]


def test_sources_and_notes_are_cited():
    texts = [
        node.text
        for node in ReadDocument(render_tax_statement(make_tax_statement())).structure.children
    ]

    assert "Revenue Procedure 2025-32, effective January 1, 2026" in texts
    assert "OR: Local taxes are left out." in texts
    assert texts[-1].startswith("The tax is an estimate")


def test_the_fifth_quarter_is_the_full_year():
    statement = make_tax_statement(
        quarter=5, start_date=date(2026, 1, 1), end_date=date(2026, 12, 31)
    )

    document = ReadDocument(render_tax_statement(statement))

    assert document.title == "Tax statement, Full year 2026"
    assert "Full year 2026 · Jan 1 \N{EN DASH} Dec 31, 2026" in document.text


def test_a_loss_and_no_tax_can_be_shown():
    statement = make_tax_statement(income_cents=0, taxes=(), sources=(), notes=())

    document = ReadDocument(render_tax_statement(statement))

    assert "Profit -$19,900.00" in [node.text for node in document.structure.children]
    assert document.rows(2)[1:] == [["No tax is estimated."], ["Estimated tax", "$0.00"]]


def test_a_set_aside_that_does_not_add_up_is_refused():
    with pytest.raises(Disagreement):
        render_tax_statement(make_tax_statement(set_aside_in_cents=1))


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_breaks_a_tax_statement(text):
    statement = make_tax_statement(
        expenses=(CategoryExpense(text, 1, 100, 50),), sources=(text,) * 3, entity_name=text
    )

    assert ReadDocument(render_tax_statement(statement)).rows(0)[-1] == [
        "Total",
        "1",
        "$1.00",
        "$0.50",
    ]
