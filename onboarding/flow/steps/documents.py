"""The documents step, and uploads after the submission."""

from collections.abc import Iterator, Sequence
from http import HTTPStatus
from uuid import UUID

from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _

from foundation.files import SHOWN_INLINE
from onboarding.choices import DocumentStatus, LlcFileType
from onboarding.flow.cross_device import PHONE, CrossDevicePage, PhoneLinkPage
from onboarding.flow.pages import FlowPage, StepPage
from onboarding.flow.receiving import CONFIRM, Remark, Sender, receive, uuid_or_404
from onboarding.flow.slots import list_slots
from onboarding.flow.upload_pages import CHANGES, REMOVE, facts_of
from onboarding.models import Document
from onboarding.models.documents import IS_UNSCANNED
from onboarding.queries.steps import Step
from onboarding.services.documents import applicant_documents as documents

REVIEW = Step.REVIEW.value  # parameter: the form is a part of the review
UNSEEN = [DocumentStatus.QUARANTINED, DocumentStatus.REPLACED]
ALONE = {  # a file opened directly must not run scripts or load resources
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
}


class Documents(CrossDevicePage, StepPage):
    """The page for uploads, before and after the submission."""

    step = Step.DOCUMENTS
    page_name = Step.DOCUMENTS.value

    @property
    def back_url(self) -> str:
        return super().back_url if self.journey.is_editable else self.journey.url("status")

    def get(self, request: HttpRequest) -> HttpResponse:
        """Show the page. Remarks about the last upload are shown once, and deleted.

        Raises: LeadLocked, if there are none and the application is no longer editable.
        """
        if not self.draft:
            self.require_editable()
            return self.show_uploads(request)
        return self.show_uploads(request, self.take_remarks())

    def post(self, request: HttpRequest) -> HttpResponse:
        is_going_on = "next" in request.POST
        here = self.form_url
        sender = Sender(self.journey.application, self.journey.session)
        remarks = [*receive(request, sender, is_any_wanted=self._wants_files(request))]
        remarks += self._change(request)
        if remarks:
            self.keep_remarks(remarks)
            return self.answer(here)
        if PHONE in request.POST:
            return self.continue_on_phone()
        if not self.journey.is_editable:
            here = self.journey.url("status")
        is_next = is_going_on and self.journey.is_editable
        return self.answer(self.journey.url(self.journey.after(self.step)) if is_next else here)

    @property
    def form_url(self) -> str:
        is_in_review = REVIEW in self.request.GET and self.journey.is_editable
        return self.journey.url(Step.REVIEW if is_in_review else self.step)

    def show_uploads(self, request: HttpRequest, remarks: Sequence[Remark] = ()) -> HttpResponse:
        """Render the page, with remarks about the sent files."""
        file = self.journey.file()
        slots = list_slots(self.journey, file)
        facts = facts_of(slots, remarks, self.journey.url(self.step))
        facts |= {f"{name}_url": self.journey.url(name) for name in ("business", "status")}
        return self.show_step(request, "steps/documents", file=file, **facts)

    def _wants_files(self, request: HttpRequest) -> bool:
        """Return whether the pressed button sends files, and nothing else."""
        return not self.then and not {"next", *CHANGES, PHONE} & request.POST.keys()

    def _change(self, request: HttpRequest) -> Iterator[Remark]:
        """Remove, move or confirm a file, as the pressed button says; yield a remark if refused.

        Nothing is done before the remarks are iterated. Raises: Http404 for an unknown file.
        """
        application, now = self.journey.application, timezone.now()
        chosen = next((request.POST[one] for one in CHANGES if request.POST.get(one)), "")
        if not chosen:
            return
        try:
            if REMOVE in request.POST:
                documents.remove_document(application, uuid_or_404(chosen), at=now)
            elif CONFIRM in request.POST:
                documents.confirm_document(application, uuid_or_404(chosen), at=now)
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


class Phone(PhoneLinkPage):
    """The page with the QR code for a phone of the applicant or an owner beside them."""

    @property
    def back_url(self) -> str:
        return self.journey.uploads_url


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
