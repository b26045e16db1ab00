"""Refuse passwords that are mostly words which everybody expects of this bank or this user."""

import re
import unicodedata
from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

MIN_REST = 8  # letters beside the words; years, digits and signs count for nothing
MIN_WORD = 3  # letters of a word; shorter words are in too many passwords
LOOKALIKES = str.maketrans("013457@$!|l", "oieastasiii")  # "v3st1bu1e" reads as "vestibule"


class OwnWordsValidator:
    """Refuse passwords with fewer than MIN_REST letters beside the words.

    The words are those given and, if the user has them, `own_words`, such as names. Case, accents
    and digits that look like letters make no difference. A word may be a name of several words, a
    host or an email address. A password with none of the words is left to the other validators.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.words = frozenset(words)

    def validate(self, password: str, user: Any = None) -> None:
        plain = _plain(password)
        words = _pattern(self.words.union(getattr(user, "own_words", ())))
        found = list(words.finditer(plain.translate(LOOKALIKES)))
        taken = {position for match in found for position in range(*match.span())}
        beside = (char for position, char in enumerate(plain) if position not in taken)
        if taken and sum(map(str.isalpha, beside)) < MIN_REST:
            message = _(
                "This password is easy to guess here: it is mostly words such as your name, the "
                "name of your business or of the bank, or a well-known example. Use other words."
            )
            raise ValidationError(message, code="password_of_own_words")

    def get_help_text(self) -> str:
        return _(
            "Your password cannot be mostly words such as your name, the name of your business or "
            "of the bank, or a well-known example."
        )


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern of the words' parts, longer first, for texts translated by LOOKALIKES."""
    parts = {part for word in words for part in re.findall(r"[^\W\d_]+", word)}
    plain = {_plain(part).translate(LOOKALIKES) for part in parts if len(part) >= MIN_WORD}
    return re.compile("|".join(sorted(plain, key=lambda word: (-len(word), word))) or r"(?!)")


def _plain(text: str) -> str:
    """Return the letters and digits of a text in lower case, without accents.

    Characters that look like letters are kept.
    """
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if char.translate(LOOKALIKES).isalnum())
