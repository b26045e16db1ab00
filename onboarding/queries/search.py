"""Searches for leads: by what staff type, and by the fingerprint of a personal number."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from foundation.privacy.encryption import blind_index
from onboarding.models import Application, Lead, Owner, Partner

MOST_FOUND = 1000  # leads; who has more in hand types another word


@dataclass(frozen=True)
class NumberIndex:
    """The blind indexes of a number that may be an SSN or an EIN."""

    ssn: str
    ein: str


def search_leads(text: str) -> list[int]:
    """Return the keys of leads whose email, business name or partner's id has each of the words.

    An email or an id that is typed whole is looked up by itself; else the newest MOST_FOUND.
    """
    text = text.strip()
    if exact := _leads_of_each_partner(Q(email=text.lower()) | Q(unique_id=text)):
        return exact
    found = Lead.objects.order_by("-pk")
    for word in text.split():
        found = found.filter(
            Q(business_name__icontains=word)
            | Q(email__contains=word.lower())
            | Q(unique_id__startswith=word)
        )
    return list(found.values_list("pk", flat=True)[:MOST_FOUND])


def search_applications(text: str) -> list[int]:
    """Return the keys of applications by their own id, or of the leads that `search_leads` finds.

    A customer's id finds that lead's.
    """
    try:
        wanted = UUID(text.strip())
    except ValueError:
        of = Q(lead__in=search_leads(text))
    else:
        leads = list(Lead.objects.filter(external_id=wanted).values_list("pk", flat=True))
        of = Q(lead__in=leads) if leads else Q(external_id=wanted)
    return list(Application.objects.filter(of).values_list("pk", flat=True))


def index_number(typed: str) -> NumberIndex:
    """Return how a number is found that was typed whole, however it is punctuated."""
    return NumberIndex(ssn=blind_index(typed, context="ssn"), ein=blind_index(typed, context="ein"))


def find_leads_by_number(number: NumberIndex) -> list[int]:
    """Return the keys of leads that have the number, as their EIN or as anybody's SSN."""
    of_leads = Lead.objects.filter(Q(ssn_index=number.ssn) | Q(ein_index=number.ein))
    of_owners = Owner.objects.filter(ssn_index=number.ssn)
    return sorted(
        {*of_leads.values_list("pk", flat=True), *of_owners.values_list("lead", flat=True)}
    )


def _leads_of_each_partner(wanted: Q) -> list[int]:
    """Return the keys of few leads; the indexes that find them begin with the partner."""
    partners: Iterable[int] = Partner.objects.values_list("pk", flat=True)
    found = Lead.objects.filter(wanted, partner__in=list(partners))
    return list(found.values_list("pk", flat=True)[:MOST_FOUND])
