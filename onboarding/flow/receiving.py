"""Receiving: the files of a form are stored, and the sender is told about those that are not."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.files import PDF
from foundation.inspection.file_types import OFFICE_TYPES, OLE, RTF
from onboarding.choices import DocumentSide, DocumentStatus, LlcFileType, Supplier
from onboarding.flow.files import NotReceived, SentFile, Spooling, sent_files
from onboarding.flow.legible_files import BETTER, DOUBTS, Illegible, inspect
from onboarding.lazy_texts import StrOrPromise
from onboarding.models import Application, Document, FlowSession, Owner, PhoneLink
from onboarding.queries.identity_proofs import CARD, IDENTITY_PROOFS
from onboarding.services.access import phone_links, sessions
from onboarding.services.documents import applicant_documents as documents
from onboarding.services.documents.file_store import file_transaction
from onboarding.services.documents.intake import AttachedDocument, TooManyDocuments
from onboarding.uploads import Uploads

CONFIRM = "confirm"  # button at a file
REPLACEMENT = "replacement"  # field; the id of a document follows
SIDES: Mapping[str, str] = {
    side.lower(): side for side in DocumentSide
}  # fields; the key of a slot follows
FRONT = DocumentSide.FRONT.lower()
OFFICE_FILES = {OLE, RTF, *OFFICE_TYPES}


@dataclass(frozen=True)
class Remark:
    """A message about the files of a field, or about the whole form if `field` is empty."""

    field: str
    text: StrOrPromise


@dataclass(frozen=True)
class Sender:
    """The sender of files: the applicant, or one person who sends only their own identification.

    `owner_id` is that person, if it is not the applicant. `session` may show the sent files. A
    `phone` can change only the files that it has sent itself.
    """

    application: Application
    session: FlowSession | None = None
    by: Supplier = Supplier.APPLICANT
    is_one_person: bool = False
    owner_id: UUID | None = None
    phone: PhoneLink | None = None


@contextmanager
def spooling(request: HttpRequest) -> Iterator[None]:
    """Write the files of a request to temporary storage; remove them at the end.

    Enter it before the request's form is read.
    """
    with closing(Uploads()) as spool:
        request.upload_handlers = [Spooling(request, spool)]
        yield


def receive(request: HttpRequest, sender: Sender, *, is_any_wanted: bool) -> Iterator[Remark]:
    """Store the acceptable files of a form, and yield remarks about refused and doubted files.

    Files are stored while the remarks are iterated: consume all of them. With `is_any_wanted`, a
    form without files gets a remark. Raises: Http404, ApplicationClosed, CustomerAlreadyOnboarded,
    StorageUnavailable.
    """
    try:
        sent = sent_files(request)
    except NotReceived as exc:
        yield Remark("", str(exc))
        return
    if is_any_wanted and not sent:
        yield Remark("", _("Choose a file first."))
    for name, files in sent.items():
        yield from _receive_sides(request, sender, name, files)


def _receive_sides(
    request: HttpRequest, sender: Sender, name: str, files: list[SentFile]
) -> Iterator[Remark]:
    """Store the files of one field; two files of the front of a card are the front and the back."""
    purpose, _dash, key = name.partition("-")
    if purpose not in SIDES or len(files) == 1:
        yield from _receive(request, sender, name, files)
        return
    is_both = purpose == FRONT and _kind(request, key) == CARD
    for side, file in zip(SIDES if is_both else [purpose], files, strict=False):
        for remark in _receive(request, sender, f"{side}-{key}", [file]):
            label = f"{DocumentSide(SIDES[side]).label}: " if is_both else ""
            yield replace(remark, text=f"{label}{remark.text}")
    text = _("“%(name)s” was not sent: send one picture of each side, or the page of a passport.")
    for file in files[2 if is_both else 1 :]:
        yield Remark(name, text % {"name": file.name})


def _receive(
    request: HttpRequest, sender: Sender, name: str, files: list[SentFile]
) -> Iterator[Remark]:
    """Store the acceptable files of one field; yield remarks about refused and doubted files."""
    yield from (Remark(name, file.fault) for file in files if file.fault)
    whole = [file for file in files if not file.fault]
    if whole:
        yield from _store(request, sender, name, whole)


def _store(
    request: HttpRequest, sender: Sender, name: str, files: list[SentFile]
) -> Iterator[Remark]:
    """Store the files of one field in one transaction; yield remarks on a refusal or on doubts."""
    try:
        stored = _take(request, sender, name, files)
    except Illegible as exc:
        yield Remark(name, exc.text)
    except TooManyDocuments:
        text = _("You cannot add more files. An application can have up to %(limit)s files.")
        yield Remark(name, text % {"limit": settings.DOCUMENTS_MAX_PER_LEAD})
    except Owner.DoesNotExist:
        yield Remark(name, _("This person is no longer on the list of owners."))
    except documents.SameAsOtherSide:
        text = _("“%(name)s” is the file that you sent as the other side. Send this side, too.")
        yield Remark(name, text % {"name": files[0].name})
    except documents.NotReplaceable:
        text = _("“%(name)s” was not sent. The old file has already been accepted or replaced.")
        yield Remark(name, text % {"name": files[0].name})
    else:
        _record(sender, stored)
        yield from (Remark(_field(one, name), text) for one in stored if (text := doubts(one)))


def _record(sender: Sender, stored: list[AttachedDocument]) -> None:
    """Record the stored files as sent by the phone and by the session of the sender.

    A file that was stored before does not become a file that the phone may change.
    """
    if sender.phone:
        own = [one.document for one in stored if not one.is_duplicate]
        phone_links.record_uploads(sender.phone, own)
    if sender.session:
        sessions.record_uploads(sender.session, [one.document for one in stored])


def _field(attached: AttachedDocument, name: str) -> str:
    """Return the field at which a remark stands: if the file was kept in doubt, the file's own."""
    document = attached.document
    return f"doubt-{document.external_id}" if document.is_doubted else name


