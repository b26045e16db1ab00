"""Slots: the documents to upload, each with the files already supplied."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from onboarding.choices import DocumentSide, DocumentStatus, IdentityStatus, LlcFileType, Supplier
from onboarding.flow.journeys import Journey
from onboarding.flow.slot_documents import SlotDocument, slot_document
from onboarding.lazy_texts import StrOrPromise
from onboarding.models import Document, Lead, Owner
from onboarding.models.people import Person
from onboarding.queries.document_rules import list_document_rules
from onboarding.queries.identity_proofs import (
    CARD,
    IDENTITY_PROOFS,
    is_proven,
    list_kinds_for,
    list_lacking_sides,
)
from onboarding.queries.leads import LeadFile
from onboarding.queries.requirements import (
    IDENTITY_PROOF,
    IDENTITY_PROOF_CODE,
    Kind,
    Requirement,
    is_supplied,
    worded,
)

ANY, OWN = "OTHER", "OWN"  # keys of the slots for other documents and one's own identification
ACCEPT = "application/pdf,image/jpeg,image/png"  # phones convert their own formats to these
WHY: dict[str, StrOrPromise] = {
    LlcFileType.ARTICLES_OF_ORGANIZATION: _("They show that a state has registered the business."),
    LlcFileType.ARTICLES_OF_INCORPORATION: _("They show that a state has registered the business."),
    LlcFileType.IRS_EIN_LETTER: _("It shows that the EIN belongs to the business."),
    LlcFileType.SS4_DOCUMENT: _("It shows that the EIN belongs to the business."),
    LlcFileType.OPERATING_AGREEMENT: _("It shows who owns the business and who runs it."),
    LlcFileType.SIGNED_PARTNERSHIP_AGREEMENT: _(
        "It shows who owns the business and who may act for it."
    ),
    LlcFileType.GOVERNMENT_IDENTIFICATION: _(
        "It proves who the person is. You can use a driver's license, a state ID or a permanent "
        "resident card. We need both sides."
    ),
    LlcFileType.PASSPORT: _("It proves who the person is. We need the page with the photo."),
    LlcFileType.UTILITY_BILL: _("It shows the address."),
}
PROOFS: dict[str, StrOrPromise] = {  # what a reader calls the kinds that prove an identity
    CARD: _("Driver's license, state ID or permanent resident card"),
    LlcFileType.PASSPORT: _("Passport"),
}
PAGE = _("Page with the photo")
BOTH_SIDES = _("We need both sides of a card, and of a passport the page with the photo.")


@dataclass(frozen=True)
class SideField:
    """A field for one picture of a proof of identity.

    The form field's name is `name`, a hyphen and the key of the slot. `of_passport` is the label
    while the reader chooses the passport, of which there is one page.
    """

    name: str
    label: StrOrPromise
    of_passport: StrOrPromise = ""
    is_of_card: bool = False  # not of a passport, which can be chosen instead
    takes_both: bool = False  # the front, or two pictures: the front and the back


@dataclass
class Slot:
    """A document to upload, of one of `kinds`; `key` is part of its form fields' names."""

    key: str
    title: StrOrPromise
    kinds: tuple[str, ...] = ()  # the first is preselected
    owner: Owner | None = None
    reason: StrOrPromise = ""
    due_date: datetime | None = None
    is_missing: bool = False
    sides: tuple[DocumentSide, ...] = ()  # of a card, that are missing
    documents: list[SlotDocument] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)  # about the files that were just sent
    is_own: bool = False  # of a page on which a person sends nothing but their identification
    is_optional: bool = False
    expired_on: date | None = None  # as the person has typed it

    accept = ACCEPT

    @property
    def limits(self) -> dict[str, int]:
        """Return the limits of one upload. Units: bytes and megabytes; `files` is a count."""
        file, together = settings.DOCUMENT_MAX_BYTES, settings.DOCUMENTS_MAX_BYTES_PER_REQUEST
        return {
            "file": file,
            "file_megabytes": file // 1024**2,
            "together": together,
            "together_megabytes": together // 1024**2,
            "files": settings.DOCUMENTS_MAX_PER_REQUEST,
        }

    @property
    def is_any(self) -> bool:
        """Return whether this is the slot for documents that were not requested."""
        return self.key == ANY

    @property
    def is_identity(self) -> bool:
        """Return whether this is the slot for a proof of identity."""
        return {*self.kinds} <= IDENTITY_PROOFS

    @property
    def is_wanted(self) -> bool:
        """Return whether the document is missing and not optional."""
        return self.is_missing and not self.is_optional

    @property
    def is_filled(self) -> bool:
        """Return whether no further file is expected."""
        return bool(self.documents) and not self.is_missing and not self.is_any

    @property
    def choices(self) -> list[tuple[str, StrOrPromise]]:
        """Return the kinds to choose from, with their names; only the card if one side was sent."""
        if not self.is_identity:
            return [(kind, LlcFileType(kind).label) for kind in self.kinds]
        kinds = [CARD] if len(self.sides) == 1 else self.kinds
        return [(kind, PROOFS[kind]) for kind in kinds]

    @property
    def fields(self) -> list[str]:
        """Return the names of the fields of the slot, and of the files in it."""
        names = ["files", *(side.lower() for side in DocumentSide)]
        ids = [str(shown.document.external_id) for shown in self.documents]
        return [f"{name}-{self.key}" for name in names] + [f"replacement-{one}" for one in ids]

    @property
    def side_fields(self) -> list[SideField]:
        """Return the fields for the missing pictures of a proof of identity."""
        if CARD not in self.kinds:
            return [SideField(DocumentSide.FRONT.lower(), PAGE)]
        is_chosen, takes_both = len(self.choices) > 1, len(self.sides) > 1
        front, back = DocumentSide
        fields = {
            front: SideField(
                front.lower(), front.label, PAGE if is_chosen else "", takes_both=takes_both
            ),
            back: SideField(back.lower(), back.label, is_of_card=is_chosen),
        }
        return [fields[side] for side in self.sides]

    @property
    def why(self) -> StrOrPromise:
        """Return staff's reason to ask, unless a file in the slot shows it; else the purpose.

        A slot for one's own identification says instead which sides to send.
        """
        said = {document.reason for document in self.documents}
        reason = "" if self.reason in said else self.reason
        if self.is_own:
            return BOTH_SIDES
        return reason or ("" if self.is_any else WHY.get(self.kinds[0], ""))

    def takes(self, document: Document) -> bool:
        """Return whether the document is of this slot's person, and of one of its kinds."""
        owner_id = self.owner.pk if self.owner else None
        return document.owner_id == owner_id and document.llc_file_type in self.kinds

    def asks_for(self, requirement: Requirement) -> bool:
        """Return whether this slot is for the requirement's person, and takes all of its kinds."""
        owner_id = self.owner.external_id if self.owner else None
        return requirement.ubo_id == owner_id and {*requirement.accepted_types} <= {*self.kinds}

    def ask(self, requirement: Requirement) -> None:
        """Mark the slot as missing, with the due date and reason of the requirement."""
        self.is_missing = True
        self.due_date = requirement.due_date
        self.sides = tuple(
            side for side in DocumentSide if side in {*self.sides, *requirement.sides}
        )
        if _is_request(requirement):
            self.reason = requirement.message


