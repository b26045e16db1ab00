"""Sanctions: names on the list that are similar to an applicant's, with scores for staff.

Names are normalized, then compared as they are and with their words sorted, so that accents and the
order of words prevent no match. A name also matches a longer name that has all of its words, such
as a middle name more. In names of people an initial matches words that begin with it.
"""

import re
import threading
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from rapidfuzz import fuzz, process

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckCode, CheckResult
from onboarding.models import Owner, SanctionsList, SanctionsName
from onboarding.queries.checks import get_current_list
from onboarding.queries.leads import LeadFile
from onboarding.screening import Finding

WHOLE = 100  # the score of the same name
ALIKE = 88  # the lowest score of a hit
WORD_ALIKE = 60  # the lowest score of each word of the shorter name
NEARLY_SAME = 97  # the lowest score of a hit for weak aliases, ships and aircraft
CONTAINED = 92  # the score of a name whose words are all in the other name
FEWEST_WORDS = 2  # of a contained name
RARE_IN = 50  # a word in at most so many names identifies a business
NO_LIST = "No sanctions list is loaded."
INITIAL = re.compile(r"(?<=\b\w)\.")  # the full stop after a single letter
INDIVIDUAL = "individual"
CRAFT = {"vessel", "aircraft"}
UNDECOMPOSED = str.maketrans(
    {"Ø": "O", "Ł": "L", "Đ": "D", "Æ": "AE", "Œ": "OE", "Þ": "TH", "Ħ": "H"}
)
JOINED = str.maketrans("", "", ".'\u2018\u2019`")  # L.L.C. and O'Brien are one word
SUFFIXES = {
    *("AB", "AG", "AS", "BV", "BHD", "CO", "COMPANY", "CORP", "CORPORATION", "CV", "DMCC"),
    *("EIRL", "EST", "FZC", "FZCO", "FZE", "GMBH", "INC", "INCORPORATED", "JSC", "KG", "LDA"),
    *("LIMITED", "LLC", "LLLP", "LLP", "LP", "LTD", "LTDA", "NV", "OAO", "OJSC", "OOO", "OY"),
    *("PC", "PJSC", "PLC", "PLLC", "PTE", "PTY", "PVT", "SA", "SAL", "SARL", "SAS", "SDN"),
    *("SL", "SPA", "SRL", "ZAO"),
}


@dataclass(frozen=True)
class Hit:
    """An entry of the list with a similar name. Units: score, 0 to 100."""

    entry: int
    name: str
    score: float
    programs: str
    matched: str


@dataclass(frozen=True)
class Listed:
    """A name of an entry; `name` is the entry's main name, `matched` is this name."""

    entry: int
    name: str  # of the entry
    programs: str
    matched: str
    is_weak: bool
    is_individual: bool
    words: frozenset[str]


@dataclass
class Shelf:
    """The names of one length: positions in the index, normal forms, and forms sorted by word."""

    positions: list[int] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)
    ordered: list[str] = field(default_factory=list)


