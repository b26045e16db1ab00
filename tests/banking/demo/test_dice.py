import uuid
from datetime import UTC, date, datetime

from banking.demo.dice import Dice

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def test_the_same_text_throws_the_same():
    first, second = Dice("7:bakery"), Dice("7:bakery")

    assert [first.randint(1, 6) for _ in range(20)] == [second.randint(1, 6) for _ in range(20)]
    assert first.uuid(NOON) == second.uuid(NOON)


def test_another_text_throws_something_else():
    assert Dice("7:bakery").uuid(NOON) != Dice("8:bakery").uuid(NOON)


def test_an_id_looks_as_if_it_was_made_at_its_moment():
    made = Dice("7").uuid(NOON)

    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert made.int >> 80 == int(NOON.timestamp() * 1000)


def test_what_is_thrown_stays_within_its_bounds():
    dice = Dice("7")

    for _ in range(200):
        assert 500 <= dice.cents(5, 9) <= 900
        assert dice.round_cents(40, 300) in range(4_000, 30_001, 2_000)
        assert len(dice.digits(11)) == 11
        assert 14 <= dice.timestamp(date(2026, 3, 2)).hour < 23
