"""Preparations: the numbers and papers that an applicant should have ready, and the time it takes.

The page is public, so it names kinds of answers and documents, and no value.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from onboarding.flow.forms.control import may_lack_owners
from onboarding.lazy_texts import StrOrPromise
from onboarding.models import Application
from onboarding.queries.leads import LeadFile, open_lead_file
from onboarding.queries.requirements import Kind

TO_SIGN = 2.0  # minutes, to read and sign
PER_FIELD, PER_DOCUMENT, UNKNOWN_TYPE = 0.4, 0.5, 2.0  # minutes
IDENTIFICATION = _("Your Social Security number, or your passport")
EIN = _("The EIN of the business")
OWN_EIN = _("The EIN of the business, unless you do business alone and in your own name")
FORMATION = _("The formation documents of the business, if it is registered with a state")
CARD = _("Your driver's license or another identification, if you do business alone")
OWNERS = _(
    "The name, address and date of birth of everyone who owns 25 percent or more of the business"
)


@dataclass(frozen=True)
class Preparation:
    """A list of the things to have ready, and the minutes that the application takes."""

    items: list[StrOrPromise]
    minutes: int


def prepare(application: Application) -> Preparation:
    """Return the things to have ready for what is missing, and the minutes to fill it in."""
    file = open_lead_file(application)
    fields = [one for one in file.requirements if one.kind in {Kind.FIELD, Kind.EDD}]
    documents = [one for one in file.requirements if one.kind == Kind.DOCUMENT and one.is_awaited]
    minutes = TO_SIGN + PER_FIELD * len(fields) + PER_DOCUMENT * len(documents)
    minutes += 0 if file.lead.business_type else UNKNOWN_TYPE
    return Preparation(list(_items(file)), math.ceil(minutes))


def _items(file: LeadFile) -> Iterator[StrOrPromise]:
    codes = {(one.code, one.ubo_id) for one in file.requirements}
    kind = file.lead.business_type
    if ("IDENTIFICATION_MISSING", None) in codes:
        yield IDENTIFICATION
    if not kind:
        yield from (OWN_EIN, FORMATION, CARD)
    elif ("EIN_MISSING", None) in codes:
        yield EIN
    for one in file.requirements:
        if one.kind == Kind.DOCUMENT and one.is_awaited:
            yield str(one.message).rstrip(".")
    if any(ubo_id for _code, ubo_id in codes) or may_lack_owners(file):
        yield OWNERS
