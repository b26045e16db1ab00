"""The last step: all data, missing items and the signature."""

import re
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from foundation.privacy.fields import encrypted_names
from onboarding.choices import CodePurpose, LegalText
from onboarding.flow import codes, overviews
from onboarding.flow.answers import Missing, list_answers_to_check
from onboarding.flow.form_pages import as_data, page_url, step_of_page
from onboarding.flow.forms.signing import SigningForm
from onboarding.flow.holdings import branches, list_totals
from onboarding.flow.journeys import Journey
from onboarding.flow.proving import ProvingPage
from onboarding.flow.receiving import Remark
from onboarding.flow.signing_pages import SigningPage, shown_language
from onboarding.flow.slot_documents import slot_document
from onboarding.flow.slots import Slot, list_slots
from onboarding.flow.steps.documents import REVIEW
from onboarding.flow.upload_pages import facts_of, take_remarks
from onboarding.models import Lead, Owner
from onboarding.models.people import Person
from onboarding.queries.leads import LeadFile
from onboarding.queries.requirements import Kind, Requirement
from onboarding.queries.steps import Step, step_of
from onboarding.services.access import access_codes, sessions
from onboarding.services.leads import form_drafts, signed_records, submissions
from onboarding.services.leads.overviews import about_business

CHECKED = ("signed_name", "agreed", "language", "seen")  # of a signature
NUMBERS = "numbers"  # parameter: show the personal numbers that the applicant has just typed
CAPITAL = re.compile(r"(?=[A-Z])")
FIRST_LINE = {"business_address": "business_address_line1", "address": "address_line1"}


