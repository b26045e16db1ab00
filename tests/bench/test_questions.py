"""The questions of owners and accountants, asked about the demo bank."""

from datetime import date

import pytest

from bench import questions
from bench.question_books import Books
from bench.question_list import first_part


@pytest.mark.django_db
def test_the_tools_answer_every_question_rightly_and_shortly(settings):
    pytest.importorskip("bpe_openai")
    settings.RATE_LIMIT_FACTOR = 1_000
    questions.load()

    outcomes = list(questions.ask_all())

    assert len(outcomes) == 60
    wrong = {one.text: (one.told, one.expected) for one in outcomes if not one.is_right}
    assert not wrong
    assert [(one.text, one.tools, one.tokens) for one in outcomes if not one.is_short] == []
    rows = questions.table(outcomes)
    assert all(f"| yes | {one.figure} |" in rows for one in outcomes)


def test_a_year_that_has_just_begun_has_no_largest_part(make_business):
    books = Books(make_business(), date(2027, 1, 1))

    assert books.largest(books.days.this_year, "EXPENSE", lambda row: row["category"]) == ()
    assert first_part("byCategory", "key")([{"byCategory": []}]) == ()
