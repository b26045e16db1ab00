"""Mentions of colleagues in notes."""

import pytest

from onboarding.queries.mentions import find_mentioned, list_mentionable, mention_of
from tests.factories import make_user
from tests.onboarding.cases import make_reviewer


@pytest.mark.parametrize(
    "text",
    ["@Dana.Reyes?", "ask @dana.reyes.", "(@DREYES)", "@dreyes@example.com: please", "x\n@dreyes"],
)
def test_a_colleague_is_mentioned_by_name_or_email(db, text):
    dana = make_reviewer(email="dreyes@example.com", first_name="Dana", last_name="Reyes")
    make_reviewer(email="iris@example.com", first_name="Iris", last_name="Berg")

    assert find_mentioned(text) == [dana]


@pytest.mark.parametrize("text", ["dreyes@example.com wrote", "Dana Reyes", "@dana", "@ dreyes"])
def test_other_words_mention_nobody(db, text):
    make_reviewer(email="dreyes@example.com", first_name="Dana", last_name="Reyes")

    assert find_mentioned(text) == []


def test_only_reviewers_are_mentioned(db):
    make_user(email="vera@example.com", user_type="STAFF")

    assert find_mentioned("@vera") == []


def test_a_text_without_mentions_takes_no_statement(db, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert find_mentioned("Nothing new.") == []


def test_a_person_without_a_name_is_mentioned_by_email(db):
    assert mention_of(make_reviewer(email="x@example.com", first_name="", last_name="")) == (
        "x@example.com"
    )


def test_what_is_offered_to_mention_a_colleague_mentions_them(db):
    dana, iris = (
        make_reviewer(email=f"{name.lower()}@example.com", first_name=name, last_name="O'Neil Berg")
        for name in ("Dana", "Iris")
    )

    assert list_mentionable(dana) == [iris]
    assert find_mentioned(f"See @{mention_of(iris)}.") == [iris]