def list_slots(journey: Journey, file: LeadFile) -> list[Slot]:
    """Return the slots: proofs of identity, the checklist, and last one for other documents.

    Each document is in the first slot that accepts it. Runs at most one database query.
    """
    asked = sorted(_asked(file), key=lambda slot: not slot.is_identity)
    for slot in (one for one in asked if one.is_identity):
        slot.title = slot.title if slot.owner else _("Your identification")
        slot.expired_on = _expired_on(slot.owner or file.lead)
    rest = Slot(ANY, _("Another document"), kinds=tuple(LlcFileType.values))
    for document in file.documents:
        if document.status != DocumentStatus.REPLACED:
            slot = next((slot for slot in asked if slot.takes(document)), rest)
            slot.documents.append(slot_document(journey, document, file.owners))
    for slot in asked:
        slot.documents.sort(key=lambda shown: shown.document.side == DocumentSide.BACK)
    return [*asked, rest]


def own_slot(
    file: LeadFile,
    owner: Owner | None,
    reader: Journey,
    *,
    by: Supplier,
    ids: Collection[str] | None = None,
) -> Slot:
    """Return the slot for one person's own identification, and what `by` has sent of it.

    `owner` is the person, if it is not the applicant. With `ids`, only the documents with these
    external ids are shown. Without a request for the identification the slot is optional. Nobody is
    asked for an identification that another sender has completed.
    """
    person = owner or file.lead
    asked = [slot for slot in _asked(file) if slot.is_missing and slot.is_identity]
    slot = next((slot for slot in asked if slot.owner == owner), None)
    proofs = [
        one
        for one in file.documents
        if one.owner_id == (owner.pk if owner else None)
        and one.llc_file_type in IDENTITY_PROOFS
        and one.status != DocumentStatus.REPLACED
    ]
    if slot is None:
        usable = [one for one in proofs if is_supplied(one)]
        is_missing = not is_proven(IDENTITY_PROOFS, usable)
        sides = tuple(list_lacking_sides(usable)) if is_missing else ()
        kinds = _kinds(sorted(IDENTITY_PROOFS), person)
        slot = Slot(OWN, "", kinds, is_optional=True, is_missing=is_missing, sides=sides)
    sent = [one for one in proofs if one.supplied_by == by]
    shown = [one for one in sent if ids is None or str(one.external_id) in ids]
    shown.sort(key=lambda one: one.side == DocumentSide.BACK)
    return replace(
        slot,
        key=OWN,
        title=_("Your identification"),
        owner=None,
        due_date=None,
        is_own=True,
        expired_on=_expired_on(person),
        documents=[slot_document(reader, document, []) for document in shown],
    )


