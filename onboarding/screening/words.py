"""Words of names: one form for comparison, and which words may be the same name.

Names in other scripts are written in Latin letters first; Arabic ones lose their short vowels, and
are compared by their consonants.
"""

import csv
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import islice, product
from pathlib import Path

from anyascii import anyascii

DATA = Path(__file__).parent / "data"
INITIAL = re.compile(r"(?<=\b\w)\.")  # the full stop after a single letter
ARTICLE = re.compile(r"\b\u0627\u0644(?=\w{2})")  # the Arabic article, a part of its word
ABD_AL = re.compile(r"\b(\u0639\u0628\u062f)\s*\u0627\u0644(?=\w{3})(?!\u0644\u0647)")  # Abd al-
MAKSURA = str.maketrans("\u0649", "\u0627")  # alif maksura is compared as alif
PARTED = re.compile(r"(?<!\S)(?:[^\W\d_] ){3,}[^\W\d_](?!\S)")  # J o h n
HAN = re.compile(r"([\u3400-\u9fff])")
JOINED = str.maketrans("", "", ".'`\u2018\u2019")  # L.L.C. and O'Brien are one word
PARTICLES = frozenset(
    [
        "AL",
        "EL",
        "UL",
        "BIN",
        "BEN",
        "IBN",
        "BINT",
        "ABU",
        "DE",
        "LA",
        "DEL",
        "DER",
        "DOS",
        "DAS",
        "DA",
        "DI",
        "VON",
        "VAN",
        "UND",
    ]
)
ABD_SPELLINGS = frozenset(["ABD", "ABDAL", "ABDEL", "ABDUL", "BD"])
JOINED_ABD = re.compile("ABD[AEU]L([A-Z]{4,})$")
GLUED_SUFFIX = re.compile("(.+?)(LLC|LTD|INC|GMBH|CO)$")
VOWELS = frozenset("AEIOU")
MOST_KEYS = 32  # of a word
SOUNDS = re.compile(
    "SCHTSCH|SHCH|CHTCH|DZH|TSCH|TCH|SCH|KH|GH|ZH|SH|CH|DJ|DH|TH|PH|TZ|TS|CK|(?<![A-Z])HS(?=[IU])|[B-DF-HJ-NP-TV-Z]"
)
CLASSES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("SCHTSCH", "SHCH", "CHTCH", "TSCH", "TCH", "SH", "TZ", "TS", "Z"), ("S",)),
    **dict.fromkeys(("DZH", "DJ"), ("J",)),
    **dict.fromkeys(("CK", "Q"), ("K",)),
    "SCH": ("S", "J"),
    "KH": ("H",),
    "HS": ("S", "HS"),
    "GH": ("G", "K"),
    "ZH": ("J", "S"),
    "CH": ("S", "H"),
    "DH": ("D", "S"),
    "TH": ("T", "S"),
    "PH": ("F",),
    "C": ("K", "S"),
    "G": ("G", "J"),
    "J": ("J", ""),
    "W": ("V", ""),
    "X": ("KS", "S"),
    "Y": ("",),
}


SPELLINGS = (
    *(("OU", "U"), ("EE", "I"), ("OO", "U"), ("SCH", "SH"), ("TCH", "CH"), ("DJ", "J")),
    *(
        ("PH", "F"),
        ("KH", "H"),
        ("TH", "T"),
        ("Q", "K"),
        ("W", "V"),
        ("Y", "I"),
        ("E", "I"),
        ("O", "U"),
    ),
)


def fold(text: str) -> list[str]:
    """Return the words of a text in capital Latin letters and digits.

    Four or more single letters with one space between them, as in `J o h n`, become one word.
    """
    text = PARTED.sub(lambda word: word[0].replace(" ", ""), text)
    arabic = ARTICLE.sub("", ABD_AL.sub(r"\1 ", text.translate(MAKSURA)))
    spaced = HAN.sub(r" \1 ", arabic)
    latin = spaced if spaced.isascii() else anyascii(unicodedata.normalize("NFKC", spaced))
    latin = latin.translate(JOINED).upper()
    return "".join(sign if sign.isalnum() else " " for sign in latin).split()


