"""Hit facts: name, birth date, countries and document numbers of a party and a listed entry."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

from foundation.privacy.masks import mask
from onboarding import entry_facts
from onboarding.choices import HitSubject
from onboarding.country_names import COUNTRY_NAMES
from onboarding.entry_facts import Agreement, EntryFacts, PartyFacts, plain_number
from onboarding.models import Holder, Lead, Owner, ScreeningHit
from onboarding.queries.parties import RecordParty

HOME = "US"  # the country of SSN and EIN
Party = Lead | Owner | Holder  # of a lead


@dataclass(frozen=True)
class ComparedFact:
    """A fact of the party (`ours`, numbers masked) and of the entry (`theirs`)."""

    label: str
    ours: str
    theirs: str
    mark: Agreement


@dataclass(frozen=True)
class Side:
    """The side of a party: name, whether the party is a person, and known facts."""

    name: str
    is_person: bool
    facts: PartyFacts
    shown_numbers: list[str] = field(default_factory=list)


def compare(hit: ScreeningHit, party: Party | Side) -> list[ComparedFact]:
    """Return the facts of a party and of the entry of a hit, side by side."""
    side = party if isinstance(party, Side) else side_of(party, hit.subject)
    listed = entry_facts_of(hit)
    born = [_birth(side.facts.birth_date, listed)] if side.is_person else []
    return [_name(hit, side.name), *born, _country(side, listed), _numbers(side, listed)]


def side_of(party: Party, subject: str) -> Side:
    """Return the side of a party of a lead: the person, the business, or a trust or company."""
    facts = facts_of(party, subject)
    if isinstance(party, Holder) or (isinstance(party, Lead) and subject == HitSubject.BUSINESS):
        return Side(party.business_name, False, facts, _mask(_business_numbers(party)))
    return Side(party.full_name, True, facts, _mask(_numbers_of(party)))


def side_of_record(party: RecordParty) -> Side:
    """Return the side of a party of the bank's records.

    A party that may be a person or a company counts as a person.
    """
    return Side(party.name, len(party.names) > 1 or party.names[0][1], party.facts)


def facts_of(party: Party, subject: str) -> PartyFacts:
    """Return the facts of a party of a lead that are compared with those of entries."""
    if isinstance(party, Holder) or (isinstance(party, Lead) and subject == HitSubject.BUSINESS):
        countries = [country or "" for country in business_countries(party)]
        return PartyFacts(None, _codes(countries), _plain(_business_numbers(party)))
    countries = [party.id_country, party.home.get("country") or ""]
    return PartyFacts(party.birth_date, _codes(countries), _plain(_numbers_of(party)))


def business_countries(party: Lead | Holder) -> list[str | None]:
    """Return the countries of the addresses of a business; of a trust or company none is known."""
    if isinstance(party, Holder):
        return []
    return [one.get("country") for one in (party.business_address, party.mailing_address) if one]


def entry_facts_of(hit: ScreeningHit) -> EntryFacts:
    """Return the facts of the copied entry; older copies have them in their remarks alone."""
    if stored := hit.entry.get("facts"):
        return EntryFacts.of(stored)
    addresses = [one for one in hit.entry.get("addresses", []) if isinstance(one, str)]
    return entry_facts.read_remarks(str(hit.entry.get("remarks", "")), addresses)


def _business_numbers(party: Lead | Holder) -> list[tuple[str, str]]:
    return [(party.ein, HOME)]


def _numbers_of(party: Lead | Owner) -> list[tuple[str, str]]:
    country = party.id_country.upper()
    papers = [(number, country) for number in (party.passport_number, party.id_gov_number)]
    return [*papers, (party.ssn, HOME)]


def _mask(numbers: Iterable[tuple[str, str]]) -> list[str]:
    return [mask(number) for number, _ in numbers if number]


def _plain(numbers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((plain_number(number), country) for number, country in numbers if number)


def _codes(codes: Iterable[str]) -> frozenset[str]:
    return frozenset(code.upper() for code in codes if code)


def _name(hit: ScreeningHit, ours: str) -> ComparedFact:
    theirs = hit.matched
    if hit.matched != hit.entry_name:
        theirs = f"{hit.matched}, an alias of {hit.entry_name}"
    return ComparedFact("Name", ours, theirs, _name_mark(hit))


def _name_mark(hit: ScreeningHit) -> Agreement:
    codes = {reason["reason"] for reason in hit.reasons if reason["ours"] or reason["listed"]}
    if not hit.score or (hit.reasons and not codes & NAME_REASONS):
        return Agreement.DIFFERENT
    is_same = codes <= {"SAME", *FACT_REASONS} if hit.reasons else hit.score >= entry_facts.ALL
    return Agreement.SAME if is_same else Agreement.CLOSE


def _birth(ours: date | None, listed: EntryFacts) -> ComparedFact:
    theirs = "; ".join(map(entry_facts.show_birth, listed.births))
    mark = entry_facts.compare_births(ours, listed.births)
    return ComparedFact("Born", f"{ours:%d %b %Y}" if ours else "", theirs, mark)


def _country(side: Side, listed: EntryFacts) -> ComparedFact:
    ours, theirs = sorted(side.facts.countries), listed.countries
    mark = entry_facts.compare_countries(ours, theirs)
    return ComparedFact("Country", _countries(ours), _countries(theirs), mark)


def _countries(codes: Iterable[str]) -> str:
    return ", ".join(COUNTRY_NAMES.codes.get(code, code) for code in codes)


def _numbers(side: Side, listed: EntryFacts) -> ComparedFact:
    mark = entry_facts.compare_numbers(side.facts, listed.numbers)
    theirs = "; ".join(map(str, listed.numbers))
    return ComparedFact("Numbers", ", ".join(side.shown_numbers), theirs, mark)


NAME_REASONS = {"SAME", "VARIANT", "SYNONYM", "SOUND", "TYPO", "INITIAL", "JOINED"}
FACT_REASONS = {"BORN_SAME", "YEAR_SAME", "BORN_DIFFERS", "COUNTRY_SAME", "NUMBER_SAME"}
