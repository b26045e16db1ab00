"""Sanctions: names on the current lists that are similar to an applicant's, with scores for staff.

`words` brings names into one form, `vocabulary` finds words that may be the same, `alignment`
compares two names word by word, `index` holds the names of a list, and `entry_facts` weighs birth
dates, countries and document numbers.
"""

import hashlib
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckCode, CheckResult, HitSubject, ListCode
from onboarding.entry_facts import (
    ALL,
    MOST_RAISED,
    EntryFacts,
    PartyFacts,
    find_same_number,
    iterate_numbers,
    weigh,
)
from onboarding.models import Holder, Lead, Owner, SanctionsEntry, SanctionsList, SanctionsName
from onboarding.queries.checks import list_current_lists
from onboarding.queries.hit_facts import facts_of
from onboarding.queries.leads import LeadFile
from onboarding.screening import Finding
from onboarding.screening.index import ALIKE, Hit, Index, Listed
from onboarding.screening.lists.reading import INDIVIDUAL
from onboarding.screening.words import normalise

NO_LIST = "No sanctions list is loaded."
CRAFT = {"vessel", "aircraft"}
COMPARISON = 5  # raised with each change of which names are compared, and how: all are compared
NOTHING = EntryFacts()


@dataclass
class ListIndex:
    """A loaded list: its names, the facts of its entries, and the entries of document numbers.

    `facts` and `mains`, the main names, are by number of the entry; `by_number` has entry numbers.
    """

    code: str
    index: Index = field(default_factory=Index)
    facts: dict[int, EntryFacts] = field(default_factory=dict)
    by_number: dict[str, list[int]] = field(default_factory=dict)
    mains: dict[int, Listed] = field(default_factory=dict)  # of the entries with numbers

    def find(self, name: str, *, is_person: bool, facts: PartyFacts) -> list[Hit]:
        """Return hits on entries with a similar name, then on others with the same document number.

        `facts` raise or lower the score of a similar name; hits score ALIKE or more.
        """
        found = []
        for hit in self.index.search(name, is_person=is_person, least=ALIKE - MOST_RAISED):
            score, reasons = weigh(hit.score, facts, self.facts.get(hit.entry, NOTHING))
            if score >= ALIKE:
                every = [*hit.reasons, *reasons]
                found.append(replace(hit, score=round(score, 1), reasons=every, list=self.code))
        return [*found, *self._by_number(facts, {hit.entry for hit in found})]

    def _by_number(self, facts: PartyFacts, known: set[int]) -> Iterator[Hit]:
        """Yield hits on entries with a document number of the party, except on those in `known`."""
        numbered = {
            entry for number, _ in facts.numbers for entry in self.by_number.get(number, ())
        }
        for entry in sorted(numbered - known):
            if find_same_number(facts, self.facts[entry].numbers):
                main = self.mains[entry]
                _, reasons = weigh(ALL, facts, self.facts[entry])
                programs = main.programs
                yield Hit(entry, main.name, ALL, programs, main.matched, reasons, self.code)


def check_sanctions(file: LeadFile) -> list[Finding]:
    """Return a finding for each person, from comparing names and facts with the current lists.

    The applicant's finding includes the hits of the business, and of trusts and companies that hold
    it. A hit is a warning, which staff judge; it denies no application. Without a sanctions list
    each finding is a warning. If a list of politically exposed persons is loaded, each person has a
    second finding from it.
    """
    lists = get_indexes()
    sanctions = [one for one in lists if one.code != ListCode.PEP]
    exposed = [one for one in lists if one.code == ListCode.PEP]
    if not sanctions:
        found = [_unscreened(person) for person in file.people]
    else:
        found = [_check(CheckCode.SANCTIONS, sanctions, one, file) for one in file.people]
    return [*found, *(_check(CheckCode.PEP, exposed, one, file) for one in file.people if exposed)]


def digest_comparison() -> str:
    """Return a SHA-256 of the current lists and of how names are compared; empty without a list."""
    lists = [f"{one.code} {one.sha256}" for one in list_current_lists()]
    said = "\n".join([str(COMPARISON), *lists])
    return hashlib.sha256(said.encode()).hexdigest() if lists else ""


