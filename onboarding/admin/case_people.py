"""Case people: values of the people and the business with their suppliers, numbers masked."""

from dataclasses import dataclass
from typing import Any

from django.utils.html import format_html

from foundation.backoffice.cells import day, lines, percent
from foundation.backoffice.screens import badge
from foundation.privacy.masks import mask
from onboarding.admin.people import ADDRESS_FIELDS, mark, render_address
from onboarding.choices import IdentityStatus, RiskFactor
from onboarding.country_names import COUNTRY_NAMES
from onboarding.geography import COUNTRIES
from onboarding.industries import industry_name
from onboarding.lead_fields import BUSINESS, PERSON, ValueType
from onboarding.services.checks.risks import MEDIUM_FROM

NUMBERS = {one.name: one.staff_label for one in PERSON if one.kind is ValueType.ENCRYPTED_TEXT}
CONFIRMED = "Confirmed when asked"
BUSINESS_NUMBERS = {
    one.name: one.staff_label for one in BUSINESS if one.kind is ValueType.ENCRYPTED_TEXT
}


@dataclass(frozen=True)
class Fact:
    """A labelled value; `supplier` is empty for values of the partner."""

    label: str
    value: Any
    supplier: str = ""


@dataclass(frozen=True)
class Number:
    """A masked personal number, which staff can reveal by giving a reason."""

    person: str
    field: str
    label: str
    masked: str
    supplier: str = ""

    @property
    def key(self):
        """Return the key of the number, unique on the page."""
        return f"{self.field}-{self.person}"


def person_card(person, tint=None, *, confirmed=(), rated=None):
    """Return the display values of a person, by their names in the template, without empty facts.

    `tint` is the person's colour in the chart of shares. `confirmed` has the doubtful answers that
    the person confirmed, in words. `rated` is as `rated_values` returns it.
    """
    home_fields = ["address"] if person.ubo_id else ADDRESS_FIELDS
    facts = [
        _fact(person, "Email", person.email, "email"),
        *_facts(person, PERSON, rated or {}),
        _fact(person, "Home address", _address(person.home, rated or {}), *home_fields),
        Fact("Identity", person.get_identity_status_display()),
        Fact("Own part", _own_part(person)),
        Fact(CONFIRMED, lines(confirmed)),
    ]
    return {
        "person": person,
        "name": person.full_name or person.email or "No name yet",
        "share": "" if person.ownership_percent is None else percent(person.ownership_percent),
        "identity": _identity(person),
        "is_control_person": bool(person.is_control_person),
        "facts": [fact for fact in facts if fact.value],
        "numbers": numbers_of(person, NUMBERS),
        "tint": tint,
        "role": person.get_role_display() if person.ubo_id else "Applicant",
        "marks": sorted({_supplier(person, name) for name in ("first_name", "last_name")} - {""}),
    }


def business_facts(lead, *, rated=None):
    """Return the facts of the business without empty values; `rated` is as in `person_card`."""
    rated = rated or {}
    facts = [
        *_facts(lead, BUSINESS, rated),
        _fact(lead, "Address", _address(lead.business_address, rated), "business_address"),
        _fact(lead, "Mail to", _address(lead.mailing_address, rated), "mailing_address"),
    ]
    return [fact for fact in facts if fact.value]


def numbers_of(person, names):
    """Return the personal numbers that are known of a person or business, masked.

    `names` has the label of each number by the name of its field.
    """
    return [
        Number(str(person.external_id), name, label, mask(value), _supplier(person, name))
        for name, label in names.items()
        if (value := getattr(person, name))
    ]


def answers_of(lead):
    """Return the questions and answers of enhanced due diligence."""
    return [
        Fact(asked.get("question") or asked.get("question_id") or "-", asked.get("answer") or "-")
        for asked in lead.edd_answers
    ]


def _own_part(person):
    """Return the status of an owner's invitation, or an empty string."""
    status = person.invitation_status if person.ubo_id else None
    return status.label if status else ""


def _identity(person):
    """Return the identity status as a badge, or an empty string if no proof was requested."""
    status = person.identity_status
    if status == IdentityStatus.PENDING:
        return ""
    return badge(f"identity_{status}", f"Identity {person.get_identity_status_display().lower()}")


def rated_values(application):
    """Return the badges of the industry and countries that the risk rating counted, by code."""
    return {
        one["value"]: badge(
            "risk_high" if one["points"] >= MEDIUM_FROM else "risk_medium",
            f"+{one['points']} risk points",
            one["reason"],
        )
        for one in application.risk_reasons
        if one.get("factor") in {RiskFactor.NAICS, RiskFactor.COUNTRY, RiskFactor.OWNER_ABROAD}
    }


def _industry(code, rated):
    return code and format_html("{} {} {}", code, industry_name(code), rated.get(code, ""))


def _country(code, rated):
    name = COUNTRY_NAMES.name(code) if code in COUNTRIES else ""
    return code and format_html("{} {} {}", code, name, rated.get(code, ""))


def _address(address, rated):
    country = _country((address.get("country") or "").upper(), rated)
    return render_address({**address, "country": country})


def _facts(person, fields, rated):
    """Yield a fact for each declared field with a staff label, except encrypted fields."""
    for declared in fields:
        if declared.staff_label and declared.kind is not ValueType.ENCRYPTED_TEXT:
            value = getattr(person, declared.name)
            match declared.kind:
                case ValueType.DATE:
                    value = day(value)
                case ValueType.CHOICE:
                    value = dict(declared.choices).get(value, "")
            match declared.name:
                case "naics_code":
                    value = _industry(value, rated)
                case "id_country":
                    value = _country(value, rated)
            yield _fact(person, declared.staff_label, value, declared.name)


def _fact(person, label, value, *names):
    return Fact(label, value, _supplier(person, *names))


def _supplier(person, *names):
    """Return who supplied a value made of the fields `names`; empty if the partner did.

    If the fields have several suppliers, that of a corrected field is returned.
    """
    supplied = [name for name in names if name in person.supplied_by]
    return mark(person, max(supplied, key=person.corrected.__contains__)) if supplied else ""
