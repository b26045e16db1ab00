"""How a paper that adds something up begins: what it is, for whom, about what, and its sums."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO

from banking.money import usd_text
from banking.papers.blocks import Fact, draw_address, draw_key_figures, draw_title
from banking.papers.pages import Letterhead, Paper


@dataclass(frozen=True)
class Opening:
    """The beginning of one paper, as shown; `figures` end with the outcome."""

    title: str
    about: str  # which of its kind: the period or the purchase
    subject: str  # what the heads of later pages name beside it
    addressee: Sequence[str]
    facts: Sequence[Fact]
    figures: Sequence[Fact]
    subtitle: str = ""  # where it says more than `about`


def open_paper(target: BinaryIO, opening: Opening, *, head: Letterhead, made_at: datetime) -> Paper:
    """Begin a paper and return it; what follows the key figures is its own."""
    paper = Paper(
        target,
        title=f"{opening.title}, {opening.about}",
        subject=opening.subject,
        head=head,
        made_at=made_at,
    )
    draw_title(paper, opening.title, opening.subtitle or opening.about)
    draw_address(paper, opening.addressee, opening.facts)
    draw_key_figures(paper, opening.figures)
    return paper


def amounts(cents: Mapping[str, int]) -> list[Fact]:
    """Return figures that are amounts."""
    return [Fact(label, usd_text(amount)) for label, amount in cents.items()]
