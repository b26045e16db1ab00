"""What everybody owns of the business, as the pages add it up."""

from dataclasses import dataclass
from decimal import Decimal

from django.utils.formats import number_format

from onboarding.models.people import Person
from onboarding.queries.leads import LeadFile
from onboarding.validators import WHOLE, ownership_total


@dataclass(frozen=True)
class Shares:
    """The share of one person and what the others own; who is named twice owns the larger share.

    Units: percent.
    """

    others: Decimal
    elsewhere: Decimal
    own: Decimal

    @property
    def this(self) -> Decimal:
        """Return what this person adds."""
        return max(self.own, self.elsewhere)

    @property
    def total(self) -> Decimal:
        """Return what all of them own together."""
        return self.others + self.this

    @property
    def shown(self) -> str:
        """Return the total as people read it."""
        return percent(self.total)

    @property
    def is_too_much(self) -> bool:
        """Say whether they own more than there is."""
        return self.total > WHOLE


def percent(share: Decimal) -> str:
    """Return a share as people read it, in their language: 33,3 %."""
    return f"{number_format(f'{share.normalize():f}')} %"


def shares_beside(person: Person, file: LeadFile, *, own: Decimal) -> Shares:
    """Return the share of a person, `own`, beside what the others own."""
    everybody: list[Person] = [file.application.lead, *file.owners]
    others = [other for other in everybody if other is not person and other != person]
    same = [other for other in others if person.email and other.email == person.email]
    rest = [vars(other) for other in others if other not in same]
    elsewhere = [other.ownership_percent or Decimal(0) for other in same]
    return Shares(ownership_total(None, None, rest), max(elsewhere, default=Decimal(0)), own)