def _asked(file: LeadFile) -> list[Slot]:
    """Return a slot for each rule, each requirement without a rule, and each proven identity."""
    asked = [
        Slot(rule.code, worded(rule).rstrip("."), _kinds(rule.accepted_types, file.lead))
        for rule in list_document_rules(file.lead.business_type)
    ]
    for requirement in file.requirements:
        if requirement.kind in {Kind.DOCUMENT, Kind.IDENTITY} and requirement.is_awaited:
            slot = next((slot for slot in asked if slot.asks_for(requirement)), None)
            if slot is None:
                slot = _slot_of(requirement, file.lead, file.owners)
                asked.append(slot)
            slot.ask(requirement)
    return [*asked, *_proven(file, asked)]


def _proven(file: LeadFile, asked: Collection[Slot]) -> Iterator[Slot]:
    """Yield a slot for each person whose identification was asked for and sent.

    People with a slot for it in `asked` are left out.
    """
    supplied = [one for one in file.documents if is_supplied(one)]
    for person in file.people:
        owner = person if isinstance(person, Owner) else None
        sent = [one for one in supplied if one.owner_id == (owner.pk if owner else None)]
        is_shown = any(slot.is_identity and slot.owner == owner for slot in asked)
        is_asked = person.identity_status != IdentityStatus.PENDING
        if is_asked and not is_shown and is_proven(IDENTITY_PROOFS, sent):
            key, kinds = _key(IDENTITY_PROOF_CODE, owner), _kinds(sorted(IDENTITY_PROOFS), person)
            yield Slot(key, str(IDENTITY_PROOF).rstrip("."), kinds, owner)


def _key(code: str, owner: Owner | None) -> str:
    return f"{code}.{owner.external_id}" if owner else code


def _slot_of(requirement: Requirement, lead: Lead, owners: Iterable[Owner]) -> Slot:
    owner = next((one for one in owners if one.external_id == requirement.ubo_id), None)
    title = str(requirement.message).rstrip(".")
    if requirement.kind == Kind.IDENTITY:
        title = str(IDENTITY_PROOF).rstrip(".")
    if _is_request(requirement):
        title = str(LlcFileType(requirement.accepted_types[0]).label)
    kinds = _kinds(requirement.accepted_types, owner or lead)
    return Slot(_key(requirement.code, owner), title, kinds, owner)


def _expired_on(person: Person) -> date | None:
    """Return the day on which the person's identification expired; None if no past day is known."""
    ends = person.id_expiration_date
    return ends if ends and ends < timezone.localdate() else None


def _kinds(kinds: Sequence[str], person: Person) -> tuple[str, ...]:
    """Return the kinds of a slot; for proofs of identity, the kind that the person has is first."""
    return list_kinds_for(person, kinds) if {*kinds} <= IDENTITY_PROOFS else tuple(kinds)


def _is_request(requirement: Requirement) -> bool:
    """Return whether staff or a check requested the document, with a reason."""
    return requirement.code.endswith("_REQUESTED")
