"""Members: the rows of the list of owners."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from onboarding.flow.journeys import Journey
from onboarding.lazy_texts import StrOrPromise
from onboarding.models import Lead, Owner
from onboarding.queries.leads import LeadFile
from onboarding.queries.steps import Step, step_of
from onboarding.services.leads.overviews import percent

NAMELESS = _("Owner with no name yet")
UNKNOWN = "?"


@dataclass(frozen=True)
class Member:
    """A person on the list of owners, with links to edit or remove the person.

    `ask_url` is the page that asks an owner by mail to fill in their own part.
    """

    person: Lead | Owner
    edit_url: str
    remove_url: str
    ask_url: str
    is_applicant: bool
    is_control_person: bool
    is_incomplete: bool

    @property
    def name(self) -> StrOrPromise:
        """Return the name on the list."""
        return name_of(self.person)

    @property
    def is_waited_for(self) -> bool:
        """Return whether the person is an invited owner who has not completed their part."""
        return isinstance(self.person, Owner) and self.person.is_waited_for

    @property
    def is_completed(self) -> bool:
        """Return whether the person is an owner who has completed their own part."""
        return isinstance(self.person, Owner) and self.person.is_completed

    @property
    def share(self) -> str:
        """Return the share of the business in the reader's format; a question mark if unknown."""
        share = self.person.ownership_percent
        return UNKNOWN if share is None else percent(share)


def list_members(journey: Journey, file: LeadFile) -> list[Member]:
    """Return the applicant, then the other owners.

    An owner with the applicant's email is marked as the applicant, too.
    """
    lead = file.lead
    applicant = Member(
        lead,
        f"{journey.url('business')}#id_ownership_percent",
        remove_url="",
        ask_url="",
        is_applicant=True,
        is_control_person=file.control_person is lead,
        is_incomplete=Step.YOU in map(step_of, file.requirements),
    )
    incomplete = {requirement.ubo_id for requirement in file.requirements}
    owners = [
        Member(
            owner,
            _url(journey, "invitation" if owner.has_own_part else "owner", owner),
            _url(journey, "remove_owner", owner),
            "" if owner.has_own_part else _url(journey, "invitation", owner),
            is_applicant=owner.email == lead.email,
            is_control_person=file.control_person is owner,
            is_incomplete=owner.external_id in incomplete,
        )
        for owner in file.owners
    ]
    return [applicant, *owners]


def _url(journey: Journey, name: str, owner: Owner) -> str:
    return journey.url(name, owner_id=owner.external_id)


def name_of(person: Lead | Owner) -> StrOrPromise:
    """Return the person's name, else the email, else a placeholder."""
    return person.full_name or person.email or NAMELESS
