"""What is still missing before an application can be decided: one list for everybody."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import models

from banking.choices import BusinessType
from onboarding.choices import DocumentStatus, LlcFileType
from onboarding.models import Document, DocumentRule, Lead, Owner
from onboarding.models.people import Person


class Kind(models.TextChoices):
    """What is missing."""

    FIELD = "FIELD"
    DOCUMENT = "DOCUMENT"
    IDENTITY = "IDENTITY"
    EDD = "EDD"


class Party(models.TextChoices):
    """Who can supply it."""

    APPLICANT = "APPLICANT"
    PARTNER = "PARTNER"


@dataclass(frozen=True)
class Requirement:
    """One thing that is missing; `target` is a JSON pointer into the lead, or into the owner.

    `alternatives` are further pointers, to what would do as well or belongs to it.
    """

    code: str
    kind: Kind
    target: str
    message: str
    ubo_id: UUID | None = None
    accepted_types: tuple[str, ...] = ()
    satisfiable_by: tuple[Party, ...] = (Party.APPLICANT, Party.PARTNER)
    due_date: datetime | None = None
    alternatives: tuple[str, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """Return the pointers of everything that may be sent to satisfy it."""
        return self.target, *self.alternatives


SUPPLIED = {DocumentStatus.RECEIVED, DocumentStatus.ACCEPTED}
PERSON_FIELDS = {
    "first_name": ("/firstName", "First name"),
    "last_name": ("/lastName", "Last name"),
    "birth_date": ("/birthDate", "Date of birth"),
    "phone_number": ("/phoneNumber", "Phone number"),
}
LEAD_FIELDS = {
    **PERSON_FIELDS,
    "ownership_percent": ("/ownershipPercent", "Share of the business"),
    "business_name": ("/businessName", "Name of the business"),
    "business_type": ("/businessType", "Type of the business"),
    "business_address": ("/businessAddress", "Address of the business"),
    "naics_code": ("/naicsCode", "Industry (NAICS code)"),
}
ADDRESS_FIELDS = {
    "line1": ("/line1", "Home address"),
    "city": ("/city", "City"),
}
US_ADDRESS_FIELDS = {
    **ADDRESS_FIELDS,
    "state": ("/state", "State"),
    "postal_code": ("/postalCode", "Postal code"),
}
OWNER_FIELDS = {
    **PERSON_FIELDS,
    "email": ("/email", "Email address"),
    "address": ("/address", "Home address"),
    "ownership_percent": ("/ownershipPercent", "Share of the business"),
}
REGISTERED_FIELDS = {
    "ein": ("/ein", "Employer identification number (EIN)"),
    "incorporation_state": ("/incorporationState", "State of incorporation"),
}
SOLE_PROPRIETORS = {BusinessType.SSN, BusinessType.DBA}


def list_requirements(
    lead: Lead,
    *,
    owners: Iterable[Owner],
    documents: Iterable[Document],
    rules: Iterable[DocumentRule],
) -> list[Requirement]:
    """Return what is missing, in the order in which the applicant is asked for it."""
    supplied = {document.llc_file_type for document in documents if document.status in SUPPLIED}
    return [
        *_missing_fields(lead, LEAD_FIELDS),
        *_missing_address(lead),
        *_missing_identification(lead),
        *_missing_registration(lead),
        *(missing for owner in owners for missing in _missing_of_owner(owner)),
        *_missing_documents(lead, supplied, rules),
    ]


def _missing_fields(
    person: Person,
    fields: dict[str, tuple[str, str]],
    ubo_id: UUID | None = None,
    *,
    alternatives: tuple[str, ...] = (),
) -> Iterator[Requirement]:
    for name, (target, label) in fields.items():
        if getattr(person, name) in (None, "", {}):
            yield Requirement(
                f"{name.upper()}_MISSING",
                Kind.FIELD,
                target,
                f"{label} is missing.",
                ubo_id,
                alternatives=alternatives,
            )


def _missing_address(lead: Lead) -> Iterator[Requirement]:
    """Ask for a state and a postal code where every address has them."""
    fields = US_ADDRESS_FIELDS if lead.country in {"", "US"} else ADDRESS_FIELDS
    whole = ("/line1", "/line2", "/city", "/state", "/postalCode", "/country")
    yield from _missing_fields(lead, fields, alternatives=whole)


def _missing_identification(person: Person, ubo_id: UUID | None = None) -> Iterator[Requirement]:
    if not (person.ssn or person.passport_number or person.id_gov_number):
        yield Requirement(
            "IDENTIFICATION_MISSING",
            Kind.FIELD,
            "/ssn",
            "An SSN, or the passport or national ID number of a non-US person, is missing.",
            ubo_id,
            alternatives=("/passportNumber", "/idGovNumber", "/idCountry", "/idExpirationDate"),
        )


def _missing_registration(lead: Lead) -> Iterator[Requirement]:
    if lead.business_type and lead.business_type not in SOLE_PROPRIETORS:
        yield from _missing_fields(lead, REGISTERED_FIELDS)


def _missing_of_owner(owner: Owner) -> Iterator[Requirement]:
    yield from _missing_fields(owner, OWNER_FIELDS, owner.external_id)
    yield from _missing_identification(owner, owner.external_id)


def _missing_documents(
    lead: Lead, supplied: set[str], rules: Iterable[DocumentRule]
) -> Iterator[Requirement]:
    for rule in rules:
        if not supplied & set(rule.accepted_types):
            yield _document(rule.code, rule.message, tuple(rule.accepted_types))
    if lead.passport_number and not lead.ssn and LlcFileType.PASSPORT not in supplied:
        yield _document("PASSPORT", "The passport of the applicant.", (LlcFileType.PASSPORT.value,))


def _document(code: str, message: str, accepted_types: tuple[str, ...]) -> Requirement:
    return Requirement(
        f"{code}_MISSING",
        Kind.DOCUMENT,
        "/documentDataList",
        message,
        accepted_types=accepted_types,
    )
