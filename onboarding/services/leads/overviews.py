"""Overviews: labelled values of people and of the business, in the reader's language.

Personal numbers and EINs show their last four digits, unless a `Shows` function allows more.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.formats import date_format, number_format
from django.utils.translation import gettext_lazy as _

from banking.choices import BusinessType
from banking.us_states import state_name
from foundation.privacy.masks import last_four
from onboarding.business_kinds import KINDS
from onboarding.country_names import COUNTRY_NAMES
from onboarding.industries import industry_name
from onboarding.lazy_texts import StrOrPromise
from onboarding.lead_fields import BUSINESS, PERSON, LeadField, ValueType
from onboarding.models import Lead, Owner
from onboarding.models.people import Person
from onboarding.phone_numbers import in_groups
from onboarding.services.leads.owners import STATED

ENDING = _("ending in %(last_four)s")
ON_FILE = _("on file")
WAITED_FOR, COMPLETED = _("asked by email, not completed yet"), _("entered and signed by %(name)s")
SHARE = _("Share of the business")

Shows = Callable[[Person, str, str], bool]  # whether a number of a person is shown in full


def nothing(_person: Person, _name: str, _value: str) -> bool:
    """Return False: no personal number is shown in full."""
    return False


@dataclass(frozen=True)
class Line:
    """A label and a value."""

    label: StrOrPromise
    value: StrOrPromise


def about_person(person: Lead | Owner, *, shows: Shows = nothing) -> list[Line]:
    """Return the known values of a person, without the name."""
    return known(
        (_("Email address"), person.email),
        *_lines(person, [one for one in PERSON if one.name in BEFORE_ADDRESS], shows),
        (_("Home address"), _address(person.home)),
        *_lines(
            person, [one for one in PERSON if one.name not in {*BEFORE_ADDRESS, *NAMES}], shows
        ),
    )


def about_listed(person: Lead | Owner, *, shows: Shows = nothing) -> list[Line]:
    """Return the values of a person that the applicant sees, without the name.

    For an owner who completes a part of their own, these are the share and whether it is complete.
    """
    if isinstance(person, Owner) and person.has_own_part:
        signed = COMPLETED % {"name": person.full_name or person.email}
        standing = WAITED_FOR if person.is_waited_for else signed
        return known((SHARE, share_of(person)), (_("Details"), standing))
    return about_person(person, shows=shows)


def about_own_part(owner: Owner) -> list[Line]:
    """Return the values that an owner signs for, with the name."""
    own = [one for one in PERSON if one.name not in {*BEFORE_ADDRESS, *NAMES, *STATED}]
    return known(
        (_("Name"), owner.full_name),
        *_lines(owner, [one for one in PERSON if one.name in BEFORE_ADDRESS], nothing),
        (_("Home address"), _address(owner.home)),
        *_lines(owner, own, nothing),
        (SHARE, share_of(owner)),
    )


def about_business(lead: Lead, *, shows: Shows = nothing) -> list[Line]:
    """Return the known values of the business, and the answered questions of due diligence."""
    return known(
        *_lines(lead, BUSINESS, shows),
        (_("Business address"), _address(lead.business_address)),
        (_("Mailing address"), _address(lead.mailing_address)),
        *((one.get("question", ""), one.get("answer", "")) for one in lead.edd_answers),
    )


def _lines(
    person: Person, fields: Iterable[LeadField], shows: Shows
) -> Iterator[tuple[StrOrPromise, StrOrPromise]]:
    """Yield label and text of the values that have a label."""
    for declared in fields:
        if declared.label:
            label = OTHER_LABELS.get(declared.name, declared.label)
            value = getattr(person, declared.name)
            is_shown = bool(value) and shows(person, declared.name, str(value))
            yield label, _in_parts(declared.name, value) if is_shown else _text(declared, value)


def _in_parts(name: str, number: str) -> str:
    """Return a number as it is printed: 123-45-6789, or 12-3456789 for an EIN."""
    if name == "ssn":
        return f"{number[:3]}-{number[3:5]}-{number[5:]}"
    return f"{number[:2]}-{number[2:]}" if name == "ein" else number


def _text(declared: LeadField, value: Any) -> StrOrPromise:
    if value in (None, ""):
        return ""
    if declared.name in TEXTS:
        return TEXTS[declared.name](value)
    return KIND_TEXTS.get(declared.kind, str)(value)


def known(*pairs: tuple[StrOrPromise, StrOrPromise]) -> list[Line]:
    """Return a line for each pair with a value."""
    return [Line(label, value) for label, value in pairs if value]


def _address(parts: Mapping[str, Any]) -> str:
    place = " ".join(filter(None, (parts.get("state"), parts.get("postal_code"))))
    country = parts.get("country")
    lines = [
        parts.get("line1"),
        parts.get("line2"),
        parts.get("city"),
        place,
        COUNTRY_NAMES.name(country) if country and country != "US" else "",
    ]
    return ", ".join(filter(None, lines))


def _number(number: str) -> StrOrPromise:
    shown = last_four(number)
    return ENDING % {"last_four": shown} if shown else ON_FILE


def share_of(person: Person) -> str:
    """Return a person's share of the business; empty if it is not known."""
    return "" if person.ownership_percent is None else percent(person.ownership_percent)


def percent(share: Decimal) -> str:
    """Return a share, in percent, as text in the reader's language, for example 33,3%."""
    return f"{number_format(f'{share.normalize():f}')}%"


BEFORE_ADDRESS = ("phone_number", "birth_date")
NAMES = ("first_name", "last_name")  # the heading of a person
OTHER_LABELS = {"ownership_percent": SHARE}
TEXTS: Mapping[str, Callable[[Any], StrOrPromise]] = {
    "phone_number": in_groups,
    "id_country": COUNTRY_NAMES.name,
    "business_type": lambda business_type: KINDS[BusinessType(business_type)].name,
    "naics_code": lambda code: f"{code} {industry_name(code)}".rstrip(),
    "incorporation_state": state_name,
}
KIND_TEXTS: Mapping[ValueType, Callable[[Any], StrOrPromise]] = {
    ValueType.ENCRYPTED_TEXT: _number,
    ValueType.DATE: date_format,
    ValueType.PERCENT: percent,
}
