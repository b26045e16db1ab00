"""Shares: the sums of ownership that the pages show."""

from dataclasses import dataclass
from decimal import Decimal

from onboarding.models.people import Person
from onboarding.queries.leads import LeadFile
from onboarding.services.leads.overviews import percent
from onboarding.validators import WHOLE, ownership_total


@dataclass(frozen=True)
class Shares:
    """The share of one person beside the shares of the others. Units: percent.

    `elsewhere` is the share in other entries with the same email; the larger share counts.
    """

    others: Decimal
    elsewhere: Decimal
    own: Decimal

    @property
    def this(self) -> Decimal:
        """Return the person's share, the largest of all entries with the same email."""
        return max(self.own, self.elsewhere)

    @property
    def total(self) -> Decimal:
        """Return the sum of all shares."""
        return self.others + self.this

    @property
    def shown(self) -> str:
        """Return the total in the reader's format."""
        return percent(self.total)

    @property
    def is_too_much(self) -> bool:
        """Return whether the shares exceed 100 percent."""
        return self.total > WHOLE


def shares_beside(person: Person, file: LeadFile, *, own: Decimal) -> Shares:
    """Return the share `own` of a person, in a form, with the shares of all others.

    The others are people, and the trusts and companies that hold the business itself. Entries with
    the same email are the same person.
    """
    others = [other for other in file.people if other is not person and other != person]
    same = [other for other in others if person.email and other.email == person.email]
    rest = [vars(other) for other in others if other not in same]
    elsewhere = [other.ownership_percent or Decimal(0) for other in same]
    through = sum((one.share for one in file.holdings), start=Decimal(0))
    return Shares(
        ownership_total(None, None, rest) + through, max(elsewhere, default=Decimal(0)), own
    )
