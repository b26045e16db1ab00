"""The labelled set: a list of invented names, queries for them, and names that are on no list.

The same seed gives the same set.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.screening.forms import COMPANIES, PEOPLE, VARIANTS
from bench.screening.people import Company, Part, Person, Pools

SEED = 21
LANGUAGES = {"ru": 900, "ar": 900, "zh": 250, "es": 600, "en": 150, "de": 100, "fr": 100}
COMPANY_COUNT = 1_800
EACH = 85  # queries of a class
NEGATIVES = {"US person": 4_000, "European person": 1_500, "person of the list's languages": 2_000}
NEGATIVE_COMPANIES = 2_500
NAME_VARIANTS = "name variants"
NULL = "-0- "


@dataclass(frozen=True)
class Query:
    """A name to look for. `entry` is the listed name; None for a name that is on no list."""

    label: str
    name: str
    is_person: bool
    entry: int | None = None


@dataclass
class Labelled:
    """A list of names and the queries for names."""

    people: list[Person]
    companies: list[Company]
    aliases: list[tuple[int, str]]
    queries: list[Query]

    def write_list(self, folder: Path) -> Path:
        """Write the list in OFAC's format, and return its main file."""
        sdn = [
            f'{one.entry},"{one.name}",{kind},"SDGT",{",".join([NULL] * 8)}'
            for group, kind in ((self.people, '"individual"'), (self.companies, NULL))
            for one in group  # type: ignore[attr-defined]  # both have entry and name
        ]
        alt = [
            f'{entry},{number},"aka","{name}",{NULL}'
            for number, (entry, name) in enumerate(self.aliases, 1)
        ]
        for name, rows in (("sdn.csv", sdn), ("alt.csv", alt)):
            (folder / name).write_text("".join(f"{row}\r\n" for row in rows), encoding="utf-8")
        return folder / "sdn.csv"


def make() -> Labelled:
    """Return the labelled set."""
    chance = random.Random(SEED)  # noqa: S311 - the set is the same each time
    pools = Pools(chance)
    people = _list_people(pools)
    distinctive = pools.invent_words(2_200)
    first = len(people) + 1
    companies = [pools.company(first + place, distinctive) for place in range(COMPANY_COUNT)]
    queries = [*_ask(people, companies, chance), *_ask_variants(people, pools)]
    aliases = [
        (one.entry, pools.person(0, one.language).name)
        for one in people[::3]
        if one.language in LANGUAGES
    ]
    aliases += [(one.entry, pools.company(0, distinctive).name) for one in companies[::4]]
    listed = {(one.given.listed, one.surname.listed) for one in people}
    queries += _draw_people(pools, listed)
    queries += _draw_companies(pools)
    return Labelled(people, companies, aliases, queries)


def _list_people(pools: Pools) -> list[Person]:
    languages = [language for language, count in LANGUAGES.items() for _ in range(count)]
    pools.chance.shuffle(languages)
    people = [pools.person(entry, language) for entry, language in enumerate(languages, 1)]
    surnames = [one.surname for one in people if one.language in {"ru", "es", "ar"}]
    for listed, _ in VARIANTS:
        surname = pools.chance.choice(surnames)
        people.append(Person(len(people) + 1, "variant", Part(listed), None, surname))
    return people


def _ask(people: list[Person], companies: list[Company], chance: random.Random) -> Iterator[Query]:
    for label, form in PEOPLE.items():
        named = ((one.entry, form(one, chance)) for one in chance.sample(people, len(people)))
        yield from _take(label, named, is_person=True)
    for label, change in COMPANIES.items():
        asked = ((one.entry, change(one, chance)) for one in chance.sample(companies, 1_000))
        yield from _take(label, asked, is_person=False)


def _take(
    label: str, named: Iterator[tuple[int, str | None]], *, is_person: bool
) -> Iterator[Query]:
    count = 0
    for entry, name in named:
        if name and count < EACH:
            count += 1
            yield Query(label, name, is_person, entry)


def _ask_variants(people: list[Person], pools: Pools) -> Iterator[Query]:
    for person, (_, asked) in zip(people[-len(VARIANTS) :], VARIANTS, strict=True):
        yield Query(NAME_VARIANTS, f"{asked} {person.surname.listed}", True, person.entry)


def _draw_people(pools: Pools, listed: set[tuple[str, str]]) -> Iterator[Query]:
    """Yield people who share given name and surname with nobody on the list."""
    chance = pools.chance
    languages = {"US person": ["en"], "European person": ["de", "fr"]}
    for label, count in NEGATIVES.items():
        made = 0
        while made < count:
            language = chance.choice(languages.get(label, ["ru", "ar", "es", "zh"]))
            one = pools.person(0, language)
            if (one.given.listed, one.surname.listed) in listed:
                continue
            middle = one.middle.listed if one.middle else ""
            if label == "US person":
                middle = f"{middle[:1]}." if middle and chance.random() < 0.6 else middle
            name = " ".join(filter(None, (one.given.listed, middle, one.surname.listed)))
            made += 1
            yield Query(label, name, is_person=True)


def _draw_companies(pools: Pools) -> Iterator[Query]:
    """Yield companies with names of places, people and trades of the US, and made-up companies."""
    chance = pools.chance
    surnames = pools.names["en", "surname"]
    words = pools.invent_words(1_500)
    ordinary = [
        "Bakery",
        "Plumbing",
        "Cafe",
        "Consulting",
        "Dental",
        "Landscaping",
        "Realty",
        "Auto",
    ]
    for _ in range(NEGATIVE_COMPANIES):
        first = chance.choice(surnames if chance.random() < 0.6 else words)
        trade = chance.choice(ordinary if chance.random() < 0.4 else pools.trades)
        more = f" {chance.choice(pools.trades)}" if chance.random() < 0.4 else ""
        suffix = chance.choice(["LLC", "Inc", "Group", "Corp", ""])
        yield Query("company", f"{first} {trade}{more} {suffix}".strip(), is_person=False)
