"""The index of names: which are alike, and why."""

import pytest

from onboarding.screening.index import Index, Listed
from onboarding.screening.words import normalise

PEOPLE = ["SHCHERBAKOV, Yevgeniy Petrovich", "AL-MASRI, Abd al-Rahman", "LI, Xiaoming"]
COMPANIES = ["ZORVANE TRADING LLC", "ZORVANE SHIPPING CO.", "GENERAL TRADING"]


@pytest.fixture(scope="module")
def index():
    index = Index()
    for entry, name in enumerate([*PEOPLE, *COMPANIES]):
        is_person = "," in name
        words = tuple(normalise(name, is_person=is_person).split())
        index.add(Listed(entry, name, "", name, False, is_person, words))
    return index


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("Eugene Shcherbakov", 0),
        ("Jewgenij Schtscherbakow", 0),
        ("Щербаков Евгений", 0),
        ("Y. P. Shcherbakov", 0),
        ("Abdulrahman Almasri", 1),
        ("عبدالرحمن المصري", 1),
        ("李晓明", 2),
        ("Xiao Ming Li", 2),
    ],
)
def test_a_person_is_found_in_other_spellings_and_scripts(index, name, listed):
    assert [hit.entry for hit in index.search(name, is_person=True)] == [listed]


@pytest.mark.parametrize(
    ("name", "listed"),
    [
        ("Zorvane Trading Holdings", [3]),
        ("Zorvane Commerce", [3]),
        ("Zorvanetrading LLC", [3]),
        ("Zorvane", [3, 4]),
        ("Zorvane Mining", []),
        ("Miller Trading", []),
        ("", []),
    ],
)
def test_a_company_may_have_words_of_its_trade_more_but_no_other_trade(index, name, listed):
    assert [hit.entry for hit in index.search(name, is_person=False)] == listed


@pytest.mark.parametrize(
    ("listed", "name", "score"),
    [
        ("DAR AL SALAM", "DarAlSalam LLC", 96),
        ("DARALSALAM", "Dar al-Salam LLC", 96),
        ("BANK AL HABIB", "Bank AlHabib", 97.5),
        ("BANK ALHABIB", "Bank Al Habib", 97.5),
        ("DE LA CRUZ TRADING", "DeLa Cruz Trading", 98.9),
        ("DAR AL SALAM TRADING", "DarSalam Trading", 92),  # AL is left over
    ],
)
def test_a_company_is_found_if_words_around_a_particle_are_written_as_one(listed, name, score):
    index = Index()
    words = tuple(normalise(listed, is_person=False).split())
    index.add(Listed(1, listed, "", listed, False, False, words))

    assert [hit.score for hit in index.search(name, is_person=False)] == [score]


@pytest.mark.parametrize(
    ("listed", "is_individual", "name", "found"),
    [
        ("OSAMA BIN ZORVANE", True, "Osama Bin Zorvane LLC", True),
        ("OSAMA BIN ZORVANE", True, "Osama Zorvane LLC", True),
        ("OSAMA BIN ZORVANE", True, "Osama Bin Zorvane Trading LLC", False),
        ("BANK AL ZORVANE", False, "Bank al-Zorvane", True),
        ("BANK AL ZORVANE", False, "Bank Zorvane", True),
    ],
)
def test_particles_do_not_part_a_person_from_a_company(listed, is_individual, name, found):
    index = Index()
    words = tuple(normalise(listed, is_person=is_individual).split())
    index.add(Listed(1, listed, "", listed, False, is_individual, words))

    hits = index.search(name, is_person=not is_individual)

    assert [hit.score for hit in hits] == [100] * found


@pytest.mark.parametrize(
    ("listed", "name", "is_person", "score"),
    [
        ("AL BARAKA AL ISLAMI", "Al Baraka Al Islami LLC", False, 100),
        ("BORA BORA SHIPPING", "Bora Bora Shipping", False, 100),
        ("BANK AL HABIB AL ISLAMI", "Bank AlHabib Al Islami", False, 98.5),
        ("HASAN, Hasan", "Hassan Hasan", True, 97.3),
    ],
)
def test_a_word_that_a_listed_name_repeats_is_compared_at_each_place(
    listed, name, is_person, score
):
    index = Index()
    words = tuple(normalise(listed, is_person=is_person).split())
    index.add(Listed(1, listed, "", listed, False, is_person, words))

    assert [hit.score for hit in index.search(name, is_person=is_person)] == [score]


@pytest.mark.parametrize("name", ["hcherbakov Yevgeniy Petrovich", "Shcherbakov Yevgeniy etrovich"])
def test_a_first_letter_that_is_missing_hides_nobody(index, name):
    assert [hit.entry for hit in index.search(name, is_person=True)] == [0]


def test_a_legal_form_without_a_space_before_it_hides_no_company(index):
    assert [hit.entry for hit in index.search("Zorvane TradingLLC", is_person=False)] == [3]


def test_a_hit_says_why(index):
    (hit,) = index.search("Eugene Scherbakov", is_person=True)

    assert hit.reasons == [
        {"ours": "EUGENE", "listed": "YEVGENIY", "reason": "VARIANT"},
        {"ours": "SCHERBAKOV", "listed": "SHCHERBAKOV", "reason": "SOUND"},
        {"ours": "", "listed": "PETROVICH", "reason": "EXTRA"},
    ]
    assert hit.score < 100


def test_a_word_that_is_repeated_is_compared_a_few_times(index, monkeypatch):
    counts = []
    monkeypatch.setattr(
        Index, "_candidates", lambda _self, words, *_, **__: counts.append(len(words)) or {}
    )

    index.search("\ufdfa" * 200, is_person=False)  # a character that stands for a sentence

    assert len(normalise("\ufdfa" * 200, is_person=False).split()) > 200
    assert counts[0] < 20


def test_a_listed_name_is_found_beside_words_that_are_repeated(index):
    hits = index.search("Li " * 50 + "Xiaoming", is_person=True)

    assert [hit.entry for hit in hits] == [2]
