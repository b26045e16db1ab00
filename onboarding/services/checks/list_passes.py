"""List passes: the names of all parties are compared with new and changed entries of a list.

Only leads with a similar name, or with hits on changed entries, are marked to be checked again;
similar parties of the bank's records are compared at once. A pass saves its place after each batch,
continues there, and stops if another worker has continued it.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from django.db.models import F

from onboarding.choices import PartyKind
from onboarding.entry_facts import MOST_RAISED
from onboarding.models import Application, ListPass, SanctionsList, ScreeningHit
from onboarding.queries import parties
from onboarding.queries.checks import list_current_lists
from onboarding.queries.parties import SCREENED, SOURCES, Party
from onboarding.screening.index import ALIKE
from onboarding.screening.sanctions import COMPARISON, ListIndex, get_indexes, read_index
from onboarding.services.checks import record_hits

logger = logging.getLogger(__name__)
BATCH_SIZE = 2000
SETTLED_AFTER = timedelta(minutes=1)  # checks that began before a list was loaded are stored


def begin(loaded: SanctionsList, *, touched: Iterable[int], at: datetime) -> None:
    """Plan the comparison of all parties with a loaded list.

    Leads with current hits on entries whose numbers are `touched` are marked to be checked again.
    Call it in the transaction of the load.
    """
    ListPass.objects.create(sanctions_list=loaded, comparison=COMPARISON, created_at=at)
    hits = ScreeningHit.objects.filter(list_code=loaded.code, entry_number__in=[*touched])
    _mark({lead for lead in hits.filter(is_current=True).values_list("lead", flat=True) if lead})


def is_running() -> bool:
    """Return whether parties still have to be compared with a list."""
    return ListPass.objects.filter(finished_at=None).exists()


def advance(*, at: datetime, until: Callable[[], bool] = lambda: False) -> int:
    """Continue the open passes, the oldest first, until `until` returns true.

    Passes planned less than SETTLED_AFTER ago are left for later. Returns how many parties were
    compared.
    """
    _plan_for_comparison(at=at)
    count = 0
    settled = ListPass.objects.filter(finished_at=None, created_at__lte=at - SETTLED_AFTER)
    for one in settled.select_related("sanctions_list").order_by("pk"):
        count += _advance(one, at=at, until=until)
        if until():
            break
    return count


def _plan_for_comparison(*, at: datetime) -> None:
    """Plan a pass with all lists if COMPARISON is not the version of the newest pass.

    COMPARISON numbers the way in which names are compared. Without a loaded list nothing is
    planned.
    """
    newest = ListPass.objects.order_by("-pk").first()
    is_known = newest is not None and newest.comparison == COMPARISON
    if not is_known and list_current_lists():
        ListPass.objects.create(comparison=COMPARISON, created_at=at - SETTLED_AFTER)


def _advance(one: ListPass, *, at: datetime, until: Callable[[], bool]) -> int:
    lists = _read_lists(one)
    if not one.source and one.sanctions_list:
        record_hits.screen_known(one.sanctions_list.code, at=at)
    count, before = 0, one.party_count
    while not until():
        source = one.source or SOURCES[0]
        with_numbers = any(found.by_number for found in lists)
        batch = parties.read_parties(
            source, after=one.last_id, limit=BATCH_SIZE, with_numbers=with_numbers
        )
        found = [party for party in batch if _is_similar(party, lists)]
        _take(source, found, at=at)
        if not _move(one, source, batch, len(found), at=at):
            break
        count = one.party_count - before
        if one.finished_at:
            break
    return count


def _read_lists(one: ListPass) -> list[ListIndex]:
    if one.sanctions_list is None:
        return get_indexes()
    return [read_index(one.sanctions_list, only_new=True)]


def _is_similar(party: Party, lists: Sequence[ListIndex]) -> bool:
    """Return whether a name or a number of a party may be a hit. Other facts are not weighed."""
    least = ALIKE - MOST_RAISED
    return any(
        one.index.search(name, is_person=is_person, least=least)
        for one in lists
        for name, is_person in party.names
    ) or any(number in one.by_number for one in lists for number in party.numbers)


def _take(source: str, found: Sequence[Party], *, at: datetime) -> None:
    """Mark leads of similar parties to be checked again; compare parties without a lead at once."""
    _mark({party.lead for party in found if party.lead})
    for party in found:
        if party.lead is None:
            record_hits.try_screen(PartyKind(source), party.row, at=at)


def _mark(leads: Iterable[int]) -> None:
    current = Application.objects.filter(is_current=True, status__in=SCREENED)
    current.filter(lead__in=[*leads]).update(needs_screening=True)


def _move(one: ListPass, source: str, batch: Sequence[Party], found: int, *, at: datetime) -> bool:
    """Save the progress of a pass; return false if another worker has continued it."""
    was = ListPass.objects.filter(
        pk=one.pk, source=one.source, last_id=one.last_id, finished_at=None
    )
    one.source, one.last_id = source, batch[-1].row if batch else one.last_id
    if len(batch) < BATCH_SIZE:
        place = SOURCES.index(source) + 1
        one.source, one.last_id = (SOURCES[place], 0) if place < len(SOURCES) else (source, -1)
        if place == len(SOURCES):
            one.finished_at = at
    one.party_count += len(batch)
    one.found_count += found
    counts = {"party_count": F("party_count") + len(batch), "found_count": F("found_count") + found}
    values = {"source": one.source, "last_id": one.last_id, "finished_at": one.finished_at}
    return bool(was.update(**values, **counts))