@dataclass
class Index:
    """The names of one list: by length to compare whole names, by word to compare words."""

    listed: list[Listed] = field(default_factory=list)
    shelves: dict[int, Shelf] = field(default_factory=lambda: defaultdict(Shelf))
    having: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    individuals: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    abbreviated: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))

    def add(self, listed: Listed, normal: str) -> None:
        """Add a name in its normal form."""
        for word in listed.words:
            self.having[word].add(len(self.listed))
            if listed.is_individual:
                self.individuals[word].add(len(self.listed))
                if _has_initials(listed.words):
                    self.abbreviated[word].add(len(self.listed))
        shelf = self.shelves[len(normal)]
        shelf.positions.append(len(self.listed))
        shelf.plain.append(normal)
        shelf.ordered.append(_sorted(normal))
        self.listed.append(listed)

    def search(self, name: str, *, is_person: bool) -> list[Hit]:
        """Return the entries with a similar name, highest score first."""
        normal = normalise(name, is_person=is_person)
        if not normal:
            return []
        scores: dict[int, float] = dict.fromkeys(self._containing(normal), CONTAINED)
        if is_person:
            scores |= dict.fromkeys(self._abbreviating(normal), CONTAINED)
        for position, score in self._alike(normal):
            scores[position] = max(scores.get(position, 0), score)
        best: dict[int, tuple[float, Listed]] = {}
        for position, score in sorted(scores.items()):
            listed = self.listed[position]
            enough = NEARLY_SAME if listed.is_weak else ALIKE
            if score >= enough and score > best.get(listed.entry, (0.0, listed))[0]:
                best[listed.entry] = score, listed
        ranked = sorted(best.values(), key=lambda found: (-found[0], found[1].entry))
        return [
            Hit(listed.entry, listed.name, round(score, 1), listed.programs, listed.matched)
            for score, listed in ranked
        ]

    def _alike(self, normal: str) -> Iterator[tuple[int, float]]:
        shortest = len(normal) * ALIKE // (2 * WHOLE - ALIKE)  # a shorter name cannot score ALIKE
        longest = len(normal) * (2 * WHOLE - ALIKE) // ALIKE + 1
        for size in range(shortest, longest + 1):
            if shelf := self.shelves.get(size):
                yield from _alike_on(shelf, normal)

    def _containing(self, normal: str) -> Iterator[int]:
        """Yield positions of names that contain all words of this name, or are contained in it."""
        words = frozenset(normal.split())
        for position in self._sharing(words):
            listed = self.listed[position]
            shared = len(words & listed.words)
            if shared >= FEWEST_WORDS and shared == min(len(words), len(listed.words)):
                yield position

    def _abbreviating(self, normal: str) -> Iterator[int]:
        """Yield positions of individuals whose names differ only by initials, on either side."""
        words = normal.split()
        near = self.individuals if _has_initials(words) else self.abbreviated
        for position in {place for word in words if len(word) > 1 for place in near.get(word, ())}:
            if _differs_by_initials(words, self.listed[position].words):
                yield position

    def _sharing(self, words: frozenset[str]) -> set[int]:
        """Return positions of individuals that share a word, and of names that share a rare word.

        The most frequent word is skipped: a match needs FEWEST_WORDS common words.
        """
        found: set[int] = set()
        by_number = sorted(words, key=lambda word: (len(self.having.get(word, ())), word))
        for word in by_number[:-1]:
            is_rare = len(self.having.get(word, ())) <= RARE_IN
            found |= (self.having if is_rare else self.individuals).get(word, set())
        return found


def normalise(name: str, *, is_person: bool) -> str:
    """Return the form of a name for comparisons: capitals and digits, words separated by one space.

    `LAST, First` becomes `First LAST`; legal forms such as LLC are removed from companies.
    """
    if is_person and "," in name:
        last, _, first = name.partition(",")
        name = f"{first} {last}"
    if is_person:
        name = INITIAL.sub(" ", name)
    folded = unicodedata.normalize("NFKD", name).casefold().upper().translate(UNDECOMPOSED)
    bare = "".join(sign for sign in folded.translate(JOINED) if not unicodedata.combining(sign))
    words = "".join(sign if sign.isalnum() else " " for sign in bare).split()
    return " ".join(words if is_person else _without_suffixes(words))


def check_sanctions(file: LeadFile) -> list[Finding]:
    """Compare the applicant with the business, and each owner, with the current list.

    Staff judge hits; a hit alone denies no application.
    """
    current = get_current_list()
    lead = file.lead
    if current is None:
        return [_unscreened(person) for person in file.people]
    index = get_index(current)
    hits = [
        *_describe(index.search(lead.full_name, is_person=True), "PERSON"),
        *_describe(index.search(lead.business_name, is_person=False), "BUSINESS"),
    ]
    return [_judge(lead, hits), *(_check_owner(index, owner) for owner in file.owners)]


def _check_owner(index: Index, owner: Owner) -> Finding:
    return _judge(owner, _describe(index.search(owner.full_name, is_person=True), "PERSON"))


