"""The last step: all data, missing items and the signature."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any, cast

from django.conf import settings
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import get_language

from onboarding import legal_texts
from onboarding.choices import CodePurpose, DocumentStatus, LegalText
from onboarding.flow import codes, overviews
from onboarding.flow.answers import Missing, list_answers_to_check
from onboarding.flow.form_pages import (
    LEAVE,
    DraftPage,
    as_data,
    page_url,
    posted,
    sent_fields,
    step_of_page,
)
from onboarding.flow.forms.signing import CHANGED, REFUSALS, SigningForm
from onboarding.flow.journeys import Journey, Step, step_of
from onboarding.flow.pages import StepPage, go_to, stay
from onboarding.models import FlowSession, Owner
from onboarding.models.people import Person
from onboarding.queries.leads import LeadFile
from onboarding.queries.requirements import Kind, Requirement
from onboarding.services.access import access_codes, sessions
from onboarding.services.leads import form_drafts, submissions
from onboarding.services.leads.form_drafts import Draft, session_page

NUMBERS = "numbers"  # parameter: show the personal numbers that were typed in this session
CAPITAL = re.compile(r"(?=[A-Z])")
FIRST_LINE = {"business_address": "business_address_line1", "address": "address_line1"}


class Review(DraftPage, StepPage):
    """Show all data that the applicant signs for, and accept the signature.

    Its draft belongs to the session: another session neither shows nor signs it, since a partner
    can open a session in a frame.
    """

    step = Step.REVIEW

    @cached_property
    def page(self) -> str:
        return session_page(self.step.value, cast("FlowSession", self.journey.session))

    def keep_posted(self, session: FlowSession, request: HttpRequest, **kwargs: Any) -> bool:
        """Keep nothing: no later session may show the draft."""
        return False

    def get(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        return self._show(request, self._restored(get_language() or settings.LANGUAGE_CODE))

    def patch(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """Keep the typed name alone: a box is ticked anew after each change of the page."""
        name = Draft({"signed_name": sent_fields(request).getlist("signed_name")})
        self.keep((self.draft or Draft({})).joined(name))
        return stay(cast("FlowSession", self.journey.session))

    def post(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        here = self.journey.url(self.step)
        if self.then:
            self.keep(Draft({} if self.then == LEAVE else posted(request.POST)))
            return self.answer(here)
        return self.sign(self._form(shown_language(request.POST), request.POST))

    def sign(self, form: SigningForm) -> HttpResponse:
        """Submit the application, or keep the form and redirect to the code's or this page."""
        try:
            is_signed = form.is_valid() and self._submit(form)
        except submissions.CodeMissing:
            return self._ask_for_code(form)
        if is_signed:
            self.keep(Draft({}))
            return go_to(self.journey.url("status"))
        self._keep_form(form)
        return go_to(self.journey.url(self.step))

    def _ask_for_code(self, form: SigningForm) -> HttpResponse:
        self._keep_form(form)
        application = self.journey.application
        if access_codes.has_code(application, CodePurpose.SIGNATURE, at=timezone.now()):
            return go_to(self.journey.url("confirm"))
        return self.send_code()

    def send_code(self) -> HttpResponse:
        """Mail a new code, and redirect to the page that asks for it."""
        journey = self.journey
        url = journey.url("confirm")
        language = get_language() or settings.LANGUAGE_CODE
        try:
            access_codes.send_code(
                journey.application, CodePurpose.SIGNATURE, language=language, at=timezone.now()
            )
        except access_codes.TooManyCodes:
            return go_to(f"{url}?{codes.REFUSED}={codes.FURTHER}")
        return go_to(url)

    def _keep_form(self, form: SigningForm) -> None:
        data = cast("QueryDict", form.data)
        self.keep(
            Draft(
                posted(data),
                version=f"{data.get('seen', '')} {shown_language(data)}",
                conflicts=["seen"] if CHANGED in form.non_field_errors() else [],
            )
        )

    def _form(self, language: str, data: QueryDict | None = None) -> SigningForm:
        documents = [legal_texts.current(text, language) for text in LegalText]
        state = submissions.state_of(self.journey.application.lead)
        return SigningForm(documents, language=language, state=state, data=data)

    def _restored(self, language: str) -> SigningForm:
        """Return the form with the typed name.

        The checkboxes are kept only for the same texts and the same state of the application.
        """
        form = self._form(language)
        draft, data = self.draft, as_data(self.draft)
        if draft is None or data is None:
            return form
        if draft.version != f"{form.state} {language}":
            form.initial["signed_name"] = data.get("signed_name", "")
            if "seen" in draft.conflicts:
                form.errors[NON_FIELD_ERRORS] = form.error_class([str(CHANGED)])
            return form
        bound = self._form(language, data)
        if bound.is_valid():
            self._attempt(bound, submissions.require_signable)
        return bound

    def _submit(self, form: SigningForm) -> bool:
        meta = self.request.META
        origin = submissions.Origin(
            self.journey.session, meta["REMOTE_ADDR"], meta.get("HTTP_USER_AGENT", "")
        )
        sign = partial(submissions.submit, at=timezone.now(), origin=origin)
        return self._attempt(form, sign)

    def _attempt(self, form: SigningForm, sign: Callable[..., Any]) -> bool:
        """Call `sign`; return whether it accepted the form, which otherwise gets the errors."""
        application = self.journey.application
        signed = {
            "signed_name": form.cleaned_data["signed_name"],
            "agreed": form.agreed,
            "language": form.language,
            "seen": form.cleaned_data["seen"],
        }
        try:
            if list_answers_to_check(self.journey, self.journey.file()):
                submissions.require_signable(application, **signed)  # which may know a reason, too
                raise submissions.Incomplete([])
            sign(application, **signed)
        except REFUSALS as exc:
            form.refuse(exc, name=application.lead.full_name)
            return False
        return True

    def _show(self, request: HttpRequest, form: SigningForm) -> HttpResponse:
        file = self.journey.file()
        lead = self.journey.application.lead
        documents = [one for one in file.documents if one.status != DocumentStatus.REPLACED]
        return self.show_step(
            request,
            "steps/review",
            file=file,
            form=form,
            missing=list_missing(self.journey, file),
            unsaved=self._list_unsaved(),
            documents=documents,
            wanted=[
                one for one in file.requirements if one.kind == Kind.DOCUMENT and one.is_awaited
            ],
            holders=overviews.list_holders(self.journey, file, shows=self._shows),
            business=overviews.about_business(lead, shows=self._shows),
            has_owners=Step.OWNERS in self.journey.steps or bool(file.owners),
            has_typed_numbers=bool(self.journey.session and self.journey.session.typed_numbers),
            are_numbers_shown=NUMBERS in request.GET,
            today=timezone.localdate(),
            boxes=[(*box, self.journey.url("legal", text=box[0].text)) for box in form.boxes],
            urls={name: self.journey.url(name) for name in (*Step.values, "withdraw")},
        )

    def _shows(self, person: Person, name: str, value: str) -> bool:
        """Return whether a number is shown in full: on request, to who typed it in the session."""
        session = self.journey.session
        if NUMBERS not in self.request.GET or session is None:
            return False
        return sessions.was_typed(session, f"{person.ubo_id}:{name}", value)

    def _list_unsaved(self) -> list[tuple[Step, str]]:
        """Return the pages with typed values that the signature would not include."""
        pages = form_drafts.list_unsaved_pages(self.journey.application, at=timezone.now())
        return [(step_of_page(page), page_url(self.journey, page)) for page in pages]


