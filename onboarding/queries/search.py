"""Searches for leads and applications, by words or by the blind index of a number."""

import re
from collections.abc import Iterable, Sequence
from uuid import UUID

import phonenumbers
from django.db.models import Q

from foundation.database import trigrams
from foundation.privacy.encryption import blind_indexes
from onboarding.models import Application, Lead, Owner, Partner
from onboarding.models.applications import DIGITS, REFERENCE

REFERENCE_SHAPE = re.compile(rf"[0-9a-f]{{{DIGITS}}}")
MAX_FOUND = 1000  # leads; a longer result needs a narrower search
LEAD_WORDS = ["business_name", "first_name", "last_name", "email", "unique_id"]
BUSINESS_WORDS = ["legal_name", "email"]
PERSON_WORDS = ["first_name", "last_name", "email"]
PHONE_SHAPE = re.compile(r"\+?[\d\s().\-/]{7,24}")


def search_leads(text: str, *, may_be_similar: bool = True) -> list[int]:
    """Return the keys of leads by words of names, email or partner's id, or by phone number.

    The names are those of the business, the applicant and the owners; words with typing errors
    count if no lead has the words and `may_be_similar`. Leads with exactly this email or id come
    alone. At most MAX_FOUND, the best first; by words, at most those of 500 leads and 500 owners.
    """
    text = text.strip()
    if exact := find_leads_by_email_or_id(text):
        return exact
    if phones := read_phone_numbers(text):
        of_owners = Owner.objects.filter(phone_number__in=phones).values_list("lead", flat=True)
        of_leads = Lead.objects.filter(phone_number__in=phones).values_list("pk", flat=True)
        if found := [*of_leads[:MAX_FOUND], *of_owners[:MAX_FOUND]]:
            return list(dict.fromkeys(found))[:MAX_FOUND]
    words = text.split()
    with trigrams.tolerance():
        found = _find_by_words(words)
        if may_be_similar and not found:
            found = _find_by_words(words, is_tolerant=True)
    return found[:MAX_FOUND]


def _find_by_words(words: Sequence[str], *, is_tolerant: bool = False) -> list[int]:
    """Return the keys of leads by words of the lead or of an owner."""
    leads = trigrams.find(Lead.objects.all(), LEAD_WORDS, words, is_tolerant=is_tolerant)
    owners = trigrams.find(Owner.objects.all(), PERSON_WORDS, words, is_tolerant=is_tolerant)
    if owners:
        leads += Owner.objects.filter(pk__in=owners).values_list("lead", flat=True)
    return list(dict.fromkeys(leads))


def search_applications(text: str, *, may_be_similar: bool = True) -> list[int]:
    """Return the keys of applications by a text: reference, id, customer id, or words.

    For a customer id and for words, as of `search_leads`, they are all attempts of the leads.
    """
    if found := find_by_reference(text):
        return found
    wanted = read_uuid(text)
    if wanted is None:
        of = Q(lead__in=search_leads(text, may_be_similar=may_be_similar))
    else:
        leads = list(Lead.objects.filter(external_id=wanted).values_list("pk", flat=True))
        of = Q(lead__in=leads) if leads else Q(external_id=wanted)
    return list(Application.objects.filter(of).values_list("pk", flat=True))


def find_partners(text: str) -> list[int]:
    """Return the keys of partners whose names have all words of a text."""
    words = (Q(name__icontains=word) for word in text.split())
    return list(Partner.objects.filter(*words).values_list("pk", flat=True))


def read_uuid(text: str) -> UUID | None:
    """Return the id that a text is; None for any other text."""
    try:
        return UUID(text.strip())
    except ValueError:
        return None


def read_phone_numbers(text: str) -> list[str]:
    """Return the phone numbers that a text can be, in E.164; a US number needs no country code."""
    if not PHONE_SHAPE.fullmatch(text.strip()):
        return []
    found = []
    for region, typed in (("US", text), (None, f"+{text.strip().lstrip('+')}")):
        try:
            number = phonenumbers.parse(typed, region)
        except phonenumbers.NumberParseException:
            continue
        if phonenumbers.is_possible_number(number):
            style = phonenumbers.PhoneNumberFormat.E164
            found.append(phonenumbers.format_number(number, style))
    return list(dict.fromkeys(found))


def find_by_reference(text: str) -> list[int]:
    """Return the keys of applications whose `reference` is the text, in upper or lower case."""
    digits = text.strip().replace("-", "").lower()
    if not REFERENCE_SHAPE.fullmatch(digits):
        return []
    found = Application.objects.alias(reference_digits=REFERENCE).filter(reference_digits=digits)
    return list(found.values_list("pk", flat=True))


def index_number(typed: str) -> dict[str, list[str]]:
    """Return the blind indexes of a complete number under each key, by `ssn` and `ein`.

    Punctuation is ignored.
    """
    return {kind: blind_indexes(typed, context=kind) for kind in ("ssn", "ein")}


def index_last_four(digits: str) -> dict[str, list[str]]:
    """Return the blind indexes of the last four digits of a number under each key.

    By `ssn` and `ein`.
    """
    return {kind: blind_indexes(digits, context=f"{kind} last four") for kind in ("ssn", "ein")}


def find_leads_by_email_or_id(text: str) -> list[int]:
    """Return the keys of leads with exactly this email or partner's id.

    Looked up by partner, so that indexes on the partner are used.
    """
    partners: Iterable[int] = Partner.objects.values_list("pk", flat=True)
    wanted = Q(email=text.lower()) | Q(unique_id=text)
    found = Lead.objects.filter(wanted, partner__in=list(partners))
    return list(found.values_list("pk", flat=True)[:MAX_FOUND])
