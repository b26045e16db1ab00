"""The pages on which an invited owner fills in and signs their own part, and sees nothing else."""

from http import HTTPStatus
from typing import Any, cast

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone

from onboarding.choices import ApplicationStatus, StatusGroup, Supplier
from onboarding.flow.cross_device import PHONE, CrossDevicePage, PhoneLinkPage
from onboarding.flow.form_pages import PersonFormPage, save_form
from onboarding.flow.forms.people import PartForm
from onboarding.flow.forms.signing import PartSigningForm
from onboarding.flow.journeys import Journey, entrance_url
from onboarding.flow.legal import Legal
from onboarding.flow.pages import FlowPage, go_to
from onboarding.flow.receiving import CONFIRM, Sender, confirm_sent, receive
from onboarding.flow.signing_pages import SigningPage
from onboarding.flow.slots import Slot, own_slot
from onboarding.flow.steps.signed import Signed, SignedPdf
from onboarding.flow.upload_pages import UploadPage, facts_of
from onboarding.models import FlowSession, Owner, OwnerRecord
from onboarding.queries.requirements import list_missing_of_part
from onboarding.services.applications.attempts import LeadLocked
from onboarding.services.leads import drafts, form_drafts, owner_parts, signed_records
from onboarding.services.leads.drafts import NotYourPart
from onboarding.services.leads.overviews import about_own_part


class PartPage(FlowPage):
    """A page of the owner's own part, which ends with the application."""

    @property
    def owner(self) -> Owner:
        """Return the owner whose session it is."""
        return cast("Owner", self.journey.owner)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return super().dispatch(request, *args, **kwargs)
        except (LeadLocked, NotYourPart):  # completed or submitted meanwhile
            return go_to(self.journey.url("completed"))
        except Owner.DoesNotExist:  # removed meanwhile
            return go_to(entrance_url("start", self.journey.key))

    def _fits(self, session: FlowSession, key: dict[str, Any]) -> bool:
        return super()._fits(session, key) and session.application.group is not StatusGroup.CLOSED

    def require_editable(self) -> None:
        """Refuse changes of a part that is completed or locked. Raises: LeadLocked, NotYourPart."""
        super().require_editable()
        if not self.owner.is_waited_for:
            raise NotYourPart

    def show(self, request: HttpRequest, template: str, **facts: Any) -> HttpResponse:
        return super().show(request, template, owner=self.owner, **facts)


