"""Requirements: fields, documents and answers that an application needs before a decision."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from urllib.parse import urlsplit
from uuid import UUID

from django.db import models
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from banking.choices import BusinessType
from onboarding.choices import (
    ApplicationStatus,
    DocumentSide,
    DocumentStatus,
    IdentityStatus,
    LlcFileType,
)
from onboarding.lazy_texts import StrOrPromise
from onboarding.models import Application, Document, DocumentRule, Lead, Owner
from onboarding.models.people import Person
from onboarding.queries.identity_proofs import (
    CARD,
    IDENTITY_PROOFS,
    is_proven,
    list_lacking_sides,
    list_whole_kinds,
)
from onboarding.queries.staff_texts import translated


class Kind(models.TextChoices):
    """The kind of a missing item."""

    FIELD = "FIELD"
    DOCUMENT = "DOCUMENT"
    IDENTITY = "IDENTITY"
    EDD = "EDD"
    OWNER = "OWNER"  # an invited owner has not completed their part


class Party(models.TextChoices):
    """A party that can supply the missing item."""

    APPLICANT = "APPLICANT"
    PARTNER = "PARTNER"
    OWNER = "OWNER"


@dataclass(frozen=True)
class Requirement:
    """One missing item; `target` is a JSON pointer into the lead, or into the owner `ubo_id`.

    `alternatives` are pointers to further fields that satisfy or complete the requirement. An
    application that waits for documents does not wait for a requirement unless `is_awaited`.
    `sides` are the missing sides of an identity card.
    """

    code: str
    kind: Kind
    target: str
    message: StrOrPromise
    ubo_id: UUID | None = None
    accepted_types: tuple[str, ...] = ()
    satisfiable_by: tuple[Party, ...] = (Party.APPLICANT, Party.PARTNER)
    due_date: datetime | None = None
    alternatives: tuple[str, ...] = ()
    is_awaited: bool = True
    sides: tuple[DocumentSide, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """Return the pointers of all fields that may be sent to satisfy the requirement."""
        return self.target, *self.alternatives


SUPPLIED = {DocumentStatus.RECEIVED, DocumentStatus.ACCEPTED}  # beside those that await a scan
REFUSED = {DocumentStatus.QUARANTINED, DocumentStatus.REJECTED, DocumentStatus.NOT_FETCHED}
PERSON_FIELDS = {
    "first_name": ("/firstName", _("First name is missing.")),
    "last_name": ("/lastName", _("Last name is missing.")),
    "birth_date": ("/birthDate", _("Date of birth is missing.")),
    "phone_number": ("/phoneNumber", _("Phone number is missing.")),
}
LEAD_FIELDS = {
    **PERSON_FIELDS,
    "ownership_percent": ("/ownershipPercent", _("Share of the business is missing.")),
    "business_name": ("/businessName", _("Name of the business is missing.")),
    "business_type": ("/businessType", _("Type of the business is missing.")),
    "business_address": ("/businessAddress", _("Address of the business is missing.")),
    "naics_code": ("/naicsCode", _("Industry (NAICS code) is missing.")),
}
ADDRESS_FIELDS = {
    "line1": ("/line1", _("Home address is missing.")),
    "city": ("/city", _("City is missing.")),
}
US_ADDRESS_FIELDS = {
    **ADDRESS_FIELDS,
    "state": ("/state", _("State is missing.")),
    "postal_code": ("/postalCode", _("Postal code is missing.")),
}
OWN_FIELDS = {  # that an invited owner fills in
    **PERSON_FIELDS,
    "address": ("/address", _("Home address is missing.")),
}
STATED_FIELDS = {  # that the applicant fills in for an invited owner, too
    "email": ("/email", _("Email address is missing.")),
    "ownership_percent": ("/ownershipPercent", _("Share of the business is missing.")),
}
OWNER_FIELDS = {**OWN_FIELDS, **STATED_FIELDS}
REGISTERED_FIELDS = {
    "ein": ("/ein", _("Employer identification number (EIN) is missing.")),
    "incorporation_state": ("/incorporationState", _("State of incorporation is missing.")),
}
IDENTITY_PROOF_CODE = "IDENTITY_PROOF_MISSING"
IDENTITY_PROOF = _("A government identification or a passport that proves who this is.")
SIDES: dict[DocumentSide, StrOrPromise] = {
    DocumentSide.FRONT: _("The front of the government identification."),
    DocumentSide.BACK: _("The back of the government identification."),
}
SOLE_PROPRIETORS = {BusinessType.SSN, BusinessType.DBA}


def list_requirements(
    application: Application,
    *,
    owners: Iterable[Owner],
    documents: Iterable[Document],
    rules: Iterable[DocumentRule],
) -> list[Requirement]:
    """Return the missing requirements, in the order in which the applicant is asked for them.

    A document that staff requested by kind is listed once, even if the checklist wants it, too.
    """
    lead = application.lead
    owners, documents = list(owners), list(documents)
    supplied = [document for document in documents if is_supplied(document)]
    requested = list(_requested_documents(application, owners, supplied))
    covered = {kind for one in requested if one.ubo_id is None for kind in one.accepted_types}
    is_registered = lead.business_type and lead.business_type not in SOLE_PROPRIETORS
    missing = [
        *_missing_fields(lead, LEAD_FIELDS),
        *_missing_address(lead),
        *_missing_identification(lead),
        *(_missing_fields(lead, REGISTERED_FIELDS) if is_registered else ()),
        *(missing for owner in owners for missing in _missing_of_owner(owner)),
        *_missing_documents(lead, covered, supplied, rules),
        *requested,
        *_unfetched_documents(application, documents),
        *_missing_identities(application, owners, supplied),
        *_unanswered_questions(lead),
    ]
    deadline = application.deadline
    return [replace(requirement, due_date=deadline) for requirement in missing]


def list_missing_of_part(owner: Owner) -> list[Requirement]:
    """Return the requirements that an invited owner has still to fill in."""
    return [
        *_missing_fields(owner, OWN_FIELDS, owner.external_id),
        *_missing_identification(owner, owner.external_id),
    ]


def is_supplied(document: Document) -> bool:
    """Return whether a document may satisfy a requirement: accepted, or usable and not doubted."""
    is_accepted = document.status == DocumentStatus.ACCEPTED
    return is_usable(document) and (is_accepted or not document.is_doubted)


def is_usable(document: Document) -> bool:
    """Return whether a document was received or accepted, or will be received after its scan.

    It may be illegible: see `is_supplied`.
    """
    return document.status in SUPPLIED or document.awaits_receipt


def list_missing_documents(requirements: Iterable[Requirement]) -> list[str]:
    """Return the kinds of the documents that the application waits for, each kind once.

    A requirement that accepts several kinds counts as its first kind.
    """
    wanted = (one for one in requirements if one.kind == Kind.DOCUMENT and one.is_awaited)
    return list(dict.fromkeys(one.accepted_types[0] for one in wanted))


def _missing_fields(
    person: Person,
    fields: Mapping[str, tuple[str, StrOrPromise]],
    ubo_id: UUID | None = None,
    *,
    alternatives: tuple[str, ...] = (),
) -> Iterator[Requirement]:
    for name, (target, message) in fields.items():
        if getattr(person, name) in (None, "", {}):
            yield Requirement(
                f"{name.upper()}_MISSING",
                Kind.FIELD,
                target,
                message,
                ubo_id,
                alternatives=alternatives,
            )


def _missing_address(lead: Lead) -> Iterator[Requirement]:
    """Yield missing parts of the home address; a US address needs a state and a postal code."""
    fields = US_ADDRESS_FIELDS if lead.country in {"", "US"} else ADDRESS_FIELDS
    whole = ("/line1", "/line2", "/city", "/state", "/postalCode", "/country")
    yield from _missing_fields(lead, fields, alternatives=whole)


def _missing_identification(person: Person, ubo_id: UUID | None = None) -> Iterator[Requirement]:
    if not (person.ssn or person.passport_number or person.id_gov_number):
        yield Requirement(
            "IDENTIFICATION_MISSING",
            Kind.FIELD,
            "/ssn",
            _("An SSN, or the passport or national ID number of a non-US person, is missing."),
            ubo_id,
            alternatives=("/passportNumber", "/idGovNumber", "/idCountry", "/idExpirationDate"),
        )


def _missing_of_owner(owner: Owner) -> Iterator[Requirement]:
    if owner.is_waited_for:
        yield Requirement(
            "OWNER_NOT_COMPLETED",
            Kind.OWNER,
            "",
            _("We are waiting for this owner to complete their part."),
            owner.external_id,
            satisfiable_by=(Party.OWNER,),
        )
        yield from _missing_fields(owner, STATED_FIELDS, owner.external_id)
        return
    yield from _missing_fields(owner, OWNER_FIELDS, owner.external_id)
    yield from _missing_identification(owner, owner.external_id)


def _missing_documents(
    lead: Lead, asked: set[str], supplied: list[Document], rules: Iterable[DocumentRule]
) -> Iterator[Requirement]:
    """Yield the slots that neither a document fills nor a request in `asked` covers.

    Proofs of an owner's identity prove nothing about the applicant.
    """
    of_applicant = [one for one in supplied if one.owner_id is None]
    whole = list_whole_kinds(of_applicant)
    of_owners = {one.llc_file_type for one in supplied if one.owner_id} - IDENTITY_PROOFS
    covered = asked | whole | of_owners
    for rule in rules:
        if not covered & set(rule.accepted_types):
            yield _document(rule.code, worded(rule), tuple(rule.accepted_types), of_applicant)
    if lead.passport_number and not lead.ssn and LlcFileType.PASSPORT not in covered:
        passport = (LlcFileType.PASSPORT.value,)
        yield _document("PASSPORT", _("The passport of the applicant."), passport, of_applicant)


def worded(rule: DocumentRule) -> str:
    """Return the rule's message in the current language."""
    return translated(rule, "message", language=get_language() or "en")