class Review(SigningPage, ProvingPage):
    """Show all data that the applicant signs for, and accept the signature."""

    step = Step.REVIEW
    page_name = Step.REVIEW.value
    texts = tuple(LegalText)

    @property
    def signer(self) -> Lead:
        return self.journey.application.lead

    @property
    def next_url(self) -> str:
        return self.journey.url("status")

    def get(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        return self._show(request, self.restored())

    def sign(self, form: SigningForm) -> HttpResponse:
        try:
            return super().sign(form)
        except submissions.CodeMissing:
            self.keep_form(form)
            return self.ask_for_code()

    def state_of_answers(self) -> str:
        return submissions.state_of(self.signer)

    def check(self, **signature: Any) -> None:
        submissions.require_signable(self.journey.application, **signature)
        if self._has_answers_to_check():
            raise submissions.Incomplete([])

    def submit(self, **signature: Any) -> None:
        if self._has_answers_to_check():
            checked = {name: value for name, value in signature.items() if name in CHECKED}
            self.check(**checked)  # which may know another reason, too
        submissions.submit(self.journey.application, **signature)

    def _has_answers_to_check(self) -> bool:
        return bool(list_answers_to_check(self.journey, self.journey.file()))

    @property
    def code_url(self) -> str:
        return self.journey.url("confirm")

    def _show(self, request: HttpRequest, form: SigningForm) -> HttpResponse:
        file = self.journey.file()
        lead = self.journey.application.lead
        slots = self._list_slots(file)
        shown = {one.document.pk for slot in slots for one in slot.documents}
        documents = [
            slot_document(self.journey, one, file.owners)
            for one in signed_records.list_documents(file)
            if one.pk not in shown
        ]
        return self.show_step(
            request,
            "steps/review",
            file=file,
            form=form,
            missing=list_missing(self.journey, file),
            unsaved=self._list_unsaved(),
            documents=documents,
            wanted=[
                one
                for one in file.requirements
                if one.kind == Kind.DOCUMENT
                and one.is_awaited
                and not any(slot.asks_for(one) for slot in slots)
            ],
            **facts_of(slots, self._take_remarks(), f"{self.journey.url(Step.DOCUMENTS)}?{REVIEW}"),
            holders=overviews.list_holders(self.journey, file, shows=self._shows),
            holdings=branches(file.holdings),
            totals=list_totals(file.people, file.holdings),
            business=about_business(lead, shows=self._shows),
            has_owners=Step.OWNERS in self.journey.steps or bool(file.owners),
            has_typed_numbers=bool(self.journey.session and self.journey.session.typed_numbers),
            has_hidden_numbers=any(map(_has_numbers, file.people)),
            are_numbers_shown=NUMBERS in request.GET,
            today=timezone.localdate(),
            boxes=[(*box, self.journey.url("legal", text=box[0].text)) for box in form.boxes],
            urls={name: self.journey.url(name) for name in LINKED},
        )

    def _list_slots(self, file: LeadFile) -> list[Slot]:
        """Return the slots that the review has itself: identification that no step asks for."""
        if Step.DOCUMENTS in self.journey.steps:
            return []
        return [slot for slot in list_slots(self.journey, file) if slot.is_identity]

    def _take_remarks(self) -> list[Remark]:
        """Return the remarks about files that were sent from the review, and delete them."""
        application, page = self.journey.application, Step.DOCUMENTS.value
        if Step.DOCUMENTS in self.journey.steps or page not in dict(self.pages_with_drafts):
            return []
        draft = form_drafts.find(application, page, at=timezone.now())
        return take_remarks(application, page, draft)

    def _shows(self, person: Person, name: str, value: str) -> bool:
        """Return whether a personal number is shown in full.

        It is if the query asks for it and the stored number was typed in the same `FlowSession`.
        """
        session = self.journey.session
        if NUMBERS not in self.request.GET or session is None:
            return False
        return sessions.was_typed(session, f"{person.ubo_id}:{name}", value)

    def _list_unsaved(self) -> list[tuple[Step, str]]:
        """Return step and path of each page with typed values that are not saved, so not signed."""
        pages = form_drafts.unsaved_pages(self.pages_with_drafts)
        return [
            (step_of_page(page), page_url(self.journey, page))
            for page in pages
            if page != form_drafts.STATUS  # an answer to the bank's messages is not signed
        ]


class Confirm(Review):
    """Ask for a mailed code before the signature, if the session was opened by a partner.

    Without a review that was signed in the session, no code is sent or taken, so none is used up.
    """

    form_id = ""

    @property
    def back_url(self) -> str:
        return self.journey.url(self.step)

    def loses(self, request: HttpRequest) -> bool:
        """Return True: the signed review ends with its session."""
        return True

    def get(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        application, purpose = self.journey.application, CodePurpose.SIGNATURE
        refusal = codes.refuse_further(
            request, application, purpose, back_url=self.back_url, journey=self.journey
        )
        return refusal or self._ask(request, codes.refused_form(request, application, purpose))

    def post(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        draft = self.draft
        if draft is None:
            return self._ask(request, codes.CodeForm())
        if "again" in request.POST:
            return self.send_code()
        if refusal := self.check_code(request):
            return refusal
        data = as_data(draft)
        return self.sign(self.signing_form(shown_language(data), data))

    def _ask(self, request: HttpRequest, form: codes.CodeForm) -> HttpResponse:
        code = access_codes.SANDBOX_CODE if settings.IS_SANDBOX else ""
        url = self.journey.url(self.step)
        facts = {"form": form, "sandbox_code": code, "review_url": url}
        return self.show_step(request, "steps/confirm", is_signed=bool(self.draft), **facts)


LINKED = (Step.YOU, Step.BUSINESS, Step.OWNERS, Step.DOCUMENTS, "withdraw")  # of the review


def _has_numbers(person: Person) -> bool:
    """Return whether the review shows the last digits of a personal number of the person."""
    is_own = isinstance(person, Owner) and person.has_own_part
    return not is_own and any(getattr(person, name) for name in encrypted_names(type(person)))


def list_missing(journey: Journey, file: LeadFile) -> list[Missing]:
    """Return the items missing for the submission and the answers to check, with their pages."""
    owners = {owner.external_id: owner for owner in file.owners}
    blocking = submissions.list_blocking(file.requirements)
    missing = [
        _missing(journey, one, owners[one.ubo_id] if one.ubo_id else None) for one in blocking
    ]
    return [*missing, *list_answers_to_check(journey, file)]


def _missing(journey: Journey, requirement: Requirement, owner: Owner | None) -> Missing:
    name = CAPITAL.sub("_", requirement.target.removeprefix("/")).lower()
    is_field = requirement.kind == Kind.FIELD
    field = f"#id_{FIRST_LINE.get(name, name)}" if is_field else ""
    if owner is None:
        return Missing(requirement.message, journey.url(step_of(requirement)) + field)
    url = overviews.owner_url(journey, owner)
    return Missing(requirement.message, url + field, owner.full_name or owner.email)
