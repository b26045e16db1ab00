"""Screening hits: pairs of a party and a similar list entry, kept as rows with their verdicts."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from onboarding.choices import CheckCode, HitStatus, ProposalStatus
from onboarding.event_types import EventType
from onboarding.models import HitJudgement, SanctionsEntry, ScreeningHit
from onboarding.models.screening_hits import SDN
from onboarding.queries import fixed_rows
from onboarding.queries.leads import LeadFile
from onboarding.queries.screening_hits import (
    describe_entry,
    digest_entry,
    digest_party,
)
from onboarding.screening import Finding
from onboarding.services.events.history import CHECKS, History

PARTY_CHANGED = "The data of the customer has changed."
ENTRY_CHANGED = "The entry on the list has changed."
NOT_COMPARED = "It was judged before the data of both sides were kept."
HIT_CHECKS = {CheckCode.SANCTIONS, CheckCode.PEP}
BOTH_CHANGED = "The data of the customer and the entry on the list have changed."
Pair = tuple[UUID, str, str, int]  # the party, PERSON or BUSINESS, the list, its entry


@dataclass
class Comparison:
    """The hits of a run that staff must judge: new pairs, and pairs whose sides have changed.

    `voided` are the proposed clearings that have ended, because a side has changed.
    """

    at: datetime
    found: list[ScreeningHit] = field(default_factory=list)
    reopened: list[ScreeningHit] = field(default_factory=list)
    voided: list[HitJudgement] = field(default_factory=list)

    @property
    def is_alert(self) -> bool:
        """Return whether this run has found a new hit or reopened one."""
        return bool(self.found or self.reopened)


def save_hits(file: LeadFile, findings: Iterable[Finding], *, at: datetime) -> Comparison:
    """Save the hits of a run: create new pairs, and keep the verdicts about unchanged pairs.

    The lead must be locked in a transaction. A judged pair is unreviewed again if a side has
    changed; its open clearing is voided. A pair that was not found again is no longer current,
    unless it is a confirmed match: another name alone does not end that.
    """
    known = {_pair_of(hit): hit for hit in ScreeningHit.objects.filter(lead=file.lead)}
    compared = Comparison(at)
    found = dict(_pairs(file, findings))
    entries = read_entries(pair[2:] for pair in found)
    for pair, said in found.items():
        hit = known.get(pair) or _new(file, pair, at)
        party = file.find_party(hit.party_id) or file.lead
        digests = digest_party(party, hit.subject)
        update_hit(hit, digests, said, entries.get(pair[2:]), compared)
    gone = [hit for pair, hit in known.items() if pair not in found and hit.is_current]
    ended = [hit.pk for hit in gone if not _keep_match(hit, file, compared)]
    ScreeningHit.objects.filter(pk__in=ended).update(is_current=False)
    _record(file, compared)
    return compared


def _pairs(file: LeadFile, findings: Iterable[Finding]) -> Iterable[tuple[Pair, dict[str, Any]]]:
    for finding in findings:
        if finding.code in HIT_CHECKS:
            party = finding.person or file.lead
            for hit in finding.details.get("hits", []):
                party_id = UUID(hit["party"]) if "party" in hit else party.external_id
                pair = (party_id, hit["of"], hit.get("list", SDN), hit["entry"])
                yield pair, hit


def _pair_of(hit: ScreeningHit) -> tuple[UUID | None, str, str, int]:
    return hit.party_id, hit.subject, hit.list_code, hit.entry_number


def _new(file: LeadFile, pair: Pair, at: datetime) -> ScreeningHit:
    party_id, subject, list_code, number = pair
    return ScreeningHit(
        lead=file.lead,
        party_id=party_id,
        subject=subject,
        list_code=list_code,
        entry_number=number,
        found_at=at,
    )


def read_entries(pairs: Iterable[tuple[str, int]]) -> dict[tuple[str, int], SanctionsEntry]:
    """Return the stored list entries, with their names, of pairs of a list's code and a number.

    Keys are the pairs; a pair without an entry is left out. The result may have other entries, too.
    """
    wanted = set(pairs)
    if not wanted:
        return {}
    codes, numbers = {code for code, _ in wanted}, {number for _, number in wanted}
    found = SanctionsEntry.objects.filter(sanctions_list__code__in=codes, number__in=numbers)
    related = found.select_related("sanctions_list").prefetch_related("names")
    return {(entry.sanctions_list.code, entry.number): entry for entry in related}


def update_hit(
    hit: ScreeningHit,
    of_party: list[str],
    said: dict[str, Any],
    entry: SanctionsEntry | None,
    compared: Comparison,
) -> None:
    """Save a hit that was found; it is unreviewed again if its party or its entry has changed.

    `of_party` are the digests of the party's facts, under each index key; `said` is what the check
    found; `entry` is None if the list has it no more. New and reopened hits, and voided clearings,
    are added to `compared`.
    """
    content = describe_entry(entry) if entry else {}
    of_entry = digest_entry(said["name"], said["programs"], content)
    why = _why_changed(hit, of_party, of_entry)
    hit.entry_name, hit.matched = said["name"], said["matched"]
    hit.programs, hit.score, hit.entry = said["programs"], said["score"], content
    hit.reasons = said.get("reasons", [])
    hit.party_digest, hit.entry_digest = of_party[0], of_entry
    hit.is_current = True
    if hit.pk is None:
        compared.found.append(hit)
    elif why:
        _void_clearing(hit, why, compared)
        if hit.status != HitStatus.UNREVIEWED:
            hit.status, hit.judgement, hit.note = HitStatus.UNREVIEWED, None, why
            compared.reopened.append(hit)
    hit.save()


def _keep_match(hit: ScreeningHit, file: LeadFile, compared: Comparison) -> bool:
    """Keep a hit that is a confirmed match, though the name is no longer similar; return whether.

    Its score is zero then, and two people can clear it by the present data.
    """
    party = file.find_party(hit.party_id)
    if party is None or hit.status != HitStatus.CONFIRMED:
        return False
    of_party = digest_party(party, hit.subject)
    if hit.party_digest not in of_party:
        _void_clearing(hit, PARTY_CHANGED, compared)
    hit.party_digest, hit.score = of_party[0], 0.0
    hit.save(update_fields=["party_digest", "score"])
    return True


def _why_changed(hit: ScreeningHit, of_party: list[str], of_entry: str) -> str:
    """Return the note about which side of a known pair has changed; empty if none has."""
    if hit.judgement_id and not (hit.party_digest and hit.entry_digest):
        return NOT_COMPARED
    has_party_changed = bool(hit.party_digest) and hit.party_digest not in of_party
    has_entry_changed = bool(hit.entry_digest) and hit.entry_digest != of_entry
    if has_party_changed and has_entry_changed:
        return BOTH_CHANGED
    if has_party_changed:
        return PARTY_CHANGED
    return ENTRY_CHANGED if has_entry_changed else ""


def _void_clearing(hit: ScreeningHit, why: str, compared: Comparison) -> None:
    waiting = HitJudgement.objects.filter(hit=hit, status=ProposalStatus.OPEN)
    for clearing in waiting.select_related("hit"):
        clearing.status, clearing.settled_at = ProposalStatus.VOIDED, compared.at
        clearing.settled_note = why
        clearing.save(update_fields=["status", "settled_at", "settled_note"])
        compared.voided.append(clearing)


def _record(file: LeadFile, compared: Comparison) -> None:
    """Add the new and the reopened hits, and voided clearings, to the history."""
    ended: dict[str, Any] = {
        "outcome": ProposalStatus.VOIDED.value,
        "judgement_ids": [str(one.external_id) for one in compared.voided],
        **fixed_rows.fix_settled(*compared.voided),
    }
    events = [
        (EventType.HITS_FOUND, compared.found, {}),
        (EventType.HITS_REOPENED, compared.reopened, {}),
        (EventType.CLEARING_ENDED, [one.hit for one in compared.voided], ended),
    ]
    log = History(file.lead, by=CHECKS, at=compared.at)
    for event_type, hits, details in events:
        if hits:
            ids = [str(hit.external_id) for hit in hits]
            log.add(event_type, file.application, hit_ids=ids, **details)
    log.save_with_lead()
