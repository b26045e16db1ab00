"""Invented people and companies: their names in the form of a list, and in other scripts."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from bench.sanctions import make_word
from bench.screening import sources

SUFFIXES = ["LLC", "LTD.", "S.A.", "CO.", "FZE", "INC.", "JSC", "GMBH"]


@dataclass(frozen=True)
class Part:
    """A word of a name: as listed, other spellings, and in its own script."""

    listed: str
    others: tuple[str, ...] = ()
    script: str = ""


@dataclass(frozen=True)
class Person:
    """A listed person. `language` is ru, ar, zh, es, en, de or fr."""

    entry: int
    language: str
    given: Part
    middle: Part | None
    surname: Part

    @property
    def name(self) -> str:
        """Return the name as OFAC writes it."""
        given = " ".join(part.listed for part in (self.given, self.middle) if part)
        return f"{self.surname.listed.upper()}, {given}"


@dataclass(frozen=True)
class Company:
    """A listed company: distinctive words, then words of a trade, then a legal form."""

    entry: int
    words: tuple[str, ...]
    trades: tuple[str, ...]
    suffix: str

    @property
    def name(self) -> str:
        """Return the name as OFAC writes it."""
        return " ".join((*self.words, *self.trades, self.suffix)).upper()


@dataclass
class Pools:
    """Names and words from which people and companies are drawn."""

    chance: random.Random
    names: dict[tuple[str, str], list[str]] = field(default_factory=sources.read_names)
    arabic: dict[str, list[tuple[str, list[str]]]] = field(
        default_factory=lambda: sources.read_spellings("arabic.csv")
    )
    chinese: dict[str, list[tuple[str, list[str]]]] = field(
        default_factory=lambda: sources.read_spellings("chinese.csv")
    )
    trades: list[str] = field(
        default_factory=lambda: [row["word"] for row in sources.read("company_words.csv")]
    )

    def person(self, entry: int, language: str) -> Person:
        """Return an invented person."""
        makers: dict[str, Callable[[], tuple[Part, Part | None, Part]]] = {
            "ru": self._russian,
            "ar": self._arab,
            "zh": self._chinese,
        }
        parts = makers[language]() if language in makers else self._western(language)
        return Person(entry, language, *parts)

    def company(self, entry: int, distinctive: Sequence[str]) -> Company:
        """Return an invented company."""
        words = tuple(self.chance.sample(distinctive, self.chance.choice((1, 1, 2))))
        trades = tuple(self.chance.sample(self.trades, self.chance.choice((1, 2))))
        return Company(entry, words, trades, self.chance.choice(SUFFIXES))

    def invent_words(self, count: int) -> list[str]:
        """Return made-up words that sound like names of companies."""
        return [make_word(self.chance) for _ in range(count)]

    def _russian(self) -> tuple[Part, Part | None, Part]:
        given, middle, surname = (
            _russian_part(self.chance.choice(self.names["ru", kind]))
            for kind in ("given", "patronymic", "surname")
        )
        return given, (middle if self.chance.random() < 0.7 else None), surname

    def _arab(self) -> tuple[Part, Part | None, Part]:
        given, middle = self.chance.sample(self.arabic["given"], 2)
        surname = self.chance.choice(self.arabic["surname"])
        second = _spelt(middle) if self.chance.random() < 0.8 else None
        return _spelt(given), second, _spelt(surname)

    def _chinese(self) -> tuple[Part, Part | None, Part]:
        first, second = self.chance.sample(self.chinese["given"], 2)
        given = Part(f"{first[1][0]}{second[1][0].lower()}", (), first[0] + second[0])
        return given, None, _spelt(self.chance.choice(self.chinese["surname"]))

    def _western(self, language: str) -> tuple[Part, Part | None, Part]:
        given, middle = self.chance.sample(self.names[language, "given"], 2)
        surname = self.chance.choice(self.names[language, "surname"])
        if language == "es":
            surname = f"{surname} {self.chance.choice(self.names['es', 'surname'])}"
        second = Part(middle) if self.chance.random() < 0.5 else None
        return Part(given), second, Part(surname)


def _russian_part(word: str) -> Part:
    listed = sources.romanize(word, sources.LISTED)
    others = {sources.romanize(word, scheme) for scheme in sources.OTHER_SCHEMES} - {listed}
    return Part(listed, tuple(sorted(others)), word)


def _spelt(row: tuple[str, list[str]]) -> Part:
    script, (listed, *others) = row
    return Part(listed, tuple(others), script)
