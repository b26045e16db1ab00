"""The bank as a partner: it registers the applicants whom no company registers."""

from onboarding.models import Partner
from onboarding.models.partners import BANK_ID

NAME = "The bank itself"  # for staff; applicants read BANK_NAME


def get_bank_partner() -> Partner:
    """Return the partner that stands for the bank; its first use creates it."""
    partner, _is_new = Partner.objects.get_or_create(external_id=BANK_ID, defaults={"name": NAME})
    return partner
