"""Words of the deployment as the main part of a password."""

import pytest
from django.core.exceptions import ValidationError

from foundation.passwords.own_words import OwnWordsValidator

VALIDATOR = OwnWordsValidator(["Vestibule Bank (sandbox)", "www.bank.example", "contraseña", "for"])


@pytest.mark.parametrize(
    "password",
    [
        "bankbankbank",
        "VestibuleBank",
        "vestibule-2026!",
        "Vestibule123456789",
        "V3st1bu1e-B@nk-1",
        "Vestibule!!!!!!!!",
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
        "correct-horse-9",
        "vestibule correct horse",
        "riverbank pebbles",
        "for for for for",
        "8" * 12,
    ],
)
def test_passwords_with_enough_beside_the_words_pass(password):
    VALIDATOR.validate(password)


def test_the_rule_is_said_before_a_password_is_chosen():
    assert "name of the bank" in VALIDATOR.get_help_text()
