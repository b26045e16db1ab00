"""Changed forms of listed names: each class is a function from a listed name to the name asked."""

import random
import unicodedata
from collections.abc import Callable
from string import ascii_lowercase

from bench.screening import sources
from bench.screening.people import SUFFIXES, Company, Part, Person

Form = str | None  # None: the class does not apply to this name
LONG = 5  # characters of a word in which a typo is made
VARIANTS = [(row["listed"], row["asked"]) for row in sources.read("variants.csv")]
SYNONYMS = {row["word"]: row["synonym"] for row in sources.read("company_words.csv")}
BRANCHES = [
    "Dubai Branch",
    "Branch Office",
    "Istanbul Branch",
    "Beirut",
    "Moscow Representative Office",
]
GROUPS = ["Holdings", "Group", "Holding", "Group Holdings"]
EXTRA = ["Omar", "Victor", "Luis", "Karim", "Anton", "Lee"]


def _write(*parts: Part | str | None) -> str:
    return " ".join(part.listed if isinstance(part, Part) else part for part in parts if part)


def exact(person: Person, _: random.Random) -> Form:
    """Return the name as listed, given names first."""
    return _write(person.given, person.middle, person.surname)


def order_swapped(person: Person, _: random.Random) -> Form:
    """Return the name with the surname first."""
    return _write(person.surname, person.given, person.middle)


def accents(person: Person, _: random.Random) -> Form:
    """Return a name with its accents removed."""
    name = _write(person.given, person.middle, person.surname)
    bare = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return bare if bare != name else None


def extra_name(person: Person, chance: random.Random) -> Form:
    """Return the name with a further given name."""
    extra = chance.choice(EXTRA)
    if extra in _write(person.given, person.middle, person.surname).split():
        return None
    return _write(person.given, person.middle, extra, person.surname)


def middle_dropped(person: Person, _: random.Random) -> Form:
    """Return the name without its middle name."""
    return _write(person.given, person.surname) if person.middle else None


def middle_as_initial(person: Person, _: random.Random) -> Form:
    """Return the name with its middle name as an initial."""
    if not person.middle:
        return None
    return _write(person.given, f"{person.middle.listed[0]}.", person.surname)


def first_as_initial(person: Person, _: random.Random) -> Form:
    """Return the name with its first name as an initial, beside a middle name in full."""
    if not person.middle:
        return None
    return _write(f"{person.given.listed[0]}.", person.middle, person.surname)


def both_as_initials(person: Person, _: random.Random) -> Form:
    """Return the name with first and middle name as initials."""
    if not person.middle:
        return None
    return _write(f"{person.given.listed[0]}. {person.middle.listed[0]}.", person.surname)


def patronymic(person: Person, chance: random.Random) -> Form:
    """Return a Russian name with a patronymic added, or spelt in another way."""
    if person.language != "ru":
        return None
    if person.middle is None:
        return _write(person.given, chance.choice(("Ivanovich", "Petrovich")), person.surname)
    other = chance.choice(person.middle.others) if person.middle.others else None
    return _write(person.given, other, person.surname) if other else None


def one_typo(person: Person, chance: random.Random) -> Form:
    """Return the name with one typing error."""
    return _mistyped(_write(person.given, person.middle, person.surname), 1, chance)


def two_typos(person: Person, chance: random.Random) -> Form:
    """Return the name with typing errors in two words."""
    return _mistyped(_write(person.given, person.middle, person.surname), 2, chance)


def given_transliterated(person: Person, chance: random.Random) -> Form:
    """Return the name with its first name in another spelling."""
    if not person.given.others:
        return None
    return _write(chance.choice(person.given.others), person.middle, person.surname)


def surname_transliterated(person: Person, chance: random.Random) -> Form:
    """Return the name with its surname in another spelling."""
    if not person.surname.others:
        return None
    return _write(person.given, person.middle, chance.choice(person.surname.others))


def both_transliterated(person: Person, chance: random.Random) -> Form:
    """Return first name and surname in other spellings."""
    if not (person.given.others and person.surname.others):
        return None
    return _write(
        chance.choice(person.given.others), person.middle, chance.choice(person.surname.others)
    )


def split_or_joined(person: Person, chance: random.Random) -> Form:
    """Return the name with a word split in two, or two words joined."""
    if " " in person.surname.listed or "-" in person.surname.listed:
        joined = person.surname.listed.replace("-", "").replace(" ", "").capitalize()
        return _write(person.given, person.middle, joined)
    if person.language == "zh" and person.given.listed.isalpha():
        given = person.given.listed
        at = next((i for i, c in enumerate(given[1:], 1) if c in "bcdfghjklmpqrstwxyz"), 2)
        return _write(f"{given[:at]} {given[at:]}", person.surname)
    word = person.surname.listed
    if len(word) <= LONG:
        return None
    at = chance.randint(2, len(word) - 3)
    return _write(person.given, person.middle, f"{word[:at]} {word[at:]}")