def _take(
    request: HttpRequest, sender: Sender, name: str, files: list[SentFile]
) -> list[AttachedDocument]:
    purpose, _dash, key = name.partition("-")
    if purpose in SIDES:
        return _add_side(request, sender, purpose, key, files)
    if purpose == REPLACEMENT:
        return _replace(sender, key, files)
    if sender.is_one_person:
        raise Http404
    return _add(request, sender, key, files)


def _add(
    request: HttpRequest, sender: Sender, key: str, files: list[SentFile]
) -> list[AttachedDocument]:
    incoming = [inspect(file, _kind(request, key)) for file in files]
    with file_transaction() as store:
        return documents.add_documents(
            sender.application,
            incoming,
            owner_id=_owner_id(request, sender, key),
            store=store,
            at=timezone.now(),
        )


def _add_side(
    request: HttpRequest, sender: Sender, purpose: str, key: str, files: list[SentFile]
) -> list[AttachedDocument]:
    """Store a picture of a proof of identity: a side of a card, or the only page of a passport.

    Raises: Http404 for a kind that proves no identity, Illegible.
    """
    kind = _kind(request, key)
    if kind not in IDENTITY_PROOFS:
        raise Http404
    incoming = inspect(files[0], kind, side=SIDES[purpose] if kind == CARD else "")
    incoming = replace(incoming, is_by_phone=sender.phone is not None)
    with file_transaction() as store:
        return documents.add_identity_proof(
            sender.application,
            incoming,
            owner_id=_owner_id(request, sender, key),
            by=sender.by,
            phones=sender.phone.uploads if sender.phone else None,
            store=store,
            at=timezone.now(),
        )


