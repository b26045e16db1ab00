"""The documents step, and uploads after the submission."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFilesSent
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.files import PDF, SHOWN_INLINE
from foundation.inspection.file_types import OFFICE_TYPES, OLE, RTF
from onboarding.choices import DocumentStatus, LlcFileType
from onboarding.flow.files import NotReceived, SentFile, Spooling, sent_files
from onboarding.flow.form_pages import DraftPage
from onboarding.flow.pages import FlowPage, StepPage, go_to
from onboarding.flow.slots import list_slots
from onboarding.lazy_texts import StrOrPromise
from onboarding.models import Document, FlowSession, Owner
from onboarding.models.documents import IS_UNSCANNED
from onboarding.queries.steps import Step
from onboarding.services.access import sessions
from onboarding.services.applications.attempts import ApplicationClosed, CustomerAlreadyOnboarded
from onboarding.services.documents import applicant_documents as documents
from onboarding.services.documents.file_store import file_transaction
from onboarding.services.documents.intake import AttachedDocument, TooManyDocuments
from onboarding.services.leads import form_drafts
from onboarding.services.leads.form_drafts import Draft
from onboarding.uploads import StorageUnavailable, Uploads

REMOVE, MOVE = "remove", "move"  # buttons at a file
RETRY_SECONDS = "60"  # the wait after an upload that could not be stored
OFFICE_FILES = {OLE, RTF, *OFFICE_TYPES}
UNSEEN = [DocumentStatus.QUARANTINED, DocumentStatus.REPLACED]
ALONE = {  # a file opened directly must not run scripts or load resources
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
}


@dataclass(frozen=True)
class Remark:
    """A message about the files of a field, or about the whole form if `field` is empty."""

    field: str
    text: StrOrPromise


class Documents(DraftPage, StepPage):
    """The page for uploads, before and after the submission."""

    step = Step.DOCUMENTS
    page_name = Step.DOCUMENTS.value
    form_id = "uploads"

    @property
    def back_url(self) -> str:
        return super().back_url if self.journey.is_editable else self.journey.url("status")

    def keep_posted(self, session: FlowSession, request: HttpRequest, **kwargs: Any) -> bool:
        """Keep nothing: files of an ended session are not stored."""
        return False

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        with closing(Uploads()) as spool:
            request.upload_handlers = [Spooling(request, spool)]
            try:
                return super().dispatch(request, *args, **kwargs)
            except (ApplicationClosed, CustomerAlreadyOnboarded):
                return go_to(self.journey.url("status"))
            except (TooManyFilesSent, RequestDataTooBig):
                return self.refuse("too_large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            except StorageUnavailable:
                response = self.refuse("no_storage", HTTPStatus.SERVICE_UNAVAILABLE)
                response["Retry-After"] = RETRY_SECONDS
                return response

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the page. Remarks about the last upload are shown once, and deleted.

        Raises: LeadLocked, if there are none and the application is no longer editable.
        """
        if not self.draft:
            self.require_editable()
            return self.show_uploads(request)
        form_drafts.discard(self.journey.application, self.page)
        values = self.draft.values.items()
        remarks = [Remark(field, text) for field, texts in values for text in texts]
        return self.show_uploads(request, remarks)

    def post(self, request: HttpRequest) -> HttpResponse:
        is_going_on = "next" in request.POST
        here = self.journey.url(self.step)
        remarks = [*self._receive(request, is_any_wanted=self._wants_files(request))]
        remarks += self._change(request)
        if remarks:
            self.keep(Draft(by_field(remarks)))
            return self.answer(here)
        if not self.journey.is_editable:
            here = self.journey.url("status")
        is_next = is_going_on and self.journey.is_editable
        return self.answer(self.journey.url(self.journey.after(self.step)) if is_next else here)

    def show_uploads(self, request: HttpRequest, remarks: Sequence[Remark] = ()) -> HttpResponse:
        """Render the page, with remarks about the sent files."""
        file = self.journey.file()
        slots = list_slots(self.journey, file)
        facts: dict[str, Any] = {"slots": slots, "remarks": remarks, "draft": None}
        facts["noted"] = {remark.field for remark in remarks}
        facts |= {f"{name}_url": self.journey.url(name) for name in ("business", "status")}
        return self.show_step(request, "steps/documents", file=file, **facts)

    def _receive(self, request: HttpRequest, *, is_any_wanted: bool) -> Iterator[Remark]:
        """Store the acceptable files of a form, and yield remarks about the others."""
        try:
            sent = sent_files(request)
        except NotReceived as exc:
            yield Remark("", str(exc))
            return
        if is_any_wanted and not sent:
            yield Remark("", _("Choose a file first."))
        for name, files in sent.items():
            yield from (Remark(name, file.fault) for file in files if file.fault)
            whole = [file for file in files if not file.fault]
            if whole:
                yield from self._store(request, name, whole)

    def _wants_files(self, request: HttpRequest) -> bool:
        """Return whether the pressed button sends files, and nothing else."""
        return not self.then and not {"next", REMOVE, MOVE} & request.POST.keys()

    def _change(self, request: HttpRequest) -> Iterator[Remark]:
        """Remove or move a file, as the pressed button says."""
        application, now = self.journey.application, timezone.now()
        chosen = request.POST.get(REMOVE) or request.POST.get(MOVE)
        if not chosen:
            return
        try:
            if REMOVE in request.POST:
                documents.remove_document(application, uuid_or_404(chosen), at=now)
            else:
                kind = request.POST.get(f"kind-of-{chosen}", "")
                if kind not in LlcFileType.values:
                    yield Remark(f"kind-of-{chosen}", _("Choose the type of the document."))
                    return
                documents.move_document(application, uuid_or_404(chosen), LlcFileType(kind), at=now)
        except Document.DoesNotExist:
            raise Http404 from None
        except documents.NotReplaceable:
            yield Remark("", _("This file cannot be changed any more. Reload the page."))

    def _store(self, request: HttpRequest, name: str, files: list[SentFile]) -> Iterator[Remark]:
        """Store the files of one field."""
        purpose, _dash, key = name.partition("-")
        store = self._replace if purpose == "replacement" else self._add
        try:
            stored = store(request, key, files)
        except TooManyDocuments:
            text = _("You cannot add more files. An application can have up to %(limit)s files.")
            yield Remark(name, text % {"limit": settings.DOCUMENTS_MAX_PER_LEAD})
        except Owner.DoesNotExist:
            yield Remark(name, _("This person is no longer on the list of owners."))
        except documents.NotReplaceable:
            text = _("“%(name)s” was not sent. The old file has already been accepted or replaced.")
            yield Remark(name, text % {"name": files[0].name})
        else:
            if self.journey.session:
                sessions.record_uploads(self.journey.session, (one.document for one in stored))
            yield from (Remark(name, text) for one in stored if (text := doubts(one)))

    def _add(self, request: HttpRequest, key: str, files: list[SentFile]) -> list[AttachedDocument]:
        kind = request.POST.get(f"kind-{key}", "")
        kind = kind if kind in LlcFileType.values else ""
        owner = request.POST.get(f"owner-{key}", "")
        incoming = [file.inspect(kind) for file in files]
        with file_transaction() as store:
            return documents.add_documents(
                self.journey.application,
                incoming,
                owner_id=uuid_or_404(owner) if owner else None,
                store=store,
                at=timezone.now(),
            )

    def _replace(
        self, request: HttpRequest, key: str, files: list[SentFile]
    ) -> list[AttachedDocument]:
        application, document_id = self.journey.application, uuid_or_404(key)
        incoming = files[0].inspect("")
        try:
            with file_transaction() as store:
                return documents.replace_document(
                    application, document_id, incoming, store=store, at=timezone.now()
                )
        except Document.DoesNotExist:
            raise Http404 from None