def _document(
    code: str, message: StrOrPromise, accepted_types: tuple[str, ...], documents: list[Document]
) -> Requirement:
    """Return the requirement of a document; of a card, `documents` may show one side already."""
    sides = _lacking_sides(accepted_types, documents)
    return Requirement(
        f"{code}_MISSING",
        Kind.DOCUMENT,
        "/documentDataList",
        SIDES[sides[0]] if len(sides) == 1 else message,
        accepted_types=accepted_types,
        sides=sides,
    )


def _lacking_sides(kinds: Collection[str], documents: list[Document]) -> tuple[DocumentSide, ...]:
    return tuple(list_lacking_sides(documents)) if CARD in kinds else ()


def _requested_documents(
    application: Application, owners: Iterable[Owner], supplied: Iterable[Document]
) -> Iterator[Requirement]:
    """Yield the requests of staff or checks for documents that no document has met since."""
    keys = {str(owner.external_id): owner.pk for owner in owners}
    for request in application.document_requests:
        kind, ubo_id = request["llc_file_type"], request.get("ubo_id")
        since = datetime.fromisoformat(request["requested_at"])
        owner = keys.get(ubo_id) if ubo_id else None
        found, side = _supplied_since(supplied, owner, since), request.get("side", "")
        if (ubo_id and owner is None) or is_proven({kind}, found, side=side):
            continue
        sides = (DocumentSide(side),) if side else _lacking_sides({kind}, found)
        yield Requirement(
            f"{kind}_REQUESTED",
            Kind.DOCUMENT,
            "/documentDataList",
            request["reason"],
            UUID(ubo_id) if ubo_id else None,
            accepted_types=(kind,),
            sides=sides,
        )