def _replace(sender: Sender, key: str, files: list[SentFile]) -> list[AttachedDocument]:
    document_id = uuid_or_404(key)
    if sender.is_one_person and not _sent_before(sender).filter(external_id=document_id).exists():
        raise Http404
    old = sender.application.lead.documents.filter(external_id=document_id).first()
    incoming = inspect(files[0], old.llc_file_type if old else "")
    incoming = replace(incoming, is_by_phone=sender.phone is not None)
    try:
        with file_transaction() as store:
            return documents.replace_document(
                sender.application,
                document_id,
                incoming,
                by=sender.by,
                store=store,
                at=timezone.now(),
            )
    except Document.DoesNotExist:
        raise Http404 from None


def _sent_before(sender: Sender) -> QuerySet[Document]:
    """Return the proofs of identity of the sender's person that the sender has sent before.

    For a phone, these are the files that it has sent itself.
    """
    sent = sender.application.lead.documents.filter(supplied_by=sender.by)
    sent = sent.filter(llc_file_type__in=IDENTITY_PROOFS)
    if sender.phone:
        sent = sent.filter(external_id__in=sender.phone.uploads)
    if sender.owner_id is None:
        return sent.filter(owner=None)
    return sent.filter(owner__external_id=sender.owner_id)


def confirm_sent(request: HttpRequest, sender: Sender) -> None:
    """Confirm that the file of the pressed button is legible; do nothing for another button.

    Raises: Http404, if the sender has not sent the file.
    """
    if not request.POST.get(CONFIRM):
        return
    document_id = uuid_or_404(request.POST[CONFIRM])
    if not _sent_before(sender).filter(external_id=document_id).exists():
        raise Http404
    with suppress(documents.NotReplaceable):  # the page shows how it stands
        documents.confirm_document(sender.application, document_id, by=sender.by, at=timezone.now())


def _kind(request: HttpRequest, key: str) -> str:
    kind = request.POST.get(f"kind-{key}", "")
    return kind if kind in LlcFileType.values else ""


def _owner_id(request: HttpRequest, sender: Sender, key: str) -> UUID | None:
    if sender.is_one_person:
        return sender.owner_id
    owner = request.POST.get(f"owner-{key}", "")
    return uuid_or_404(owner) if owner else None


def by_field(remarks: Sequence[Remark]) -> dict[str, list[str]]:
    """Return the texts of remarks by their fields."""
    found: dict[str, list[str]] = {}
    for remark in remarks:
        found.setdefault(remark.field, []).append(str(remark.text))
    return found


def doubts(attached: AttachedDocument) -> str:
    """Return a message to the sender about a stored file that is unusable, hard to read or not new.

    It is empty if there is nothing to say.
    """
    name = {"name": attached.document.file_name}
    if attached.document.status == DocumentStatus.QUARANTINED:
        if attached.document.detected_type == PDF:
            text = _(
                "“%(name)s” cannot be used as it is. Print it as a new PDF without a password, "
                "or send a picture."
            )
            return text % name
        if attached.document.detected_type in OFFICE_FILES:
            text = _(
                "“%(name)s” cannot be used as it is. Save it as a PDF without a password and send "
                "the PDF, or send a picture."
            )
            return text % name
        return _("“%(name)s” cannot be used. Send a PDF or a picture instead.") % name
    if attached.document.is_doubted and not attached.is_duplicate:
        return f"{DOUBTS[attached.document.doubt] % name} {BETTER}"
    if not attached.is_duplicate:
        return ""
    if attached.document.status == DocumentStatus.REJECTED:
        return (
            _("You sent “%(name)s” before, and we could not accept it. Send a different file.")
            % name
        )
    if attached.is_renewed:
        return ""
    return _("We already have “%(name)s”. You do not need to send it again.") % name


def uuid_or_404(text: str) -> UUID:
    """Return the UUID that a form sent as text. Raises: Http404 for another text."""
    try:
        return UUID(text)
    except ValueError:
        raise Http404 from None
