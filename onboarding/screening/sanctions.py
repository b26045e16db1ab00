"""Sanctions: names on the current list that are similar to an applicant's, with scores for staff.

`words` brings names into one form, `vocabulary` finds words that may be the same, `alignment`
compares two names word by word, and `index` holds the names of a list.
"""

import hashlib
import threading
from datetime import datetime
from typing import Any

from onboarding.choices import ApplicationStatus as Status
from onboarding.choices import CheckCode, CheckResult
from onboarding.models import Owner, SanctionsList, SanctionsName
from onboarding.queries.checks import get_current_list
from onboarding.queries.leads import LeadFile
from onboarding.screening import Finding
from onboarding.screening.index import Hit, Index, Listed
from onboarding.screening.words import normalise

NO_LIST = "No sanctions list is loaded."
INDIVIDUAL = "individual"
CRAFT = {"vessel", "aircraft"}
COMPARISON = 2  # raised with each change of how names are compared: all are compared again


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


def digest_comparison() -> str:
    """Return a SHA-256 of the current list and of how names are compared; empty without a list."""
    current = get_current_list()
    return hashlib.sha256(f"{COMPARISON} {current.sha256}".encode()).hexdigest() if current else ""


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
    """Read the names of a sanctions list into a new index, in one statement.

    The names are normalized anew, so that a list loaded by an earlier version is compared alike.
    """
    index = Index()
    columns = ["entry__number", "entry__name", "entry__kind", "entry__programs", "name", "is_weak"]
    rows = SanctionsName.objects.filter(entry__sanctions_list=current).order_by("pk")
    for number, name, kind, programs, matched, is_weak in rows.values_list(*columns):
        is_individual = kind == INDIVIDUAL
        words = tuple(normalise(matched, is_person=is_individual).split())
        counts_little = is_weak or kind in CRAFT
        index.add(Listed(number, name, programs, matched, counts_little, is_individual, words))
    return index
