"""Searches for leads and applications, by words or by the blind index of a number."""

import re
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from django.db.models import Q

from foundation.privacy.encryption import blind_indexes
from onboarding.models import Application, Lead, Owner, Partner
from onboarding.models.applications import DIGITS, REFERENCE

REFERENCE_SHAPE = re.compile(rf"[0-9a-f]{{{DIGITS}}}")
MAX_FOUND = 1000  # leads; a longer result needs a narrower search


def search_leads(text: str) -> list[int]:
    """Return the keys of leads that match each word by email, business name or partner's id.

    Leads with exactly this email or id come alone; else the newest MAX_FOUND matches.
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
    return list(found.values_list("pk", flat=True)[:MAX_FOUND])


def search_applications(text: str) -> list[int]:
    """Return the keys of applications by id, customer's id, reference or `search_leads`."""
    if found := _find_by_reference(text):
        return found
    try:
        wanted = UUID(text.strip())
    except ValueError:
        of = Q(lead__in=search_leads(text))
    else:
        leads = list(Lead.objects.filter(external_id=wanted).values_list("pk", flat=True))
        of = Q(lead__in=leads) if leads else Q(external_id=wanted)
    return list(Application.objects.filter(of).values_list("pk", flat=True))


def _find_by_reference(text: str) -> list[int]:
    """Return the keys of applications whose `reference` is the text, in upper or lower case."""
    digits = text.strip().replace("-", "").lower()
    if not REFERENCE_SHAPE.fullmatch(digits):
        return []
    found = Application.objects.alias(reference_digits=REFERENCE).filter(reference_digits=digits)
    return list(found.values_list("pk", flat=True))


def index_number(typed: str) -> dict[str, list[str]]:
    """Return the blind indexes of a complete number under each key. Ignores punctuation."""
    return {kind: blind_indexes(typed, context=kind) for kind in ("ssn", "ein")}


def find_leads_by_number(number: Mapping[str, Sequence[str]]) -> list[int]:
    """Return the keys of leads with this EIN, or with this SSN of the applicant or an owner."""
    of_leads = Lead.objects.filter(Q(ssn_index__in=number["ssn"]) | Q(ein_index__in=number["ein"]))
    of_owners = Owner.objects.filter(ssn_index__in=number["ssn"])
    return sorted(
        {*of_leads.values_list("pk", flat=True), *of_owners.values_list("lead", flat=True)}
    )


def _leads_of_each_partner(wanted: Q) -> list[int]:
    """Return the keys of leads, looked up by partner so that indexes on the partner are used."""
    partners: Iterable[int] = Partner.objects.values_list("pk", flat=True)
    found = Lead.objects.filter(wanted, partner__in=list(partners))
    return list(found.values_list("pk", flat=True)[:MAX_FOUND])
