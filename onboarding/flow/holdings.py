"""Holdings: the trusts and companies that hold the business, as a tree for the reader."""

from collections.abc import Iterable
from dataclasses import dataclass

from onboarding.flow.journeys import Journey
from onboarding.flow.members import name_of
from onboarding.lazy_texts import StrOrPromise
from onboarding.models import Lead, Owner
from onboarding.queries.holdings import THRESHOLD, Holding, add_up
from onboarding.services.leads.overviews import percent


@dataclass(frozen=True)
class Branch:
    """A line of the tree, with the lines below it; without a kind it is a person.

    `share` is the share of the line above or, in the first line, of the business. `of_business` is
    the share of the business. Both are formatted for the reader.
    """

    name: StrOrPromise
    share: str
    of_business: str
    kind: StrOrPromise = ""
    edit_url: str = ""
    is_unexplained: bool = False
    is_empty: bool = False  # nobody is named behind it
    branches: tuple["Branch", ...] = ()


@dataclass(frozen=True)
class Total:
    """The share of the business that a person holds, directly and through trusts or companies."""

    name: StrOrPromise
    share: str
    is_owner: bool  # of 25 percent or more


def branches(holdings: Iterable[Holding], journey: Journey | None = None) -> list[Branch]:
    """Return the lines of the trees; with a journey, each trust or company has a URL to edit it."""
    return [
        Branch(
            one.holder.name,
            percent(one.share),
            percent(one.of_business),
            one.holder.get_kind_display(),
            journey.url("holder", holder_id=one.holder.external_id) if journey else "",
            one.is_unexplained,
            not (one.held or one.holder.is_rest_small),
            (
                *(
                    Branch(name_of(of.person), percent(of.share), percent(of.of_business))
                    for of in one.stakes
                ),
                *branches(one.holdings, journey),
            ),
        )
        for one in holdings
    ]


def list_totals(people: list[Lead | Owner], holdings: list[Holding]) -> list[Total]:
    """Return the total share of each person; an empty list without trusts and companies."""
    if not holdings:
        return []
    shares = add_up(people, holdings)
    return [
        Total(name_of(one), percent(shares[one.external_id]), shares[one.external_id] >= THRESHOLD)
        for one in people
    ]
