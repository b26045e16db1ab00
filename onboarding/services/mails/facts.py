"""Facts of mails, the variables of their templates, and the reasons not to send a mail."""

from typing import Any

from django.conf import settings

from onboarding.models import Partner

DEFAULT_COLOR = "#0f5b6e"  # of flow.css


class Overtaken(Exception):
    """The mail must be cancelled, because it is no longer true or useful."""


class CodeExpired(Exception):
    """The mail must be given up, because the code in it has expired."""


def facts_of_partner(partner: Partner) -> dict[str, Any]:
    """Return the template variables about the bank and the partner."""
    return {
        "bank_name": settings.BANK_NAME,
        "partner_name": in_one_line(partner.shown_name),
        "is_bank": partner.is_bank,
        "support_email": partner.support_email,
        "color": partner.brand_color or DEFAULT_COLOR,
    }


def in_one_line(name: str) -> str:
    """Return a name without line breaks, safe in headers and paragraphs."""
    return " ".join(name.split())
