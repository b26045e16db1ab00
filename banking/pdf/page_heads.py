"""Draw the head of a document with sums: its title, its addressee, its subject, and the sums."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import BinaryIO

from banking.money import usd_text
from banking.pdf.blocks import Fact, draw_address, draw_key_figures, draw_title
from banking.pdf.pages import Letterhead, PdfDocument


@dataclass(frozen=True)
class PageHead:
    """The texts of the head of a document; the last of the `figures` is the result."""

    title: str
    about: str  # the period or the purchase
    subject: str  # named beside the title on later pages
    addressee: Sequence[str]
    facts: Sequence[Fact]
    figures: Sequence[Fact]
    subtitle: str = ""  # shown in place of `about`


def start_document(
    target: BinaryIO, page_head: PageHead, *, head: Letterhead, made_at: datetime
) -> PdfDocument:
    """Draw the head of a new document and return the document; the caller draws the rest."""
    document = PdfDocument(
        target,
        title=f"{page_head.title}, {page_head.about}",
        subject=page_head.subject,
        head=head,
        made_at=made_at,
    )
    draw_title(document, page_head.title, page_head.subtitle or page_head.about)
    draw_address(document, page_head.addressee, page_head.facts)
    draw_key_figures(document, page_head.figures)
    return document


def amounts(cents: Mapping[str, int]) -> list[Fact]:
    """Return figures with amounts in dollars, from cents by label."""
    return [Fact(label, usd_text(amount)) for label, amount in cents.items()]
