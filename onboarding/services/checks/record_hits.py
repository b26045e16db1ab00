"""Record hits: screening hits of parties of the bank's records, such as suppliers and payees."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from banking.feed import references
from banking.models import Accountant, FeedChange, Payee
from banking.services import jobs
from foundation.anchoring import committed_ids
from foundation.jobs.registry import back_off
from onboarding.choices import HitStatus, HitSubject, PartyKind
from onboarding.models import Lead, RecordCursor, ScreeningHit
from onboarding.queries.parties import (
    COMPARE_PARTY,
    RecordParty,
    find_record,
    list_not_compared,
)
from onboarding.queries.screening_hits import digest_record
from onboarding.screening.sanctions import find_hits, get_indexes
from onboarding.services.checks import hit_alerts, screening_hits

logger = logging.getLogger(__name__)
WAIT_SECONDS = 10.0  # for transactions that write records
IDS_AT_ONCE = 5000
REPEATED_AFTER = timedelta(days=1)
KINDS = {  # of the record feed
    "businesses": PartyKind.BUSINESS,
    "owners": PartyKind.OWNER,
    "suppliers": PartyKind.SUPPLIER,
    "payees": PartyKind.PAYEE,
    "accountants": PartyKind.ACCOUNTANT,
}
USERS = "users"
Found = dict[tuple[str, int], dict[str, Any]]  # hits by the code of the list and the entry


def screen_changed(*, at: datetime, until: Callable[[], bool] = lambda: False) -> int:
    """Compare parties of records that were added or changed since the last call with all lists.

    Stops early once `until` returns true. Returns how many parties were compared: 0 while
    transactions still write records, and in the first call, which only saves where the next begins.
    """
    try:
        (newest,) = committed_ids.newest([FeedChange], seconds=WAIT_SECONDS)
    except committed_ids.StillWriting:
        return 0
    cursor, _ = RecordCursor.objects.get_or_create(pk=1, defaults={"last_id": newest})
    count = 0
    while cursor.last_id < newest and not until():
        last = min(newest, cursor.last_id + IDS_AT_ONCE)
        changes = FeedChange.objects.filter(pk__gt=cursor.last_id, pk__lte=last)
        for kind, row in _list_parties(changes):
            try_screen(kind, row, at=at)
            count += 1
        cursor.last_id = last
        cursor.save(update_fields=["last_id"])
    return count


def screen_known(list_code: str, *, at: datetime) -> None:
    """Compare the parties of records that have current hits on a list with all lists again.

    The entries of the list `list_code` may have changed.
    """
    known = ScreeningHit.objects.filter(lead=None, is_current=True, list_code=list_code)
    for kind, row in set(known.values_list("party_kind", "party_row")):
        try_screen(PartyKind(kind), row or 0, at=at)


def try_screen(kind: PartyKind, row: int, *, at: datetime) -> None:
    """Compare a party with all lists; after a failure, log it and add a job that tries again.

    The failure is not raised: the caller goes on with other parties.
    """
    try:
        screen(kind, row, at=at)
    except Exception:
        logger.exception("comparing %s %s with the lists failed", kind, row)
        _compare_again(str(kind), row, at=at, after=back_off(1))


def repeat_failed(*, at: datetime) -> None:
    """Add a job for each party whose newest comparison has failed, a day after its job ended."""
    for job in list_not_compared().filter(finished_at__lte=at - REPEATED_AFTER):
        _compare_again(**job.arguments, at=at)


def _compare_again(kind: str, row: int, **times: Any) -> None:
    jobs.request(COMPARE_PARTY, key=f"{kind}-{row}", arguments={"kind": kind, "row": row}, **times)


@transaction.atomic
def screen(kind: PartyKind, row: int, *, at: datetime) -> None:
    """Compare a party of the bank's records with all lists, and save its hits.

    `row` is the primary key of the party's row. A judged hit is unreviewed again if the party or
    the entry has changed; a hit that is not found again is no longer current. New and reopened hits
    begin alerts. A party whose row is gone, or that a lead's own checks compare, has no hits here.
    """
    rows = ScreeningHit.objects.select_for_update(of=("self",)).order_by("pk")
    known = {
        (hit.list_code, hit.entry_number): hit
        for hit in rows.filter(party_kind=kind, party_row=row)
    }
    party = find_record(kind, row)
    found = {} if party is None or _is_party_of_lead(party) else _find(party)
    compared = screening_hits.Comparison(at)
    entries = screening_hits.read_entries(found)
    for pair, said in found.items():
        if party is not None:
            hit = known.get(pair) or _new(party, pair, said, at)
            digests = digest_record(party)
            screening_hits.update_hit(hit, digests, said, entries.get(pair), compared)
    for pair, hit in known.items():
        if pair not in found and hit.is_current:
            _end(hit, party)
    for hit in [*compared.found, *compared.reopened]:
        hit_alerts.alert_record(hit, at=at)
    hit_alerts.end_record_alerts(kind, row)


def _find(party: RecordParty) -> Found:
    """Return the hit with the highest score for each list entry, over all names of the party."""
    best: Found = {}
    for name, is_person in party.names:
        subject = HitSubject.PERSON if is_person else HitSubject.BUSINESS
        for hit in find_hits(get_indexes(), name, is_person=is_person, facts=party.facts):
            pair = hit.list, hit.entry
            if pair not in best or best[pair]["score"] < hit.score:
                best[pair] = {**vars(hit), "of": subject}
    return best


def _new(
    party: RecordParty, pair: tuple[str, int], said: dict[str, Any], at: datetime
) -> ScreeningHit:
    return ScreeningHit(
        party_kind=party.kind,
        party_row=party.row,
        business=party.business,
        subject=said["of"],
        list_code=pair[0],
        entry_number=pair[1],
        found_at=at,
    )


def _end(hit: ScreeningHit, party: RecordParty | None) -> None:
    """Mark a hit that is no longer found as not current.

    A confirmed match stays current, with a score of zero, while the record of its party exists.
    """
    if party is not None and hit.status == HitStatus.CONFIRMED:
        hit.score = 0.0
    else:
        hit.is_current = False
    hit.save(update_fields=["score", "is_current"])


def _is_party_of_lead(party: RecordParty) -> bool:
    """Return whether a lead's own checks compare the party, a business or owner of a customer.

    They do if the lead, its business or one of its owners has the party's name.
    """
    if party.kind not in {PartyKind.BUSINESS, PartyKind.OWNER} or party.business is None:
        return False
    accounts = Lead.objects.filter(applications__account__business=party.business)
    lead = accounts.filter(applications__is_current=True).first()
    if lead is None:
        return False
    names = {lead.full_name, lead.business_name, *(one.full_name for one in lead.owners.all())}
    return party.name in names


def _list_parties(changes: QuerySet[FeedChange]) -> list[tuple[PartyKind, int]]:
    """Return the parties that changes of records are about, each once."""
    wanted = {*changes.filter(kind__in=[*KINDS, USERS]).values_list("kind", "external_id")}
    rows: dict[str, set[int]] = {}
    for (kind, _), target in references.resolve(wanted).items():
        if target.row_id is not None:
            rows.setdefault(kind, set()).add(target.row_id)
    found = {(KINDS[kind], row) for kind, keys in rows.items() if kind in KINDS for row in keys}
    payees = Payee.objects.filter(supplier__in=rows.get("suppliers", ()))
    found |= {(PartyKind.PAYEE, pk) for pk in payees.values_list("pk", flat=True)}
    people = Accountant.objects.filter(user__in=rows.get(USERS, ()))
    found |= {(PartyKind.ACCOUNTANT, pk) for pk in people.values_list("pk", flat=True)}
    accountants = Accountant.objects.filter(pk__in=rows.get("accountants", ()))
    found |= {(PartyKind.FIRM, pk) for pk in accountants.values_list("firm", flat=True)}
    return sorted(found)
