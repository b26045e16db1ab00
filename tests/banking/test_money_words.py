"""The words for money: one list for code and readers, and one for what is counted."""

from pathlib import Path

import pytest

from banking.choices import CategoryType
from banking.models import Category
from banking.money_words import MONEY_WORDS, UNCOUNTED
from banking.queries.profits import counts_as

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "money-words.md"


def test_the_page_for_readers_has_the_words_of_the_code():
    text = DOCUMENT.read_text()

    for word in MONEY_WORDS:
        categories = ", ".join(f"`{code}`" for code in word.categories)
        row = f"| {word.word} | {word.meaning} | {categories} | {word.source} |"
        assert row in text, f"docs/money-words.md lacks: {row}"


@pytest.mark.django_db
def test_each_category_is_income_or_expense_or_named_as_neither():
    codes = dict(Category.objects.values_list("code", "category_type"))

    assert set(UNCOUNTED) <= set(codes)
    for code, kind in codes.items():
        assert counts_as(code, kind) in ({""} if code in UNCOUNTED else set(CategoryType))