def _unfetched_documents(
    application: Application, documents: Iterable[Document]
) -> Iterator[Requirement]:
    """Yield files that could not be fetched, less the number of files uploaded by hand since.

    The kind of such a file is unknown, so no application waits for it.
    """
    failed = [one for one in documents if one.status == DocumentStatus.NOT_FETCHED]
    missing = [one for one in failed if one.uploaded_at >= application.created_at]
    by_hand = [one for one in documents if is_supplied(one) and not one.source_url]
    for document in by_hand:
        before = (one for one in missing if one.uploaded_at <= document.uploaded_at)
        if stood_in_for := next(before, None):
            missing.remove(stood_in_for)
    for document in missing:
        url = urlsplit(document.source_url)
        facts = {"name": url.path.rpartition("/")[2] or _("A file"), "host": url.hostname}
        yield Requirement(
            "DOCUMENT_NOT_FETCHED",
            Kind.DOCUMENT,
            "/documentUrls",
            _(
                "%(name)s could not be fetched from %(host)s: %(reason)s. "
                "Send its URL or the file again."
            )
            % {**facts, "reason": document.status_reason},
            accepted_types=tuple(LlcFileType.values),
            alternatives=("/documentDataList",),
            is_awaited=False,
        )


def _missing_identities(
    application: Application, owners: Iterable[Owner], supplied: Iterable[Document]
) -> Iterator[Requirement]:
    if application.status != ApplicationStatus.ID_VERIFICATION:
        return
    people: list[Lead | Owner] = [application.lead, *owners]
    since = application.status_changed_at
    for person in people:
        found = _supplied_since(supplied, person.pk if person.ubo_id else None, since)
        is_asked = person.identity_status == IdentityStatus.REQUESTED
        if is_asked and not is_proven(IDENTITY_PROOFS, found):
            sides = _lacking_sides(IDENTITY_PROOFS, found)
            yield Requirement(
                IDENTITY_PROOF_CODE,
                Kind.IDENTITY,
                "/documentDataList",
                SIDES[sides[0]] if len(sides) == 1 else IDENTITY_PROOF,
                person.ubo_id,
                accepted_types=tuple(sorted(IDENTITY_PROOFS)),
                sides=sides,
            )


def _supplied_since(
    supplied: Iterable[Document], owner: int | None, since: datetime
) -> list[Document]:
    return [one for one in supplied if one.owner_id == owner and one.uploaded_at >= since]


def _unanswered_questions(lead: Lead) -> Iterator[Requirement]:
    for answer in lead.edd_answers:
        if answer.get("question") and not answer.get("answer"):
            yield Requirement(
                "EDD_ANSWER_MISSING", Kind.EDD, "/eddQuestionData", answer["question"]
            )
