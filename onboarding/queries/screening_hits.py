"""Screening hits of a lead, open hits of all leads, and digests of the party and the entry."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, QuerySet

from foundation.privacy.encryption import blind_index, index_key_ids
from onboarding.business_hours import HOURS_OF_A_DAY, add_business_hours
from onboarding.choices import HitSubject, ProposalStatus
from onboarding.models import HitJudgement, Holder, Lead, SanctionsEntry, ScreeningHit
from onboarding.models.screening_hits import OPEN_HIT
from onboarding.queries.hit_facts import Party, business_countries
from onboarding.queries.parties import RecordParty

CONTEXT = "screening.party"
ENTRY_FACTS = ["kind", "title", "remarks", "addresses"]  # the remarks have all facts as text


def open_hits() -> QuerySet[ScreeningHit]:
    """Return the open hits of leads and of the bank's records; those of a lead block its approval.

    A current hit is open unless it is a false positive or a confirmed match with an exposed person
    (PEP).
    """
    return ScreeningHit.objects.filter(OPEN_HIT)


def alerts_of_records() -> QuerySet[ScreeningHit]:
    """Return the hits of the bank's records that nobody has judged since they were found."""
    return open_hits().filter(lead=None, due_at__isnull=False)


def alert_due_at(*, at: datetime) -> datetime:
    """Return when an alert that begins at `at` is due: after one business day."""
    return add_business_hours(at, HOURS_OF_A_DAY)


def count_open(lead: Lead) -> int:
    """Return the number of hits of a lead that block its approval."""
    return open_hits().filter(lead=lead).count()


def list_hit_states(lead: Lead) -> list[tuple[str, bool]]:
    """Return the distinct pairs of list code and whether the hit is open, for a lead's hits."""
    blocks = ExpressionWrapper(OPEN_HIT, output_field=BooleanField())
    current = ScreeningHit.objects.filter(lead=lead, is_current=True).order_by()
    return list(current.annotate(blocks=blocks).values_list("list_code", "blocks").distinct())


def list_hits(lead: Lead) -> list[ScreeningHit]:
    """Return all current hits of a lead with their judgements, the most similar first."""
    related = ["judgement__by", "judgement__settled_by"]
    found = ScreeningHit.objects.filter(lead=lead, is_current=True).select_related(*related)
    return list(found.order_by("-score", "pk"))


def open_clearings() -> QuerySet[HitJudgement]:
    """Return the proposed clearings that wait for a second person."""
    return HitJudgement.objects.filter(status=ProposalStatus.OPEN)


def list_record_hits(kind: str, row: int) -> list[ScreeningHit]:
    """Return the current hits of a party of the records with their judgements, as `list_hits`."""
    related = ["judgement__by", "judgement__settled_by"]
    found = ScreeningHit.objects.filter(party_kind=kind, party_row=row, is_current=True)
    return list(found.select_related(*related).order_by("-score", "pk"))


def find_open_clearings(hits: Sequence[ScreeningHit]) -> dict[int, HitJudgement]:
    """Return the proposed clearings of hits that wait for a second person, by the hit's key."""
    if not hits:
        return {}
    waiting = open_clearings().filter(hit__in=[hit.pk for hit in hits])
    return {one.hit_id: one for one in waiting.select_related("by")}


def list_verdicts(lead: Lead) -> list[list[Any]]:
    """Return the verdicts about the current hits of a lead, as evidence of a decision.

    Shape: sorted lists of texts: party id, subject, list code, entry number, status of the hit.
    """
    judged = ScreeningHit.objects.filter(lead=lead, is_current=True, judgement__isnull=False)
    names = ["party_id", "subject", "list_code", "entry_number", "status"]
    return sorted([str(value) for value in row] for row in judged.values_list(*names))


def describe_entry(entry: SanctionsEntry) -> dict[str, Any]:
    """Return the copy of an entry that a hit keeps, with every name of the entry."""
    names = sorted(entry.names.values_list("name", flat=True))
    said = {name: getattr(entry, name) for name in ENTRY_FACTS}
    return {**said, "names": names, **({"facts": entry.facts} if entry.facts else {})}


def digest_entry(name: str, programs: str, content: Mapping[str, Any]) -> str:
    """Return the SHA-256, in hexadecimal, of the content of an entry.

    Parsed facts are left out: they are in the remarks, and entries of old copies lack them.
    """
    said = {key: value for key, value in content.items() if key != "facts"}
    return hashlib.sha256(_canonical([name, programs, said]).encode()).hexdigest()


def digest_party(party: Party, subject: str) -> list[str]:
    """Return the digests of the facts of a party that hits are judged by, one for each index key.

    The first is stored. A person has name, birth date, countries and document numbers; a business,
    trust or company has its name, countries and EIN.
    """
    return _digest_facts(_facts(party, subject))


def digest_record(party: RecordParty) -> list[str]:
    """Return the digests of the facts of a party of the records, as `digest_party`."""
    return _digest_facts([party.kind, party.name, sorted(party.facts.countries)])


def _digest_facts(facts: list[Any]) -> list[str]:
    said = _canonical(facts).encode().hex()
    return [blind_index(said, context=CONTEXT, key_id=key_id) for key_id in index_key_ids()]


def digest_evidence(hit: ScreeningHit) -> str:
    """Return the SHA-256, in hexadecimal, of the evidence of a judgement: both sides of a hit.

    Pages send it back with a verdict, so that a verdict from a stale page is refused.
    """
    said = [str(hit.external_id), hit.party_digest, hit.entry_digest, hit.judgement_id]
    return hashlib.sha256(_canonical(said).encode()).hexdigest()


def _facts(party: Party, subject: str) -> list[Any]:
    if isinstance(party, Holder) or (isinstance(party, Lead) and subject == HitSubject.BUSINESS):
        return [party.business_name, business_countries(party), party.ein]
    numbers = [party.passport_number, party.id_gov_number, party.ssn]
    countries = [party.id_country, party.home.get("country")]
    return [party.full_name, str(party.birth_date or ""), countries, numbers]


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
