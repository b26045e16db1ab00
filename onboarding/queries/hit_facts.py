"""Hit facts: name, birth date, countries and document numbers of a party and a sanctions entry.

Source: the remarks of OFAC's list, such as `DOB 04 May 1979; nationality Iran; Passport A12345`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import models

from foundation.privacy.masks import mask
from onboarding.choices import HitSubject
from onboarding.country_names import COUNTRY_NAMES
from onboarding.models import Lead, Owner, ScreeningHit

BORN = re.compile(r"\bDOB ([^;.]+)")
YEAR = re.compile(r"\b(\d{4})\b")
RANGE = re.compile(r"\b(\d{4}) to (?:[\w ]*?)(\d{4})\b")
IN_FULL = re.compile(r"(\d{1,2}) ([A-Z][a-z]{2}) (\d{4})")
COUNTRY = re.compile(r"\b(?:nationality|citizen|POB) ([^;.]+)")
NUMBER = re.compile(
    r"\b((?:[A-Z][\w.]* ){0,4}?(?:Passport|No\.|Number|ID|SSN|Cedula)) "
    r"([A-Z0-9][A-Z0-9\-/]{3,})(?: \(([^)]+)\))?"
)
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


class Agreement(models.TextChoices):
    """Whether the values of the party and of the entry agree."""

    SAME = "SAME", "Same"
    CLOSE = "CLOSE", "Close"
    DIFFERENT = "DIFFERENT", "Different"
    UNKNOWN = "UNKNOWN", "Not on both sides"


@dataclass(frozen=True)
class ComparedFact:
    """A fact of the party (`ours`, numbers masked) and of the entry (`theirs`)."""

    label: str
    ours: str
    theirs: str
    mark: Agreement


def compare(hit: ScreeningHit, party: Lead | Owner) -> list[ComparedFact]:
    """Return the facts of a party and of the entry of a hit, side by side."""
    if hit.subject == HitSubject.BUSINESS and isinstance(party, Lead):
        addresses = [party.business_address, party.mailing_address]
        countries = [one.get("country") or "" for one in addresses if one]
        numbers = [party.ein]
        return [
            _name(hit, party.business_name),
            _country(hit, countries),
            _numbers(hit, numbers),
        ]
    countries = [party.id_country, party.home.get("country") or ""]
    numbers = [party.passport_number, party.id_gov_number, party.ssn]
    return [
        _name(hit, party.full_name),
        _birth(hit, party.birth_date),
        _country(hit, countries),
        _numbers(hit, numbers),
    ]


def _name(hit: ScreeningHit, ours: str) -> ComparedFact:
    theirs = hit.matched
    if hit.matched != hit.entry_name:
        theirs = f"{hit.matched}, an alias of {hit.entry_name}"
    if hit.score >= 100:
        agreement = Agreement.SAME
    else:
        agreement = Agreement.CLOSE if hit.score else Agreement.DIFFERENT
    return ComparedFact("Name", ours, theirs, agreement)


def _birth(hit: ScreeningHit, ours: date | None) -> ComparedFact:
    said = [one.strip() for one in BORN.findall(_remarks(hit))]
    mark = Agreement.UNKNOWN
    if said and ours:
        days = {day for one in said for day in _days(one)}
        is_year = any(first <= ours.year <= last for one in said for first, last in _years(one))
        mark = (
            Agreement.SAME if ours in days else Agreement.CLOSE if is_year else Agreement.DIFFERENT
        )
    return ComparedFact("Born", f"{ours:%d %b %Y}" if ours else "", "; ".join(said), mark)


def _days(said: str) -> Iterator[date]:
    for day, month, year in IN_FULL.findall(said):
        if month in MONTHS:
            try:
                yield date(int(year), MONTHS.index(month) + 1, int(day))
            except ValueError:
                continue  # such as 31 June


def _years(said: str) -> Iterator[tuple[int, int]]:
    if ranges := RANGE.findall(said):
        yield from ((int(first), int(last)) for first, last in ranges)
        return
    yield from ((int(year), int(year)) for year in YEAR.findall(said))


def _country(hit: ScreeningHit, codes: Iterable[str]) -> ComparedFact:
    ours = sorted({code.upper() for code in codes if code})
    texts = [text.strip() for text in COUNTRY.findall(_remarks(hit))]
    texts += [one for one in hit.entry.get("addresses", []) if isinstance(one, str)]
    places = list(dict.fromkeys(text.rpartition(",")[2].strip() for text in texts))
    theirs = {code for place in places if (code := COUNTRY_NAMES.find(place))}
    mark = Agreement.UNKNOWN
    if ours and theirs:
        mark = Agreement.SAME if theirs & set(ours) else Agreement.DIFFERENT
    names = [COUNTRY_NAMES.codes.get(code, code) for code in ours]
    return ComparedFact("Country", ", ".join(names), ", ".join(filter(None, places)), mark)


def _numbers(hit: ScreeningHit, numbers: Iterable[str]) -> ComparedFact:
    ours = [number for number in numbers if number]
    listed = NUMBER.findall(_remarks(hit))
    theirs = {_plain(number) for _kind, number, _place in listed}
    mark = Agreement.UNKNOWN
    if ours and theirs:
        is_same = bool(theirs & {_plain(number) for number in ours})
        mark = Agreement.SAME if is_same else Agreement.DIFFERENT
    said = [f"{kind} {number}{f' ({place})' if place else ''}" for kind, number, place in listed]
    return ComparedFact("Numbers", ", ".join(map(mask, ours)), "; ".join(said), mark)


def _remarks(hit: ScreeningHit) -> str:
    remarks: Any = hit.entry.get("remarks", "")
    return str(remarks)


def _plain(number: str) -> str:
    return "".join(sign for sign in number if sign.isalnum()).upper()
