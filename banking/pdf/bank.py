"""The bank as its documents name it, from the settings."""

from django.conf import settings

from banking.pdf.letters import Intermediary
from banking.pdf.pages import Letterhead


def letterhead() -> Letterhead:
    """Return the bank's letterhead, which is the same on all documents."""
    return Letterhead(
        name=settings.BANK_NAME,
        address_lines=tuple(settings.BANK_ADDRESS),
        phone=settings.BANK_PHONE,
        website=settings.BANK_WEBSITE,
        routing_number=settings.BANK_ROUTING_NUMBER,
        swift=settings.BANK_SWIFT,
    )


def intermediary() -> Intermediary:
    """Return the bank through which wires from abroad arrive."""
    return Intermediary(
        name=settings.INTERMEDIARY_NAME,
        swift=settings.INTERMEDIARY_SWIFT,
        address_lines=tuple(settings.INTERMEDIARY_ADDRESS),
    )