def _unscreened(person: Any) -> Finding:
    return Finding(
        CheckCode.SANCTIONS, CheckResult.WARN, Status.IN_REVIEW, person, NO_LIST, rated=False
    )


def _judge(person: Any, hits: list[dict[str, Any]]) -> Finding:
    if not hits:
        return Finding(CheckCode.SANCTIONS, CheckResult.PASS, person=person)
    hits.sort(key=lambda hit: (-hit["score"], hit["entry"], hit["of"]))
    note = f"{len(hits)} names are alike." if len(hits) > 1 else "One name is alike."
    details = {"hits": hits, "count": len(hits)}
    return Finding(CheckCode.SANCTIONS, CheckResult.WARN, Status.IN_REVIEW, person, note, details)


def _describe(hits: list[Hit], of: str) -> list[dict[str, Any]]:
    return [{**vars(hit), "of": of} for hit in hits]


# The index of the current list, cached in each process

_made: dict[tuple[int, str, datetime], Index] = {}
_making = threading.Lock()


def get_index(current: SanctionsList) -> Index:
    """Return the index of a list, read once in each process while the list is current."""
    key = (current.pk, current.sha256, current.loaded_at)
    with _making:
        if key not in _made:
            index = read_index(current)
            _made.clear()
            _made[key] = index
        return _made[key]


def read_index(current: SanctionsList) -> Index:
    """Read the names of a sanctions list into a new index, in one statement."""
    index = Index()
    columns = ["entry__number", "entry__name", "entry__kind", "entry__programs"]
    columns += ["name", "normal", "is_weak"]
    rows = SanctionsName.objects.filter(entry__sanctions_list=current).order_by("pk")
    for number, name, kind, programs, matched, normal, is_weak in rows.values_list(*columns):
        words = frozenset(normal.split())
        counts_little = is_weak or kind in CRAFT
        is_individual = kind == INDIVIDUAL
        listed = Listed(number, name, programs, matched, counts_little, is_individual, words)
        index.add(listed, normal)
    return index


def _alike_on(shelf: Shelf, normal: str) -> Iterator[tuple[int, float]]:
    for wanted, names in ((normal, shelf.plain), (_sorted(normal), shelf.ordered)):
        found = process.extract(wanted, names, scorer=fuzz.ratio, score_cutoff=ALIKE, limit=None)
        for like, score, place in found:
            if _is_alike_by_word(wanted.split(), like.split()):
                yield shelf.positions[place], score


def _sorted(normal: str) -> str:
    return " ".join(sorted(normal.split()))


def _without_suffixes(words: list[str]) -> list[str]:
    kept = list(words)
    while len(kept) > 1 and kept[-1] in SUFFIXES:
        kept.pop()
    return kept[1:] if len(kept) > 1 and kept[0] == "THE" else kept


def _has_initials(words: Iterable[str]) -> bool:
    return any(len(word) == 1 for word in words)


def _differs_by_initials(words: Sequence[str], others: frozenset[str]) -> bool:
    """Return whether the other name has each word of the shorter name, in full or as its initial.

    If they share only one word, such as the surname, initials must account for all other words.
    """
    shared = {word for word in words if len(word) > 1 and word in others}
    fewer, more = sorted(([word for word in words if word not in shared], others - shared), key=len)
    left = sorted(more, key=len)
    for word in sorted(fewer, key=len, reverse=True):  # a word in full needs an initial
        like = next((one for one in left if one[0] == word[0] and 1 in {len(one), len(word)}), "")
        if not like:
            return False
        left.remove(like)
    return len(shared) >= FEWEST_WORDS or (bool(fewer) and not any(len(one) > 1 for one in left))


def _is_alike_by_word(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether each word of the shorter name has a similar word in the other name."""
    fewer, more = sorted((one, other), key=len)
    return all(max(fuzz.ratio(word, like) for like in more) >= WORD_ALIKE for word in fewer)
