"""The search of an industry by plain words, in titles, translated names and the index of NAICS.

The index lists activities in English, each with the code of its industry. Words are compared by
their stems: a stem is a word without its ending.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from django.conf import settings

from foundation.code_lists import read_rows
from onboarding.industries import (
    DATA,
    NAICS,
    is_named_in_english,
    read_names,
    read_titles,
    translated_name,
)

AT_MOST = 8
CODE_SIZE = 6
LEAST = 4  # letters that remain of a word without its ending
ENDINGS = ("ing", "ers", "er", "or", "ist", "y", "e")
OF_SHORT = re.compile(r"([^aeiou][aeiou][^aeiouwxy])(?:ing|ers?)")  # mining and miners: mine
OF_TITLE = 1.3  # how much more the words of a title count than those of the index
LONG = 20  # words; the longer a text, the less its words tell
LEFT_OUT = re.compile(
    r"\((?:except|not|excluding)\b[^)]*\)|\b(?:not (?:made|elsewhere)|without)\b.*", re.IGNORECASE
)
RAREST = 10  # texts; a word in fewer tells no more, since customers choose words by chance
# Small businesses rarely make machines or sell to merchants: such industries come later, unless the
# words name them. First two digits of the code, factor, and stems.
RARER = {"42": (0.6, {"merchant", "wholesal", "wholesale", "distribut"})}
RARER |= dict.fromkeys(("31", "32", "33"), (0.8, {"manufactur", "factory", "mill", "plant"}))
RARER |= {"92": (0.6, {"government", "administration"})}
RARER |= dict.fromkeys(("11", "21"), (0.8, {"farm", "grow", "mine", "ranch", "produc"}))


@dataclass(frozen=True)
class Industry:
    """An industry that a search found, with its NAICS code.

    `title` is its name in the reader's language, or else in English. `entry` is the English entry
    of the index that has the words; empty if the title has them, or is not in English.
    """

    code: str
    title: str
    entry: str = ""

    @property
    def is_english(self) -> bool:
        """Return whether the title is English and the reader reads another language."""
        return is_named_in_english(self.code)


@dataclass(frozen=True)
class Index:
    """Names of industries and entries of the NAICS index, to be found by the stems of their words.

    `sizes` has the number of stems of each text, `by_stem` the positions in `texts` by stem.
    """

    texts: list[tuple[str, str, bool]]  # code, text, whether it is the title or a name
    sizes: list[int]  # the numbers of stems
    by_stem: dict[str, list[int]]


def search_industries(words: str) -> list[Industry]:
    """Return the industries that have some of the words, the best first; at most AT_MOST.

    The words are looked up in English titles, in translated names and in the index of NAICS.
    """
    best: dict[str, tuple[float, str]] = {}
    translated = [_read_index_of(language) for language, _name in settings.LANGUAGES]
    for index, wanted in (
        *((index, _stems(words)[:AT_MOST]) for index in translated),
        (_read_index(), _meant(words)),
    ):
        for code, rank, entry in _rank(index, wanted):
            best[code] = max(best.get(code, (-LONG, "")), (rank, entry))
    ranked = sorted(best.items(), key=lambda item: (-item[1][0], item[0]))[:AT_MOST]
    return [_industry(code, entry) for code, (_value, entry) in ranked]


def _rank(index: Index, wanted: list[str]) -> Iterator[tuple[str, float, str]]:
    """Yield, for each text with some of the stems, its code, its rank, and the text of an entry.

    The third value is empty for a title or a name. The highest rank is the best.
    """
    hits: dict[int, list[float]] = defaultdict(list)
    for stem in wanted:
        found = set(_entries_of(stem, index))
        for number in found:
            weight = 1 + 2 / (1 + max(len(found), RAREST) ** 0.5)  # a rare word tells more
            hits[number].append(weight)
    for number, weights in hits.items():
        code, text, is_title = index.texts[number]
        rank = sum(weights) * len(weights) / len(wanted) * (OF_TITLE if is_title else 1)
        rank *= _commonness(code, wanted)
        yield code, rank - index.sizes[number] / LONG, "" if is_title else text


def _commonness(code: str, wanted: list[str]) -> float:
    factor, stems = RARER.get(code[:2], (1.0, set()))
    return 1.0 if stems.intersection(wanted) else factor


def _industry(code: str, entry: str) -> Industry:
    if name := translated_name(code):
        return Industry(code, name)
    return Industry(code, read_titles()[code], entry)


def _entries_of(stem: str, index: Index) -> Iterable[int]:
    """Return the positions of the texts that have the stem.

    For an unknown stem of more than LEAST letters, of the texts with a stem that begins with it.
    """
    if len(stem) <= LEAST or stem in index.by_stem:
        return index.by_stem.get(stem, ())
    begun = (numbers for known, numbers in index.by_stem.items() if known.startswith(stem))
    return [number for numbers in begun for number in numbers]


def _meant(words: str) -> list[str]:
    """Return at most AT_MOST stems of words, after words with a synonym are replaced by it."""
    synonyms, plain = _words(), f" {_plain(words)} "
    for phrase in (one for one in synonyms if " " in one):
        plain = plain.replace(f" {phrase} ", f" {synonyms[phrase]} ")
    meant = " ".join(_synonym(word, synonyms) for word in plain.split())
    return list(dict.fromkeys(_stems(meant)))[:AT_MOST]


def _synonym(word: str, synonyms: dict[str, str]) -> str:
    """Return the synonym of a word, with or without -s, -es or -ing; the word if it has none."""
    forms = (word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("ing"))
    return next((synonyms[form] for form in forms if form in synonyms), word)


def _stems(text: str) -> list[str]:
    known = _words()
    words = [word for word in _plain(text).split() if known.get(word, word) and len(word) > 1]
    return [_stem(word) for word in words]


def _stem(word: str) -> str:
    """Return a word without the plural and without one ending: bakeries, bakery and baker agree."""
    if word.endswith("ies"):
        word = f"{word[:-3]}y"
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if found := OF_SHORT.fullmatch(word):
        return f"{found[1]}e"
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= LEAST:
            return word.removesuffix(ending)
    return word


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text.lower())
    kept = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return " ".join(re.findall(r"[^\W_]+", kept))


def _words() -> dict[str, str]:
    """Return the synonyms: words of the index of NAICS, by the word or phrase of customers.

    The synonym of a common word, which a search leaves out, is empty.
    """
    return _read_words(tuple(dict(settings.LANGUAGES)))


@cache
def _read_words(languages: tuple[str, ...]) -> dict[str, str]:
    paths = [DATA / f"industry_words_{language}.csv" for language in languages]
    rows = [row for path in paths if path.exists() for row in read_rows(path)]
    return {_plain(row["word"]): row["means"].strip("-") for row in rows}


@cache
def _read_index() -> Index:
    rows = [row for row in read_rows(NAICS) if len(row["code"]) == CODE_SIZE]
    texts = [(row["code"], row["title"], True) for row in rows]
    texts += [
        (row["code"], entry, False) for row in rows for entry in row["index"].split("|") if entry
    ]
    return _index_of(texts)


@cache
def _read_index_of(language: str) -> Index:
    """Return the index of the names of common industries in a language; empty in English."""
    names = read_names(language).items()
    return _index_of([(code, name, True) for code, name in names if len(code) == CODE_SIZE])


def _index_of(texts: list[tuple[str, str, bool]]) -> Index:
    by_stem: dict[str, list[int]] = defaultdict(list)
    sizes = []
    for number, (_code, text, _is_title) in enumerate(texts):
        stems = set(_stems(LEFT_OUT.sub("", text)))
        sizes.append(len(stems))
        for stem in stems:
            by_stem[stem].append(number)
    return Index(texts, sizes, dict(by_stem))
