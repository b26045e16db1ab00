"""Refuse passwords that a program guesses with few tries."""

import re
from collections import Counter
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

MIN_GUESSES: Final = 5 * 10**8  # of the whole password
MIN_GUESSES_OF_CORE: Final = 10**7  # without a number of up to four digits before and after it
MAX_CHARACTERS: Final = 32  # the time of zxcvbn grows with the square; the rest only adds guesses
NUMBERS_AROUND: Final = re.compile(r"^\d{0,4}[\W_]*|[\W_]*\d{0,4}[\W_]*$")


class GuessesValidator:
    """Refuse passwords of too few guesses: the parts that zxcvbn finds, multiplied.

    It knows common words, names and passwords, repeats, sequences, dates and rows of keys. Signs
    between words add nothing, and a year behind them adds little: programs try those first. The
    guesses that zxcvbn itself states are not used, since each sign multiplies them by ten thousand.
    """

    def validate(self, password: str, user: Any = None) -> None:
        joined = _without_separator(password)
        core = NUMBERS_AROUND.sub("", joined)
        guesses = min(count_guesses(password), count_guesses(joined))
        if guesses < MIN_GUESSES or count_guesses(core) < MIN_GUESSES_OF_CORE:
            message = _(
                "This password is easy to guess: it is made of common words, names, dates, "
                "sequences or repeats. Use more words that do not belong together."
            )
            raise ValidationError(message, code="password_easy_to_guess")

    def get_help_text(self) -> str:
        return _("Your password cannot be easy to guess, such as a common word and a year.")


def count_guesses(text: str) -> int:
    """Return the product of the guesses of each part of a text; signs between parts count as 1.

    Only the first MAX_CHARACTERS of the text are looked at.
    """
    from zxcvbn import zxcvbn  # its lists of words take 4 MiB, which few processes need

    product = 1
    for part in zxcvbn(text[:MAX_CHARACTERS])["sequence"] if text else []:
        token = part["token"]
        if part["pattern"] != "bruteforce":
            product *= int(part["guesses"])
        elif any(map(str.isalnum, token)):
            product *= 10 ** len(token)
    return product


def _without_separator(password: str) -> str:
    """Return a password without its most frequent sign, if that is in it at least twice."""
    signs = Counter(char for char in password if not char.isalnum())
    sign, count = next(iter(signs.most_common(1)), ("", 0))
    return password.replace(sign, "") if count > 1 else password
