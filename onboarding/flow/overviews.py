"""Overviews: labelled values of people and of the business; numbers show four digits."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from banking.choices import BusinessType
from foundation.privacy.masks import last_four
from onboarding.country_names import country_name
from onboarding.flow.forms.business import KINDS
from onboarding.flow.forms.fields import in_groups
from onboarding.flow.journeys import Journey, Step
from onboarding.flow.shares import percent
from onboarding.geography import STATES
from onboarding.lazy_texts import StrOrPromise
from onboarding.lead_fields import BUSINESS, PERSON, LeadField, ValueType
from onboarding.models import Lead, Owner
from onboarding.models.people import Person
from onboarding.queries.leads import LeadFile
from onboarding.services.leads.drafts import STATED

ENDING = _("ending in %(last_four)s")
ON_FILE = _("on file")
WAITED_FOR, COMPLETED = _("not completed yet"), _("completed by the owner")


@dataclass(frozen=True)
class Line:
    """A label and a value."""

    label: StrOrPromise
    value: StrOrPromise


@dataclass(frozen=True)
class Holder:
    """A person and their share in the business."""

    person: Lead | Owner
    is_applicant: bool
    is_control_person: bool
    edit_url: str

    @property
    def lines(self) -> list[Line]:
        """Return the known values of the person; of the applicant with the name.

        Of an owner with their own part, only the share and the standing of the part.
        """
        if isinstance(self.person, Owner) and self.person.has_own_part:
            standing = WAITED_FOR if self.person.is_waited_for else COMPLETED
            return _known((_("Share of the business"), self.share), (_("Own part"), standing))
        name = _known((_("Name"), self.person.full_name)) if self.is_applicant else []
        return [*name, *about_person(self.person)]

    @property
    def share(self) -> str:
        """Return the share of the business; empty if it is not known."""
        return share_of(self.person)


def about_person(person: Lead | Owner) -> list[Line]:
    """Return the known values of a person, without the name."""
    return _known(
        (_("Email address"), person.email),
        *_lines(person, [one for one in PERSON if one.name in BEFORE_ADDRESS]),
        (_("Home address"), _address(person.home)),
        *_lines(person, [one for one in PERSON if one.name not in {*BEFORE_ADDRESS, *NAMES}]),
    )


def about_own_part(owner: Owner) -> list[Line]:
    """Return the values that an owner signs for, with the name."""
    own = [one for one in PERSON if one.name not in {*BEFORE_ADDRESS, *NAMES, *STATED}]
    return _known(
        (_("Name"), owner.full_name),
        *_lines(owner, [one for one in PERSON if one.name in BEFORE_ADDRESS]),
        (_("Home address"), _address(owner.home)),
        *_lines(owner, own),
        (_("Share of the business"), share_of(owner)),
    )


def about_business(lead: Lead) -> list[Line]:
    """Return the known values of the business."""
    return _known(
        *_lines(lead, BUSINESS),
        (_("Business address"), _address(lead.business_address)),
        (_("Mailing address"), _address(lead.mailing_address)),
        *((one.get("question", ""), one.get("answer", "")) for one in lead.edd_answers),
    )


def list_holders(journey: Journey, file: LeadFile) -> list[Holder]:
    """Return the applicant, then the other owners and control persons."""
    lead, marked = file.lead, file.control_person
    applicant = Holder(lead, True, marked is lead, journey.url(Step.YOU))
    return [
        applicant,
        *(Holder(one, False, marked is one, owner_url(journey, one)) for one in file.owners),
    ]


def owner_url(journey: Journey, owner: Owner) -> str:
    """Return the path of the page that edits an owner."""
    name = "invitation" if owner.has_own_part else "owner"
    return journey.url(name, owner_id=owner.external_id)


def _lines(
    person: Person, fields: Iterable[LeadField]
) -> Iterator[tuple[StrOrPromise, StrOrPromise]]:
    """Yield label and text of the values that have a label."""
    for declared in fields:
        if declared.label:
            label = OTHER_LABELS.get(declared.name, declared.label)
            yield label, _text(declared, getattr(person, declared.name))


def _text(declared: LeadField, value: Any) -> StrOrPromise:
    if value in (None, ""):
        return ""
    if declared.name in TEXTS:
        return TEXTS[declared.name](value)
    return KIND_TEXTS.get(declared.kind, str)(value)


def _known(*pairs: tuple[StrOrPromise, StrOrPromise]) -> list[Line]:
    return [Line(label, value) for label, value in pairs if value]


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


def _number(number: str) -> StrOrPromise:
    shown = last_four(number)
    return ENDING % {"last_four": shown} if shown else ON_FILE


def share_of(person: Person) -> str:
    """Return a person's share of the business; empty if it is not known."""
    return "" if person.ownership_percent is None else percent(person.ownership_percent)


BEFORE_ADDRESS = ("phone_number", "birth_date")
NAMES = ("first_name", "last_name")  # the heading of a person
OTHER_LABELS = {"ownership_percent": _("Share of the business")}
TEXTS: Mapping[str, Callable[[Any], StrOrPromise]] = {
    "phone_number": in_groups,
    "id_country": country_name,
    "business_type": lambda business_type: KINDS[BusinessType(business_type)].name,
    "incorporation_state": lambda code: STATES.get(code, code),
}
KIND_TEXTS: Mapping[ValueType, Callable[[Any], StrOrPromise]] = {
    ValueType.ENCRYPTED_TEXT: _number,
    ValueType.DATE: date_format,
    ValueType.PERCENT: percent,
}