def in_cyrillic(person: Person, _: random.Random) -> Form:
    """Return a Russian name in its own script."""
    if person.language != "ru":
        return None
    middle = person.middle.script if person.middle else None
    return _write(person.surname.script, person.given.script, middle)


def in_arabic(person: Person, _: random.Random) -> Form:
    """Return an Arabic name in its own script."""
    if person.language != "ar":
        return None
    middle = person.middle.script if person.middle else None
    return _write(person.given.script, middle, person.surname.script)


def in_chinese(person: Person, _: random.Random) -> Form:
    """Return a Chinese name in its own script."""
    return person.surname.script + person.given.script if person.language == "zh" else None


def company_exact(company: Company, _: random.Random) -> Form:
    """Return the company as listed."""
    return company.name.title()


def company_swapped(company: Company, chance: random.Random) -> Form:
    """Return the company with its words in another order."""
    words = [*company.words, *company.trades]
    chance.shuffle(words)
    return (
        " ".join((*words, company.suffix)) if words != [*company.words, *company.trades] else None
    )


def company_typo(company: Company, chance: random.Random) -> Form:
    """Return the company with one typing error."""
    name = _mistyped(" ".join((*company.words, *company.trades)), 1, chance)
    return f"{name} {company.suffix}" if name else None


def company_glued(company: Company, _: random.Random) -> Form:
    """Return the company with its first two words as one."""
    first, second, *rest = (*company.words, *company.trades)
    return " ".join((f"{first}{second.lower()}", *rest, company.suffix))


def company_branch(company: Company, chance: random.Random) -> Form:
    """Return a branch of the company."""
    return f"{company.name.title()} {chance.choice(BRANCHES)}"


def company_suffix(company: Company, chance: random.Random) -> Form:
    """Return the company with another legal form."""
    other = chance.choice([one for one in SUFFIXES if one != company.suffix])
    return " ".join((*company.words, *company.trades, other))


def company_group(company: Company, chance: random.Random) -> Form:
    """Return the company with a word for a group of companies more."""
    return " ".join((*company.words, *company.trades, chance.choice(GROUPS)))


def company_synonym(company: Company, _: random.Random) -> Form:
    """Return the company with a word of its trade replaced by a synonym."""
    first, *rest = company.trades
    return " ".join((*company.words, SYNONYMS[first], *rest, company.suffix))


def company_last_dropped(company: Company, _: random.Random) -> Form:
    """Return the company without its last word and legal form."""
    words = [*company.words, *company.trades][:-1]
    return " ".join(words)


PEOPLE: dict[str, Callable[[Person, random.Random], Form]] = {
    "exact": exact,
    "order swapped": order_swapped,
    "accents": accents,
    "extra name": extra_name,
    "middle dropped": middle_dropped,
    "middle as initial": middle_as_initial,
    "first as initial": first_as_initial,
    "first and middle initials": both_as_initials,
    "patronymics": patronymic,
    "one typo": one_typo,
    "two typos": two_typos,
    "given name transliterated": given_transliterated,
    "surname transliterated": surname_transliterated,
    "both transliterated": both_transliterated,
    "split or joined": split_or_joined,
    "Cyrillic": in_cyrillic,
    "Arabic": in_arabic,
    "Chinese": in_chinese,
}
COMPANIES: dict[str, Callable[[Company, random.Random], Form]] = {
    "company exact": company_exact,
    "company swapped": company_swapped,
    "company typo": company_typo,
    "company glued": company_glued,
    "company branch": company_branch,
    "company suffix changed": company_suffix,
    "company Holdings or Group added": company_group,
    "company synonym": company_synonym,
    "company last word dropped": company_last_dropped,
}


def _mistyped(name: str, count: int, chance: random.Random) -> Form:
    words = name.split()
    places = [place for place, word in enumerate(words) if len(word) >= LONG]
    if len(places) < count:
        return None
    for place in chance.sample(places, count):
        words[place] = _with_typo(words[place], chance)
    return " ".join(words)


def _with_typo(word: str, chance: random.Random) -> str:
    at = chance.randrange(1, len(word) - 1)
    changed = {
        "dropped": word[:at] + word[at + 1 :],
        "doubled": word[:at] + word[at] + word[at:],
        "swapped": word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        "replaced": word[:at] + chance.choice(ascii_lowercase) + word[at + 1 :],
    }
    return changed[chance.choice(sorted(changed))]