class Details(PersonFormPage, PartPage):
    """The page with the form in which an invited owner fills in their own part."""

    page_name = "details"

    def page_of(self, **kwargs: Any) -> str:
        return form_drafts.part_page(self.owner.external_id)

    def keep_posted(self, session: FlowSession, request: HttpRequest, **kwargs: Any) -> bool:
        is_open = self.owner.is_waited_for and self.journey.is_editable
        return is_open and super().keep_posted(session, request, **kwargs)

    def get(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        return self.show(request, "part/details", form=self.restored(PartForm, self.owner))

    def post(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        form = self.bind(PartForm, self.owner)
        is_whole = save_form(form, self._save)
        self.keep_rest(form)
        is_next = is_whole and not self.then
        return self.answer(self.journey.url("sign" if is_next else "details"))

    def _save(self, form: PartForm) -> drafts.Saved:
        return owner_parts.save_part(
            self.journey.application,
            self.owner,
            form.values,
            seen=form.seen,
            at=timezone.now(),
            confirmed=form.confirmed,
        )


class Sign(SigningPage, PartPage):
    """The page that shows an invited owner's details once more, for consents and a signature."""

    page_name = "sign"
    texts = owner_parts.TEXTS
    form_class = PartSigningForm

    @property
    def back_url(self) -> str:
        return self.journey.url("details")

    @property
    def page(self) -> str:
        session = cast("FlowSession", self.journey.session)
        return form_drafts.session_page(f"{form_drafts.PART}-sign", session)

    @property
    def signer(self) -> Owner:
        return self.owner

    @property
    def next_url(self) -> str:
        return self.journey.url("completed")

    def get(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        if list_missing_of_part(self.owner):
            return go_to(self.back_url)
        form = self.restored()
        return self.show(
            request,
            "part/sign",
            form=form,
            lines=about_own_part(self.owner),
            details_url=self.back_url,
            identification_url=self.journey.url("identification"),
            identification=own_identification(self.journey),
            boxes=[(*box, self.journey.url("legal", text=box[0].text)) for box in form.boxes],
        )

    def state_of_answers(self) -> str:
        return owner_parts.state_of(self.owner)

    def check(self, **signature: Any) -> None:
        owner_parts.require_signable(self.owner, **signature)

    def submit(self, **signature: Any) -> None:
        owner_parts.complete(self.journey.application, self.owner, **signature)


class Identification(CrossDevicePage, UploadPage, PartPage):
    """The page on which the owner sends pictures of their identification, and sees no others."""

    page_name = "identification"

    @property
    def closed_url(self) -> str:
        return self.journey.url("completed")

    @property
    def back_url(self) -> str:
        return first_part_page(self.journey, is_back=True)

    @property
    def page(self) -> str:
        session = cast("FlowSession", self.journey.session)
        return form_drafts.session_page(f"{form_drafts.PART}-{self.page_name}", session)

    def get(self, request: HttpRequest) -> HttpResponse:
        application = self.journey.application
        if not ApplicationStatus(application.status).takes_documents:
            return go_to(self.closed_url)
        slot = own_identification(self.journey)
        facts = facts_of([slot], self.take_remarks(), self.journey.url(self.page_name))
        return self.show(request, "part/identification", done_url=self.back_url, **facts)

    def post(self, request: HttpRequest) -> HttpResponse:
        sender = Sender(
            self.journey.application,
            self.journey.session,
            by=Supplier.OWNER,
            is_one_person=True,
            owner_id=self.owner.external_id,
        )
        is_any_wanted = not self.then and not {CONFIRM, PHONE} & request.POST.keys()
        if remarks := [*receive(request, sender, is_any_wanted=is_any_wanted)]:
            self.keep_remarks(remarks)
        confirm_sent(request, sender)
        if PHONE in request.POST:
            return self.continue_on_phone()
        return self.answer(self.journey.url(self.page_name))


class OwnersPhone(PhoneLinkPage, PartPage):
    """The page with the QR code for the owner's phone."""

    @property
    def back_url(self) -> str:
        return self.journey.url("identification")


class Completed(PartPage):
    """The page of an owner whose part is completed, or was ended by the submission."""

    def get(self, request: HttpRequest) -> HttpResponse:
        if self.owner.is_waited_for and self.journey.is_editable:
            return go_to(self.journey.url("details"))
        can_send = ApplicationStatus(self.journey.application.status).takes_documents
        return self.show(
            request,
            "part/completed",
            identification_url=self.journey.url("identification") if can_send else "",
            identification=own_identification(self.journey),
            has_record=signed_records.has_part_record(self.journey.application, self.owner),
            signed_url=self.journey.url("signed"),
        )


class PartSigned(Signed, PartPage):
    """The page of what the owner signed."""

    layout = "onboarding/flow/part/page.html"

    @property
    def back_url(self) -> str:
        return self.journey.url("completed")

    def find_record(self) -> OwnerRecord:
        return signed_records.get_part_record(self.journey.application, self.owner)


class PartSignedPdf(SignedPdf, PartSigned):
    """The signed answers and texts of an owner as a PDF file, for the owner to keep."""


class PartLegal(Legal, PartPage):
    """A page with one of the texts that owners agree to."""

    @property
    def back_url(self) -> str:
        return self.journey.url("sign")

    def get(self, request: HttpRequest, text: str) -> HttpResponse:
        if text not in owner_parts.TEXTS:
            return self.refuse("no_document", HTTPStatus.NOT_FOUND)
        return super().get(request, text)


def first_part_page(journey: Journey, *, is_back: bool = False) -> str:
    """Return the path of the page on which an owner continues their own part.

    With `is_back`, of the page to which the page for uploads leads back.
    """
    owner = cast("Owner", journey.owner)
    if not (owner.is_waited_for and journey.is_editable):
        is_wanted = not is_back and own_identification(journey).is_wanted
        return journey.url("identification" if is_wanted else "completed")
    page = form_drafts.part_page(owner.external_id)
    is_typed = form_drafts.find(journey.application, page, at=timezone.now()) is not None
    return journey.url("details" if is_typed or list_missing_of_part(owner) else "sign")


def own_identification(journey: Journey) -> Slot:
    """Return the slot for the identification of the owner whose session it is."""
    return own_slot(journey.file(), journey.owner, journey, by=Supplier.OWNER)
