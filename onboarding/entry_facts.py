"""Entry facts: births, countries and document numbers of an entry of a sanctions list.

They are compared with the facts of a party. A birth is text: a day, a year, about a year
or a span of years, as in `1979-05-04`, `1979`, `~1979`, `1962/1964`. Countries are codes of ISO
3166.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import models

from onboarding.country_names import COUNTRY_NAMES

BORN = re.compile(r"\bDOB ([^;.]+)")
CIRCA = re.compile(r"\b(circa|approximately|about)\b", re.IGNORECASE)
YEAR = re.compile(r"\b(\d{4})\b")
SPAN = re.compile(r"\b(\d{4}) to (?:[\w ]*?)(\d{4})\b")
IN_FULL = re.compile(r"(\d{1,2}) ([A-Z][a-z]{2}) (\d{4})")
COUNTRY = re.compile(r"\b(?:nationality|citizen|POB) ([^;.]+)")
NUMBER = re.compile(
    r"\b((?:[A-Z][\w.]* ){0,4}?(?:Passport|No\.|Number|ID|SSN|Cedula)) "
    r"([A-Z0-9][A-Z0-9\-/]{3,})(?: \(([^)]+)\))?"
)
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
SHORTEST_NUMBER = 6  # characters of a document number that makes a hit by itself
ALL, NEARLY = 100.0, 1  # the score of the same number; years that birth years may differ by
BORN_SAME, YEAR_SAME, BORN_DIFFERS, COUNTRY_SAME = 4.0, 2.0, -4.0, 1.0  # added to the score
MOST_RAISED = BORN_SAME + COUNTRY_SAME
Reason = dict[str, str]


class Agreement(models.TextChoices):
    """The degree to which a value of a party agrees with the values of an entry of a list."""

    SAME = "SAME", "Same"
    CLOSE = "CLOSE", "Close"
    DIFFERENT = "DIFFERENT", "Different"
    UNKNOWN = "UNKNOWN", "Not on both sides"


@dataclass(frozen=True)
class ListedNumber:
    """A number of an identity document or a register; `country` is empty if it is not known."""

    kind: str
    number: str
    country: str = ""

    def __str__(self) -> str:
        country = COUNTRY_NAMES.codes.get(self.country, self.country)
        return f"{self.kind} {self.number}{f' ({country})' if country else ''}"


@dataclass(frozen=True)
class EntryFacts:
    """The birth dates, countries and document numbers of an entry of a sanctions list."""

    births: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    numbers: tuple[ListedNumber, ...] = ()

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "EntryFacts":
        """Return the facts from the JSON object that `as_json` made of them."""
        numbers = tuple(ListedNumber(**one) for one in stored.get("numbers", ()))
        return cls(tuple(stored.get("births", ())), tuple(stored.get("countries", ())), numbers)

    def as_json(self) -> dict[str, Any]:
        """Return the facts as a JSON object, which `of` reads; empty values are left out."""
        values = {
            "births": list(self.births),
            "countries": list(self.countries),
            "numbers": [vars(one) for one in self.numbers],
        }
        return {name: value for name, value in values.items() if value}


@dataclass(frozen=True)
class PartyFacts:
    """The facts of a party that is compared with entries of the lists.

    `numbers` are pairs of a document number as `plain_number` returns it, and its country code,
    which is empty if it is not known.
    """

    birth_date: date | None = None
    countries: frozenset[str] = frozenset()
    numbers: tuple[tuple[str, str], ...] = ()


def read_remarks(remarks: str, addresses: Iterable[str] = ()) -> EntryFacts:
    """Return the facts in the remarks of an entry of OFAC, and the countries of its addresses.

    The country of an address follows its last comma.
    Source: remarks such as `DOB 04 May 1979; nationality Iran; Passport A12345 (Iran)`.
    """
    texts = [*COUNTRY.findall(remarks), *addresses]
    places = (text.rpartition(",")[2].strip() for text in texts)
    numbers = (
        ListedNumber(kind, number, COUNTRY_NAMES.find(place))
        for kind, number, place in NUMBER.findall(remarks)
    )
    return EntryFacts(
        births=unique(_read_birth(text) for text in BORN.findall(remarks)),
        countries=unique(COUNTRY_NAMES.find(place) for place in places),
        numbers=tuple(dict.fromkeys(numbers)),
    )


def unique(values: Iterable[str]) -> tuple[str, ...]:
    """Return the values that are not empty, each once, in their order."""
    return tuple(dict.fromkeys(filter(None, values)))


def birth_of(year: int | None, month: int | None = None, day: int | None = None) -> str:
    """Return a birth as `YYYY-MM-DD`, or as `YYYY` if month and day make no date.

    Empty without a year.
    """
    if not year:
        return ""
    try:
        return date(year, month or 0, day or 0).isoformat()
    except ValueError:
        return f"{year:04}"


def show_birth(birth: str) -> str:
    """Return a birth as staff read it, for example `04 May 1979`."""
    if birth.startswith("~"):
        return f"circa {birth[1:]}"
    if "/" in birth:
        return birth.replace("/", " to ")
    return f"{date.fromisoformat(birth):%d %b %Y}" if "-" in birth else birth


def plain_number(number: str) -> str:
    """Return the letters and digits of a number, in capitals."""
    return "".join(sign for sign in number if sign.isalnum()).upper()


def compare_births(ours: date | None, births: Iterable[str]) -> Agreement:
    """Compare a birth date with the listed births.

    SAME for a birth on that day, CLOSE for a birth in that year or a span with that year, else
    DIFFERENT; UNKNOWN if a side has none.
    """
    listed = list(births)
    if ours is None or not listed:
        return Agreement.UNKNOWN
    if ours.isoformat() in listed:
        return Agreement.SAME
    is_year = any(first <= ours.year <= last for first, last in map(_years, listed))
    return Agreement.CLOSE if is_year else Agreement.DIFFERENT


def compare_countries(ours: Iterable[str], listed: Iterable[str]) -> Agreement:
    """Return SAME if a country is on both sides, else DIFFERENT; UNKNOWN if a side has none."""
    mine, theirs = set(ours), set(listed)
    if not (mine and theirs):
        return Agreement.UNKNOWN
    return Agreement.SAME if mine & theirs else Agreement.DIFFERENT


def compare_numbers(ours: PartyFacts, listed: Iterable[ListedNumber]) -> Agreement:
    """Return SAME if `find_same_number` finds one, else DIFFERENT; UNKNOWN if a side has none."""
    numbers = list(listed)
    if not (ours.numbers and numbers):
        return Agreement.UNKNOWN
    return Agreement.SAME if find_same_number(ours, numbers) else Agreement.DIFFERENT


def find_same_number(ours: PartyFacts, listed: Iterable[ListedNumber]) -> ListedNumber | None:
    """Return the first listed number that the party has as well; None if there is none.

    Equal numbers of two countries that are known and differ do not count.
    """
    for one in listed:
        for number, country in ours.numbers:
            is_there = not (country and one.country) or country == one.country
            if is_there and number == plain_number(one.number):
                return one
    return None


def weigh(score: float, ours: PartyFacts, theirs: EntryFacts) -> tuple[float, list[Reason]]:
    """Return the score of a similar name, changed by the facts of both sides, and the reasons.

    A birth date, birth year or country in common raises the score, a birth year that differs by
    more than a year lowers it, and the same document number makes it 100. A value that one side
    lacks changes nothing. The reasons repeat no value of the party. Units: 0 to 100.
    """
    reasons = []
    born = compare_births(ours.birth_date, theirs.births)
    if born is Agreement.SAME:
        score += BORN_SAME
        reasons.append(_reason("BORN_SAME"))
    elif born is Agreement.CLOSE:
        score += YEAR_SAME
        reasons.append(_reason("YEAR_SAME"))
    elif born is Agreement.DIFFERENT and _is_far(ours, theirs):
        score += BORN_DIFFERS
        reasons.append(_reason("BORN_DIFFERS", "; ".join(map(show_birth, theirs.births))))
    if compare_countries(ours.countries, theirs.countries) is Agreement.SAME:
        score += COUNTRY_SAME
        reasons.append(_reason("COUNTRY_SAME"))
    if same := find_same_number(ours, theirs.numbers):
        score = ALL
        reasons.append(_reason("NUMBER_SAME", same.kind))
    return max(0.0, min(score, ALL)), reasons


def _reason(code: str, listed: str = "") -> Reason:
    return {"ours": "", "listed": listed, "reason": code}


def _is_far(ours: PartyFacts, theirs: EntryFacts) -> bool:
    """Return whether the party's birth year is more than a year away from every listed birth."""
    year = ours.birth_date.year if ours.birth_date else 0
    spans = map(_years, theirs.births)
    return all(year < first - NEARLY or year > last + NEARLY for first, last in spans)


