"""Passwords that a program guesses with few tries."""

import pytest
from django.core.exceptions import ValidationError

from foundation.passwords.guesses import GuessesValidator

VALIDATOR = GuessesValidator()


@pytest.mark.parametrize(
    "password",
    [
        "correcthorse",
        "aaaaaaaaaaaa",
        "abcdefghijkl",
        "123456789012",
        "qwertyuiopas",
        "jennifer1985",
        "P@ssw0rd2026",
        "letmeinletmein",
        "a" * 500,
        "",
        "maya.bakery.1985",
        "summer.winter.2026",
        "sweet-bread-2026",
        "CorrectHorse2026!",
        "green.tree.river",
        "sunshine.rainbow",
        "daughter.1998.emma",
        "s.u.m.m.e.r.2026",
        "one.two.three.four",
        "11/11/1985 11:11",
    ],
)
def test_passwords_of_common_words_sequences_and_repeats_are_refused(password):
    with pytest.raises(ValidationError, match="easy to guess"):
        VALIDATOR.validate(password)


@pytest.mark.parametrize(
    "password",
    [
        "copper-otter-9-lamp",
        "brown-otter-lamp",
        "x9 tulip Ωmega",
        "caballo-azul-" * 9,
        "k7#9Qz!4m2Wp",
        "8f3kd92lsm4x",
        "terhtahwplue",
    ],
)
def test_passwords_of_several_words_pass(password):
    VALIDATOR.validate(password)


def test_the_rule_is_said_before_a_password_is_chosen():
    assert "common word and a year" in VALIDATOR.get_help_text()
