"""What is known of people and of the business, as lines to read; of numbers the last four."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from banking.choices import BusinessType
from foundation.privacy.masks import last_four
from onboarding.country_names import country_name
from onboarding.flow.forms.business import KINDS
from onboarding.flow.forms.fields import in_groups
from onboarding.flow.journeys import Journey, Step
from onboarding.flow.shares import percent
from onboarding.models import Lead, Owner
from onboarding.models.people import Person
from onboarding.places import STATES
from onboarding.queries.leads import LeadFile

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

ENDING = _("ending in %(last_four)s")
ON_FILE = _("on file")
ADDRESS = ("line1", "line2", "city", "state", "postal_code", "country")


@dataclass(frozen=True)
class Line:
    """A value with its name."""

    label: "StrOrPromise"
    value: "StrOrPromise"


@dataclass(frozen=True)
class Holder:
    """A person with the part that they have in the business."""

    person: Lead | Owner
    is_applicant: bool
    is_control_person: bool
    edit_url: str

    @property
    def lines(self) -> list[Line]:
        """Return what is known of the person, of the applicant the name, too."""
        name = _known((_("Name"), self.person.full_name)) if self.is_applicant else []
        return [*name, *about_person(self.person)]

    @property
    def share(self) -> str:
        """Return the part of the business; empty if it is not known."""
        return share_of(self.person)


def about_person(person: Lead | Owner) -> list[Line]:
    """Return what is known of a person beside the name, without what is empty."""
    return _known(
        (_("Email address"), person.email),
        (_("Phone number"), in_groups(person.phone_number)),
        (_("Date of birth"), _day(person.birth_date)),
        (_("Home address"), _address(_address_of(person))),
        (_("Social Security number or ITIN"), _number(person.ssn)),
        (_("Passport number"), _number(person.passport_number)),
        (_("National ID number"), _number(person.id_gov_number)),
        (_("Country that issued it"), country_name(person.id_country) if person.id_country else ""),
        (_("Valid until"), _day(person.id_expiration_date)),
        (_("Share of the business"), share_of(person)),
        (_("Title in the business"), person.title),
    )


def about_business(lead: Lead) -> list[Line]:
    """Return what is known of the business, without what is empty."""
    return _known(
        (_("Legal name of the business"), lead.business_name),
        (_("Type of business"), _kind(lead.business_type)),
        (_("Employer identification number (EIN)"), _number(lead.ein)),
        (_("State where it was formed"), _state(lead.incorporation_state)),
        (_("Industry (NAICS code)"), lead.naics_code),
        (_("D-U-N-S number"), lead.duns),
        (_("Business address"), _address(lead.business_address)),
        (_("Mailing address"), _address(lead.mailing_address)),
        *((one.get("question", ""), one.get("answer", "")) for one in lead.edd_answers),
    )


def list_holders(journey: Journey, file: LeadFile) -> list[Holder]:
    """Return everybody who owns or controls the business, the applicant first."""
    lead, marked = file.application.lead, file.control_person
    applicant = Holder(lead, True, marked is lead, journey.url(Step.YOU))
    return [
        applicant,
        *(Holder(one, False, marked is one, owner_url(journey, one)) for one in file.owners),
    ]


def owner_url(journey: Journey, owner: Owner) -> str:
    """Return where the applicant corrects an owner."""
    return journey.url("owner", owner_id=owner.external_id)


def _known(*pairs: tuple["StrOrPromise", "StrOrPromise"]) -> list[Line]:
    return [Line(label, value) for label, value in pairs if value]


def _address_of(person: Person) -> Mapping[str, Any]:
    if isinstance(person, Owner):
        return person.address
    return {name: getattr(person, name) for name in ADDRESS}


def _address(parts: Mapping[str, Any]) -> str:
    place = " ".join(filter(None, (parts.get("state"), parts.get("postal_code"))))
    country = parts.get("country")
    lines = [
        parts.get("line1"),
        parts.get("line2"),
        parts.get("city"),
        place,
        country_name(country) if country and country != "US" else "",
    ]
    return ", ".join(filter(None, lines))


def _number(number: str) -> "StrOrPromise":
    if not number:
        return ""
    shown = last_four(number)
    return ENDING % {"last_four": shown} if shown else ON_FILE


def _kind(business_type: str) -> "StrOrPromise":
    return KINDS[BusinessType(business_type)].name if business_type else ""


def _state(code: str) -> str:
    return STATES.get(code, code)


def _day(day: date | None) -> str:
    return date_format(day) if day else ""


def share_of(person: Person) -> str:
    """Return the part of the business that a person holds; empty if it is not known."""
    return "" if person.ownership_percent is None else percent(person.ownership_percent)