def _years(birth: str) -> tuple[int, int]:
    """Return the first and the last year that a birth may mean: `~1979` is 1978 to 1980."""
    if birth.startswith("~"):
        return int(birth[1:]) - NEARLY, int(birth[1:]) + NEARLY
    first, _, last = birth.partition("/")
    return int(first[:4]), int((last or first)[:4])


def _read_birth(text: str) -> str:
    if span := SPAN.search(text):
        return f"{span[1]}/{span[2]}"
    if whole := IN_FULL.search(text):
        day, name, year = whole.groups()
        month = MONTHS.index(name) + 1 if name in MONTHS else None
        birth = birth_of(int(year), month, int(day))
    else:
        found = YEAR.search(text)
        birth = found[1] if found else ""
    is_about = CIRCA.search(text) and birth
    return f"~{birth[:4]}" if is_about else birth


def describe_facts(facts: EntryFacts, *more: str) -> str:
    """Return facts and further texts as one text for staff, in the words of OFAC's remarks."""
    parts = [f"DOB {show_birth(birth)}" for birth in facts.births]
    parts += [f"country {COUNTRY_NAMES.codes.get(code, code)}" for code in facts.countries]
    parts += [str(number) for number in facts.numbers]
    return "; ".join([*parts, *(text.strip() for text in more if text.strip())])


def iterate_numbers(facts: EntryFacts) -> Iterator[str]:
    """Yield the document numbers, as `plain_number` returns them, that suffice alone for a hit.

    They have at least SHORTEST_NUMBER characters.
    """
    for one in facts.numbers:
        plain = plain_number(one.number)
        if len(plain) >= SHORTEST_NUMBER:
            yield plain
