"""Reads of holdings: who holds the business, through trusts and companies, to any depth."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from uuid import UUID

from onboarding.models import Holder, Lead, Owner, Stake
from onboarding.validators import WHOLE

THRESHOLD = Decimal(25)  # percent; source: 31 CFR 1010.230(d)(1)


@dataclass(frozen=True)
class Holding:
    """A trust or a company that holds the business, or a share of another one. Units: percent.

    `share` is its share of the business or of its parent, `of_business` its share of the business,
    which is the product of the shares on the way up. `stakes` are the shares of people in it, and
    `holdings` the trusts and companies that hold it.
    """

    holder: Holder
    of_business: Decimal
    stakes: list["Share"] = field(default_factory=list)
    holdings: list["Holding"] = field(default_factory=list)

    @property
    def share(self) -> Decimal:
        """Return its share of the business or, if it has a parent, of the parent."""
        return self.holder.share_percent

    @property
    def held(self) -> Decimal:
        """Return the sum of the shares in it of the people, trusts and companies that are named."""
        shares = [one.share for one in self.stakes] + [one.share for one in self.holdings]
        return sum(shares, start=Decimal(0))

    @property
    def is_unexplained(self) -> bool:
        """Return whether somebody not named may hold 25 percent of the business or more through it.

        False if the answer was given that nobody else does.
        """
        rest = self.of_business * (WHOLE - self.held) / WHOLE
        return rest >= THRESHOLD and not self.holder.is_rest_small


@dataclass(frozen=True)
class Share:
    """A person's share of a holder. Units: percent, of the holder and of the business."""

    person: Lead | Owner
    share: Decimal
    of_business: Decimal


def list_holdings(lead: Lead, people: list[Lead | Owner]) -> list[Holding]:
    """Return the trusts and companies that hold the business, as trees; two statements.

    `people` are the applicant and the owners.
    """
    holders = list(Holder.objects.filter(lead=lead).order_by("pk"))
    if not holders:
        return []
    stakes = list(Stake.objects.filter(holder__lead=lead).order_by("pk"))
    persons = {person.pk if person.ubo_id else None: person for person in people}

    def branch(parent: Holder | None, whole: Decimal) -> list[Holding]:
        return [
            Holding(
                holder,
                of_business := whole * holder.share_percent / WHOLE,
                [
                    Share(
                        persons[one.owner_id],
                        one.share_percent,
                        of_business * one.share_percent / WHOLE,
                    )
                    for one in stakes
                    if one.holder_id == holder.pk
                ],
                branch(holder, of_business),
            )
            for holder in holders
            if holder.parent_id == (parent.pk if parent else None)
        ]

    return branch(None, WHOLE)


def walk(holdings: list[Holding]) -> Iterator[Holding]:
    """Yield every holding of the trees, each before those that hold it."""
    for holding in holdings:
        yield holding
        yield from walk(holding.holdings)


def add_up(people: list[Lead | Owner], holdings: list[Holding]) -> dict[UUID, Decimal]:
    """Return each person's share of the business, direct and through others, by external id.

    Units: percent.
    """
    total = {one.external_id: one.ownership_percent or Decimal(0) for one in people}
    for holding in walk(holdings):
        for stake in holding.stakes:
            total[stake.person.external_id] += stake.of_business
    return total
