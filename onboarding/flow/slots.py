"""What an applicant is asked to upload: a slot for each thing, with what is there already."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from onboarding.choices import DocumentStatus, LlcFileType, Supplier
from onboarding.flow.journeys import Journey
from onboarding.models import Document, Owner
from onboarding.queries.document_rules import list_document_rules
from onboarding.queries.leads import LeadFile
from onboarding.queries.requirements import Kind, Requirement, worded
from onboarding.services.documents.applicant_documents import REPLACEABLE

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

ANY = "OTHER"  # the key of the slot for whatever else there is
ACCEPT = "application/pdf,image/jpeg,image/png"  # phones turn their own formats into these
WHY: dict[str, "StrOrPromise"] = {
    LlcFileType.ARTICLES_OF_ORGANIZATION: _("It shows that a state has registered the business."),
    LlcFileType.ARTICLES_OF_INCORPORATION: _("It shows that a state has registered the business."),
    LlcFileType.IRS_EIN_LETTER: _("It shows that the EIN belongs to the business."),
    LlcFileType.SS4_DOCUMENT: _("It shows that the EIN belongs to the business."),
    LlcFileType.OPERATING_AGREEMENT: _("It shows who owns the business and who runs it."),
    LlcFileType.SIGNED_PARTNERSHIP_AGREEMENT: _(
        "It shows who owns the business and who may act for it."
    ),
    LlcFileType.GOVERNMENT_IDENTIFICATION: _(
        "It proves who the person is. A driver license or a state ID is good."
    ),
    LlcFileType.PASSPORT: _("It proves who the person is. We need the page with the picture."),
    LlcFileType.UTILITY_BILL: _("It shows the address."),
}
STANDINGS: dict[str, "StrOrPromise"] = {
    DocumentStatus.PENDING: _("We are fetching this file."),
    DocumentStatus.NOT_FETCHED: _("We could not fetch this file. If you have it, send it here."),
    DocumentStatus.RECEIVED: _("Received"),
    DocumentStatus.QUARANTINED: _(
        "We cannot use this file: it is not what its name says, or it could do harm. "
        "Send a PDF or a picture."
    ),
    DocumentStatus.ACCEPTED: _("Accepted"),
    DocumentStatus.REJECTED: _("We cannot accept this file. Send another one."),
}
REFUSED = {DocumentStatus.QUARANTINED, DocumentStatus.REJECTED, DocumentStatus.NOT_FETCHED}


@dataclass(frozen=True)
class Shown:
    """A document as the applicant sees it; without a url it cannot be looked at."""

    document: Document
    supplier: "StrOrPromise"
    url: str = ""

    @property
    def name(self) -> "StrOrPromise":
        """Return the name of the file; until it is fetched, where from, and no more of that."""
        host = urlsplit(self.document.source_url).hostname or ""
        return self.document.file_name or _("A file from %(host)s") % {"host": host}

    @property
    def standing(self) -> "StrOrPromise":
        """Return its status in words."""
        return STANDINGS[self.document.status]

    @property
    def reason(self) -> str:
        """Return why staff rejected it; what machines say of a file stays in the house."""
        is_rejected = self.document.status == DocumentStatus.REJECTED
        return self.document.status_reason if is_rejected else ""

    @property
    def is_refused(self) -> bool:
        """Say whether it helps nobody as it is."""
        return self.document.status in REFUSED

    @property
    def is_replaceable(self) -> bool:
        """Say whether another file may take its place."""
        return self.document.status in REPLACEABLE


@dataclass(frozen=True)
class Limits:
    """How much one upload may bring; sizes are in bytes."""

    file: int
    together: int
    files: int

    @property
    def file_megabytes(self) -> int:
        """Return how large a file may be."""
        return self.file // 1024**2

    @property
    def together_megabytes(self) -> int:
        """Return how large the files may be together."""
        return self.together // 1024**2


@dataclass
class Slot:
    """One thing to upload: its fields in the form are named by `key`."""

    key: str
    title: "StrOrPromise"
    kinds: tuple[str, ...] = ()  # the first is chosen to begin with
    owner: Owner | None = None
    reason: "StrOrPromise" = ""
    due_date: datetime | None = None
    is_missing: bool = False
    documents: list[Shown] = field(default_factory=list)

    accept = ACCEPT

    @property
    def limits(self) -> Limits:
        """Return how much may be sent at once."""
        return Limits(
            settings.DOCUMENT_MAX_BYTES,
            settings.DOCUMENTS_MAX_BYTES_PER_REQUEST,
            settings.DOCUMENTS_MAX_PER_REQUEST,
        )

    @property
    def is_any(self) -> bool:
        """Say whether nobody asks for it."""
        return self.key == ANY

    @property
    def is_filled(self) -> bool:
        """Say whether nothing more is expected."""
        return bool(self.documents) and not self.is_missing and not self.is_any

    @property
    def choices(self) -> list[tuple[str, "StrOrPromise"]]:
        """Return the kinds to choose from, with their names."""
        return [(kind, LlcFileType(kind).label) for kind in self.kinds]

    @property
    def why(self) -> "StrOrPromise":
        """Return what it is good for; what staff say of it stands instead, or beside its file."""
        said = {shown.reason for shown in self.documents}
        reason = "" if self.reason in said else self.reason
        return reason or ("" if self.is_any else WHY.get(self.kinds[0], ""))

    def takes(self, document: Document) -> bool:
        """Say whether the document belongs here."""
        owner_id = self.owner.pk if self.owner else None
        return document.owner_id == owner_id and document.llc_file_type in self.kinds

    def asks_for(self, requirement: Requirement) -> bool:
        """Say whether the requirement is for what this slot takes."""
        owner_id = self.owner.external_id if self.owner else None
        return requirement.ubo_id == owner_id and {*requirement.accepted_types} <= {*self.kinds}

    def ask(self, requirement: Requirement) -> None:
        """Note that something is missing here, and what somebody says of it."""
        self.is_missing = True
        self.due_date = requirement.due_date
        if _is_request(requirement):
            self.reason = requirement.message


def list_slots(journey: Journey, file: LeadFile) -> list[Slot]:
    """Return what to upload, in the order of the checklist; last, whatever else there is.

    Each document stands in the first slot that takes it. At most one statement.
    """
    asked = _asked(file)
    rest = Slot(ANY, _("Another document"), kinds=tuple(LlcFileType.values))
    for document in file.documents:
        if document.status != DocumentStatus.REPLACED:
            slot = next((slot for slot in asked if slot.takes(document)), rest)
            slot.documents.append(_shown(journey, document))
    return [*asked, rest]


def _asked(file: LeadFile) -> list[Slot]:
    """Return a slot for each rule, and for what nobody's rule asks for."""
    business_type = file.application.lead.business_type
    rules = list_document_rules(business_type) if business_type else []
    asked = [
        Slot(rule.code, worded(rule).rstrip("."), tuple(rule.accepted_types)) for rule in rules
    ]
    for requirement in file.requirements:
        if requirement.kind in {Kind.DOCUMENT, Kind.IDENTITY} and requirement.is_awaited:
            slot = next((slot for slot in asked if slot.asks_for(requirement)), None)
            if slot is None:
                slot = _slot_of(requirement, file.owners)
                asked.append(slot)
            slot.ask(requirement)
    return asked


def _slot_of(requirement: Requirement, owners: Iterable[Owner]) -> Slot:
    owner = next((one for one in owners if one.external_id == requirement.ubo_id), None)
    key = f"{requirement.code}.{owner.external_id}" if owner else requirement.code
    title = str(requirement.message).rstrip(".")
    if _is_request(requirement):
        title = str(LlcFileType(requirement.accepted_types[0]).label)
    return Slot(key, title, requirement.accepted_types, owner)


def _is_request(requirement: Requirement) -> bool:
    """Say whether somebody wants it and says why."""
    return requirement.code.endswith("_REQUESTED")


def _shown(journey: Journey, document: Document) -> Shown:
    suppliers: dict[str, StrOrPromise] = {
        Supplier.PARTNER: journey.application.lead.partner.shown_name,
        Supplier.APPLICANT: _("you"),
        Supplier.REVIEWER: settings.BANK_NAME,
    }
    can_be_seen = document.file and document.status != DocumentStatus.QUARANTINED
    url = journey.url("document", document_id=document.external_id) if can_be_seen else ""
    return Shown(document, suppliers[document.supplied_by], url)
