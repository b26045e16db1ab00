"""Refuse passwords that are mostly words which everybody expects at this deployment."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

MIN_REST = 8  # letters and digits beside the words
MIN_WORD = 4  # letters of a word; shorter words are in too many passwords
LOOKALIKES = str.maketrans("013457@$!|l", "oieastasiii")  # "v3st1bu1e" reads as "vestibule"


class OwnWordsValidator:
    """Refuse passwords with fewer than MIN_REST letters and digits beside the words.

    Digits alone are not enough beside a word. Case, accents and digits that look like letters make
    no difference. A word may be a name of several words, or a host.
    """

    def __init__(self, words: Iterable[str]) -> None:
        parts = {part for word in words for part in re.findall(r"[^\W\d_]+", word)}
        plain = {_plain(part).translate(LOOKALIKES) for part in parts if len(part) >= MIN_WORD}
        self.words = re.compile("|".join(sorted(plain, key=lambda word: (-len(word), word))))

    def validate(self, password: str, user: Any = None) -> None:
        plain = _plain(password)
        found = list(self.words.finditer(plain.translate(LOOKALIKES)))
        taken = {position for match in found for position in range(*match.span())}
        beside = (char for position, char in enumerate(plain) if position not in taken)
        rest = "".join(filter(str.isalnum, beside))
        if taken and (len(rest) < MIN_REST or rest.isdigit()):
            message = _(
                "This password is easy to guess here: it is mostly words such as the name of the "
                "bank. Use other words."
            )
            raise ValidationError(message, code="password_of_own_words")

    def get_help_text(self) -> str:
        return _("Your password cannot be mostly words such as the name of the bank.")


def _plain(text: str) -> str:
    """Return the letters and digits of a text in lower case, without accents.

    Characters that look like letters are kept.
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if char.translate(LOOKALIKES).isalnum())
