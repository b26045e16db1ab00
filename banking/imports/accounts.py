"""Check that a file is of the account it is imported into.

A file's account number may have gaps or leading zeros, or be masked.
"""

import re
from dataclasses import dataclass
from typing import Final

from banking.imports.transactions import UnreadableFile, clean

GAPS: Final = re.compile(r"[\s.-]+")
MASK: Final = re.compile(r"[Xx*#•]+")
SHOWN: Final = 4


class WrongAccount(UnreadableFile):
    """The file names another account than the one that it is imported into."""


@dataclass(frozen=True)
class AccountNames:
    """The numbers that name an account in files: its own, and the last four digits of its cards."""

    number: str
    cards: frozenset[str] = frozenset()  # the last four digits of each

    def check(self, named: str, *, is_card: bool = False) -> None:
        """Raise WrongAccount if `named` is another account. An empty name passes.

        Of a masked number only the visible digits are compared, of a card the last four digits.
        """
        name = GAPS.sub("", named)
        if _is_same(name, self.number) or (is_card and name[-SHOWN:] in self.cards):
            return
        raise WrongAccount(
            f"The file is of the account {_masked(name)}, not of {_masked(self.number)}."
        )


def _is_same(name: str, number: str) -> bool:
    first, *rest = MASK.split(name)
    if rest:
        return number.startswith(first.lstrip("0")) and number.endswith(rest[-1])
    return not name or name.lstrip("0") == number.lstrip("0")


def _masked(number: str) -> str:
    shown = clean(number)
    return f"••••{shown[-SHOWN:]}" if len(shown) > SHOWN else "••••"
