"""Refuse passwords that a program guesses with few tries."""

from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

MIN_GUESSES: Final = 10**8  # what zxcvbn rates 3 of 4
MAX_CHARACTERS: Final = 32  # the time of zxcvbn grows with the square; the rest only adds guesses


class GuessesValidator:
    """Refuse passwords that zxcvbn expects to be guessed in fewer than MIN_GUESSES tries.

    It knows common words, names and passwords, repeats, sequences, dates and rows of keys.
    """

    def validate(self, password: str, user: Any = None) -> None:
        from zxcvbn import zxcvbn  # its lists of words take 4 MiB, which few processes need

        rated = password[:MAX_CHARACTERS]
        if not rated or zxcvbn(rated)["guesses"] < MIN_GUESSES:
            message = _(
                "This password is easy to guess: it is made of common words, names, dates, "
                "sequences or repeats. Use more words that do not belong together."
            )
            raise ValidationError(message, code="password_easy_to_guess")

    def get_help_text(self) -> str:
        return _("Your password cannot be easy to guess, such as a common word and a year.")