def normalise(name: str, *, is_person: bool) -> str:
    """Return the form of a name for comparisons: capitals and digits, words separated by one space.

    `LAST, First` becomes `First LAST`; legal forms such as LLC, and words for a branch, are removed
    from the end of companies.
    """
    if not is_person:
        return " ".join(without_suffixes(fold(name)))
    if "," in name:
        last, _, first = name.partition(",")
        name = f"{first} {last}"
    return " ".join(_join_abd(fold(INITIAL.sub(" ", name))))


def _join_abd(words: list[str]) -> list[str]:
    """Return the words of a name with ABD, its article and the word after it as one word."""
    joined: list[str] = []
    rest = iter(words)
    for word in rest:
        whole = word
        if word in ABD_SPELLINGS:
            following = next(rest, "")
            if following in {"AL", "EL", "UL"}:
                following = next(rest, "")
            whole = f"ABD{following}"
        elif long := JOINED_ABD.match(word):
            whole = f"ABD{long[1]}"
        joined.append(whole)
    return joined


def without_suffixes(words: list[str]) -> list[str]:
    """Return a company's words without legal forms and branches at the end, and THE in front."""
    roles = read_company_words()
    kept = list(words)
    if words and (glued := GLUED_SUFFIX.match(words[-1])) and is_generic(glued[1]):
        kept[-1] = glued[1]
    while len(kept) > 1 and roles.get(kept[-1], ("", ""))[0] in {"LEGAL", "BRANCH"}:
        kept.pop()
    return kept[1:] if len(kept) > 1 and kept[0] == "THE" else kept


def is_generic(word: str) -> bool:
    """Return whether many companies have a word in their names, so that it identifies none."""
    return word in read_company_words()


@cache
def read_company_words() -> dict[str, tuple[str, str]]:
    """Return by word of company names its role, such as LEGAL, and its meaning, often empty."""
    return {row["word"]: (row["role"], row["meaning"]) for row in _rows("company_words.csv")}


@cache
def read_synonyms() -> dict[str, frozenset[str]]:
    """Return by word of company names the other words with the same meaning."""
    same: dict[str, set[str]] = defaultdict(set)
    for word, (_, meaning) in read_company_words().items():
        if meaning:
            same[meaning].add(word)
    return {word: frozenset(words - {word}) for words in same.values() for word in words}


@cache
def read_variants() -> dict[str, frozenset[str]]:
    """Return the other forms of each name: its variants, and the variants of its main form."""
    beside: dict[str, set[str]] = defaultdict(set)
    for row in _rows("name_variants.csv"):
        name, variant = row["name"].upper(), row["variant"].upper()
        if row["source"] == "own":
            group = beside[name]
            for other in group:
                beside[other].add(variant)
                beside[variant].add(other)
        beside[name].add(variant)
        beside[variant].add(name)
    return {name: frozenset(others - {name}) for name, others in beside.items()}


@lru_cache(maxsize=50_000)
def sound_keys(word: str) -> frozenset[str]:
    """Return keys of the sounds of a word's consonants; spellings of one name share some key."""
    bare = has_no_vowels(word)
    is_open = len(word) > 2 and word[-1] == "H" and (bare or word[-2] in VOWELS)
    text = word[:-1] if is_open else word
    readings = [SOUNDS.findall(text)]
    if bare:  # two letters may be two sounds
        readings.append([sign for sign in text if sign not in VOWELS])
    keys: set[str] = set()
    for reading in readings:
        sounds = [CLASSES.get(sound, (sound,)) for sound in reading]
        keys |= {_undoubled("".join(one)) for one in islice(product(*sounds), MOST_KEYS)}
    return frozenset(keys - {""})


@lru_cache(maxsize=50_000)
def plain_sound(word: str) -> str:
    """Return a word with each sound spelled in one way, such as U for OU, and no double letters."""
    text = word
    for spelling, letter in SPELLINGS:
        text = text.replace(spelling, letter)
    return _undoubled(text)


def has_no_vowels(word: str) -> bool:
    """Return whether a word is written without vowels, as in Arabic."""
    return len(word) > 1 and VOWELS.isdisjoint(word)


def _undoubled(key: str) -> str:
    return "".join(sign for place, sign in enumerate(key) if place == 0 or key[place - 1] != sign)


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        next(file)  # source and date
        yield from csv.DictReader(file)