def find_hits(
    lists: Iterable[ListIndex], name: str, *, is_person: bool, facts: PartyFacts
) -> list[Hit]:
    """Return hits on entries of several lists with a similar name or the same document number."""
    return [hit for one in lists for hit in one.find(name, is_person=is_person, facts=facts)]


def _check(
    code: CheckCode, lists: Sequence[ListIndex], person: Lead | Owner, file: LeadFile
) -> Finding:
    facts = facts_of(person, HitSubject.PERSON)
    hits = _describe(find_hits(lists, person.full_name, is_person=True, facts=facts), "PERSON")
    if isinstance(person, Lead):
        hits += _find_business(lists, person)
        for holder in file.holders:
            party = str(holder.external_id)
            hits += [{**hit, "party": party} for hit in _find_business(lists, holder)]
    return _judge(code, person, hits)


def _find_business(lists: Sequence[ListIndex], party: Lead | Holder) -> list[dict[str, Any]]:
    facts = facts_of(party, HitSubject.BUSINESS)
    found = find_hits(lists, party.business_name, is_person=False, facts=facts)
    return _describe(found, "BUSINESS")


def _unscreened(person: Any) -> Finding:
    return Finding(
        CheckCode.SANCTIONS, CheckResult.WARN, Status.IN_REVIEW, person, NO_LIST, rated=False
    )


def _judge(code: CheckCode, person: Any, hits: list[dict[str, Any]]) -> Finding:
    if not hits:
        return Finding(code, CheckResult.PASS, person=person)
    hits.sort(key=lambda hit: (-hit["score"], hit["list"], hit["entry"], hit["of"]))
    note = f"{len(hits)} names are alike." if len(hits) > 1 else "One name is alike."
    details = {"hits": hits, "count": len(hits)}
    return Finding(code, CheckResult.WARN, Status.IN_REVIEW, person, note, details)


def _describe(hits: list[Hit], of: str) -> list[dict[str, Any]]:
    return [{**vars(hit), "of": of} for hit in hits]


# The indexes of the current lists, cached in each process

_made: dict[str, tuple[tuple[int, str, datetime], ListIndex]] = {}
_making = threading.Lock()


def get_indexes() -> list[ListIndex]:
    """Return the indexes of the current lists, the lists in the order of their codes."""
    return [get_index(one) for one in list_current_lists()]


def get_index(current: SanctionsList) -> ListIndex:
    """Return the index of a list, cached in the process until the list is replaced.

    Threads that need an index wait while one of them reads it.
    """
    key = (current.pk, current.sha256, current.loaded_at)
    with _making:
        known = _made.get(current.code)
        if known is None or known[0] != key:
            known = _made[current.code] = key, read_index(current)
        return known[1]


def read_index(current: SanctionsList, *, only_new: bool = False) -> ListIndex:
    """Read a list into a new index; `only_new`: only entries that its last load added or changed.

    The names are normalized anew, so that a list loaded by an earlier version is compared alike.
    """
    entries = SanctionsEntry.objects.filter(sanctions_list__code=current.code)
    names = SanctionsName.objects.filter(entry__sanctions_list__code=current.code)
    if only_new:
        entries, names = (
            entries.filter(sanctions_list=current),
            names.filter(entry__sanctions_list=current),
        )
    made = ListIndex(current.code)
    columns = ["entry__number", "entry__name", "entry__kind", "entry__programs", "name", "is_weak"]
    for row in names.order_by("pk").values_list(*columns).iterator():
        made.index.add(_listed(*row))
    stored = entries.exclude(facts={}).order_by("number")
    for number, name, programs, facts in stored.values_list("number", "name", "programs", "facts"):
        made.facts[number] = EntryFacts.of(facts)
        for plain in iterate_numbers(made.facts[number]):
            made.by_number.setdefault(plain, []).append(number)
            made.mains[number] = Listed(number, name, programs, name, False, True, ())
    return made


def _listed(
    number: int, name: str, kind: str, programs: str, matched: str, is_weak: bool
) -> Listed:
    is_individual = kind == INDIVIDUAL
    words = tuple(normalise(matched, is_person=is_individual).split())
    counts_little = is_weak or kind in CRAFT
    return Listed(number, name, programs, matched, counts_little, is_individual, words)