class Preview(FlowPage):
    """A view of a file of the lead that is scanned, and not quarantined or replaced.

    A session in a partner's frame shows fewer files until a mailed code was entered.
    """

    def get(self, request: HttpRequest, document_id: UUID) -> HttpResponseBase:
        scanned = self.journey.application.lead.documents.exclude(IS_UNSCANNED)
        usable = scanned.exclude(status__in=UNSEEN)
        try:
            document = usable.exclude(file="").get(external_id=document_id)
            if not self.journey.may_open(document):
                raise Document.DoesNotExist
            content = document.open_file()
        except (Document.DoesNotExist, FileNotFoundError):
            return self.refuse("no_document", HTTPStatus.NOT_FOUND)
        is_shown = document.detected_type in SHOWN_INLINE
        return FileResponse(
            content,
            as_attachment=not is_shown,
            filename=document.safe_name,
            content_type=document.detected_type if is_shown else "application/octet-stream",
            headers=ALONE,
        )


def by_field(remarks: Sequence[Remark]) -> dict[str, list[str]]:
    """Return the texts of remarks by their fields."""
    found: dict[str, list[str]] = {}
    for remark in remarks:
        found.setdefault(remark.field, []).append(str(remark.text))
    return found


def doubts(attached: AttachedDocument) -> str:
    """Return why a received file does not help; empty if it does."""
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
    """Return an id from a form of this site. Raises: Http404."""
    try:
        return UUID(text)
    except ValueError:
        raise Http404 from None
