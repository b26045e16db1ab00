"""Overviews on the applicant's pages: people with their shares and the pages that edit them."""

from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from onboarding.flow.journeys import Journey
from onboarding.models import Lead, Owner
from onboarding.queries.leads import LeadFile
from onboarding.queries.steps import Step
from onboarding.services.leads.overviews import (
    Line,
    Shows,
    about_listed,
    known,
    nothing,
    share_of,
)


@dataclass(frozen=True)
class Holder:
    """A person on the list of people with shares: the applicant or an owner, no trust or company.

    `shows` decides which personal numbers are shown in full.
    """

    person: Lead | Owner
    is_applicant: bool
    is_control_person: bool
    edit_url: str
    shows: Shows = nothing

    @property
    def lines(self) -> list[Line]:
        """Return the known values of the person; those of the applicant begin with the name."""
        name = known((_("Name"), self.person.full_name)) if self.is_applicant else []
        return [*name, *about_listed(self.person, shows=self.shows)]

    @property
    def share(self) -> str:
        """Return the share of the business; empty if it is not known."""
        return share_of(self.person)


def list_holders(journey: Journey, file: LeadFile, *, shows: Shows = nothing) -> list[Holder]:
    """Return the applicant, then the other owners and control persons."""
    lead, marked = file.lead, file.control_person
    applicant = Holder(lead, True, marked is lead, journey.url(Step.YOU), shows)
    return [
        applicant,
        *(Holder(one, False, marked is one, owner_url(journey, one), shows) for one in file.owners),
    ]


def owner_url(journey: Journey, owner: Owner) -> str:
    """Return the path of the page about an owner: the form or, for an own part, the invitation."""
    name = "invitation" if owner.has_own_part else "owner"
    return journey.url(name, owner_id=owner.external_id)
