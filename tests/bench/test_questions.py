"""The questions of owners and accountants, asked about the demo bank."""

import pytest

from bench import questions


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
