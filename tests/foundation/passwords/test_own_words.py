"""Words of the deployment and of the user as the main part of a password."""

from types import SimpleNamespace

import pytest
from django.conf import settings
from django.core.exceptions import ValidationError

from foundation.passwords.own_words import OwnWordsValidator

VALIDATOR = OwnWordsValidator(["Vestibule Bank (sandbox)", "www.bank.example", "contraseña", "of"])
MAYA = SimpleNamespace(
    own_words=["maya.brook@bakery.example", "Maya", "Brook", "Brook & Daughters, Café LLC", ""]
)


@pytest.mark.parametrize(
    "password",
    [
        "bankbankbank",
        "VestibuleBank",
        "vestibule-2026!",
        "Vestibule123456789",
        "V3st1bu1e-B@nk-1",
        "Vestibule!!!!!!!!",
        "vestibule-summer-26",
        "Contrasena2026",
        "CONTRASEÑA2026",
        "www.bank.example",
        "my vestibule bank",
    ],
)
def test_passwords_of_the_words_are_refused(password):
    with pytest.raises(ValidationError, match="easy to guess here"):
        VALIDATOR.validate(password)


@pytest.mark.parametrize(
    "password",
    [
        "copper-otter-9",
        "vestibule copper otter",
        "riverbank pebbles",
        "of of of of of of",
        "maya.bakery.2026",  # of somebody else
        "7Q!x2#9f0Kz$",
        "8" * 12,
    ],
)
def test_passwords_with_enough_beside_the_words_pass(password):
    VALIDATOR.validate(password)


@pytest.mark.parametrize(
    "password",
    [
        "maya.bakery.2026",
        "mayabrook@bakery.example",
        "Maya-Brook-1984!!",
        "M4y4-Br00k-1984!!",
        "Daughters.Cafe.24",
        "brook&daughters#1",
        "MAYA bank 2026!!!",
        "bakery-spring-2026",
    ],
)
def test_passwords_of_the_users_own_words_are_refused(password):
    with pytest.raises(ValidationError, match="your name"):
        VALIDATOR.validate(password, MAYA)


@pytest.mark.parametrize(
    "password",
    ["copper-otter-9", "maya likes green tulips", "brook under a willow", "mi caballo azul canta"],
)
def test_passphrases_with_one_of_the_users_own_words_pass(password):
    VALIDATOR.validate(password, MAYA)


@pytest.mark.parametrize(
    "password",
    [
        "correct horse battery",
        "correct horse battery staple",
        "CorrectHorseBatteryStaple1",
        "correct-horse-9",
        "red house monkeys 27!",
        "coffeetrainfish",
        "the quick brown fox",
        "lorem ipsum dolor",
    ],
)
def test_well_known_examples_of_passphrases_are_refused(password):
    with pytest.raises(ValidationError, match="well-known example"):
        OwnWordsValidator(settings.OWN_PASSWORD_WORDS).validate(password)


@pytest.mark.parametrize("password", ["my horse eats tulips", "staple remover drawer"])
def test_a_word_of_an_example_is_no_fault(password):
    OwnWordsValidator(settings.OWN_PASSWORD_WORDS).validate(password)


def test_without_words_everything_passes():
    OwnWordsValidator([]).validate("maya.bakery.2026", SimpleNamespace(own_words=[]))


def test_the_rule_is_said_before_a_password_is_chosen():
    assert "your name, the name of your business or of the bank" in VALIDATOR.get_help_text()
