"""Documents as the applicant's pages show them in the slots for uploads."""

from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext_lazy as _

from onboarding.choices import DocumentStatus, LlcFileType, Supplier
from onboarding.flow.journeys import Journey
from onboarding.flow.legible_files import DOUBTS
from onboarding.lazy_texts import StrOrPromise
from onboarding.models import Document, Owner
from onboarding.queries.requirements import REFUSED, is_usable
from onboarding.services.documents.applicant_documents import is_removable, is_replaceable

STANDINGS: dict[str, StrOrPromise] = {
    DocumentStatus.PENDING: _("We are downloading this file."),
    DocumentStatus.NOT_FETCHED: _("We could not download this file. If you have it, send it here."),
    DocumentStatus.RECEIVED: _("Received"),
    DocumentStatus.QUARANTINED: _(
        "We cannot use this file. Its content does not match its name, or it may not be "
        "safe. Send a PDF or a picture instead."
    ),
    DocumentStatus.ACCEPTED: _("Accepted"),
    DocumentStatus.REJECTED: _("We cannot accept this file. Send another one."),
}
HARD_TO_READ = _("Hard to read")
UNSCANNED = _("We are checking that this file is safe. You do not need to wait.")


@dataclass(frozen=True)
class SlotDocument:
    """A document as shown to the applicant; without a url it cannot be opened."""

    document: Document
    supplier: StrOrPromise
    url: str = ""
    is_private: bool = False  # an owner has sent it, whose answers the reader does not see

    @property
    def name(self) -> StrOrPromise:
        """Return the file's name; before it is fetched, only the host of its URL."""
        if self.is_private:
            return _("Identification")
        host = urlsplit(self.document.source_url).hostname or ""
        return self.document.file_name or _("A file from %(host)s") % {"host": host}

    @property
    def standing(self) -> StrOrPromise:
        """Return the text of the document's status."""
        if self.doubt:
            return HARD_TO_READ
        return UNSCANNED if self.document.awaits_receipt else STANDINGS[self.document.status]

    @property
    def doubt(self) -> StrOrPromise:
        """Return why the file may not be legible, until its sender has confirmed that it is."""
        document = self.document
        is_open = document.is_doubted and is_usable(document) and not self.is_private
        return DOUBTS[document.doubt] % {"name": self.name} if is_open else ""

    @property
    def reason(self) -> str:
        """Return the reviewer's reason of a rejection; scanners' findings are internal."""
        is_rejected = self.document.status == DocumentStatus.REJECTED
        return self.document.status_reason if is_rejected else ""

    @property
    def is_refused(self) -> bool:
        """Return whether the file is unusable, missing, or perhaps not legible."""
        return self.document.status in REFUSED or bool(self.doubt)

    @property
    def is_removable(self) -> bool:
        """Return whether the applicant may remove the file, or move it to another kind."""
        return is_removable(self.document)

    @property
    def other_kinds(self) -> list[tuple[str, StrOrPromise]]:
        """Return the kinds to which the file can be moved, with their names."""
        kinds = [kind for kind in LlcFileType if kind != self.document.llc_file_type]
        return [(kind.value, kind.label) for kind in kinds]

    @property
    def is_replaceable(self) -> bool:
        """Return whether the applicant may replace the file."""
        return is_replaceable(self.document) and not self.is_private


def slot_document(journey: Journey, document: Document, owners: Iterable[Owner]) -> SlotDocument:
    """Return a document as the reader of a page may see it."""
    names = {owner.pk: owner.full_name or owner.email for owner in owners}
    reader = journey.owner
    is_own = reader is not None and document.owner_id == reader.pk
    suppliers: dict[str, StrOrPromise] = {
        Supplier.PARTNER: journey.application.lead.partner.shown_name,
        Supplier.APPLICANT: _("you"),
        Supplier.OWNER: _("you") if is_own else names.get(document.owner_id or 0, ""),
        Supplier.REVIEWER: settings.BANK_NAME,
    }
    can_be_seen = document.is_openable and document.status != DocumentStatus.QUARANTINED
    can_be_seen = can_be_seen and journey.may_open(document)
    url = journey.url("document", document_id=document.external_id) if can_be_seen else ""
    is_private = document.supplied_by == Supplier.OWNER and not reader
    return SlotDocument(document, suppliers[document.supplied_by], url, is_private)