class Confirm(Review):
    """Ask for a mailed code before the signature, if the session was opened by a partner.

    Without a review that was signed in the session, no code is sent or taken, so none is used up.
    """

    form_id = ""

    @property
    def back_url(self) -> str:
        return self.journey.url(self.step)

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
        form = codes.CodeForm(request.POST)
        if not form.is_valid():
            return go_to(f"{request.path}?{codes.REFUSED}={codes.UNREADABLE}")
        now, code = timezone.now(), form.cleaned_data["code"]
        try:
            access_codes.check_code(self.journey.application, CodePurpose.SIGNATURE, code, at=now)
        except access_codes.CodeRefused:
            return go_to(f"{request.path}?{codes.REFUSED}={codes.WRONG}")
        if self.journey.session:
            sessions.confirm(self.journey.session, at=now)
        data = as_data(draft)
        return self.sign(self._form(shown_language(data), data))

    def _ask(self, request: HttpRequest, form: codes.CodeForm) -> HttpResponse:
        code = access_codes.SANDBOX_CODE if settings.IS_SANDBOX else ""
        url = self.journey.url(self.step)
        facts = {"form": form, "sandbox_code": code, "review_url": url}
        return self.show_step(request, "steps/confirm", is_signed=bool(self.draft), **facts)


def shown_language(data: QueryDict | None) -> str:
    """Return the language in which the form's texts were shown."""
    language = data.get("language", "") if data else ""
    return language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


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
    field = "" if requirement.kind == Kind.EDD else f"#id_{FIRST_LINE.get(name, name)}"
    if owner is None:
        return Missing(requirement.message, journey.url(step_of(requirement)) + field)
    url = overviews.owner_url(journey, owner)
    return Missing(requirement.message, url + field, owner.full_name or owner.email)
