"""The last step: everything at once, what is still missing, and the signature."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils import timezone
from django.utils.translation import get_language

from onboarding import legal_texts
from onboarding.choices import DocumentStatus, LegalText
from onboarding.flow import overviews
from onboarding.flow.form_pages import DraftPage, as_data, posted
from onboarding.flow.forms.signing import CHANGED, REFUSALS, SigningForm
from onboarding.flow.journeys import Journey, Step, step_of
from onboarding.flow.pages import StepPage, go_to
from onboarding.models import Owner
from onboarding.queries.leads import LeadFile
from onboarding.queries.requirements import Kind, Requirement
from onboarding.services import submissions
from onboarding.services.form_drafts import Draft

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

CAPITAL = re.compile(r"(?=[A-Z])")
FIRST_LINE = {"business_address": "business_address_line1", "address": "address_line1"}


@dataclass(frozen=True)
class Missing:
    """Something that must be filled in first, and where; `whose` is the name of an owner."""

    message: "StrOrPromise"
    url: str
    whose: str = ""


class Review(DraftPage, StepPage):
    """Show all that the applicant signs for, and take the signature."""

    step = Step.REVIEW

    def page_of(self, **kwargs: Any) -> str:
        return self.step.value

    def version_of(self, data: QueryDict) -> str:
        return f"{data.get('seen', '')} {data.get('language', '')}"

    def get(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        return self._show(request, self._restored(get_language() or settings.LANGUAGE_CODE))

    def post(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        here = self.journey.url(self.step)
        if self.then:
            self.keep(Draft(posted(request.POST)))
            return self.answer(here)
        form = self._form(shown_language(request), request.POST)
        if form.is_valid() and self._submit(form):
            self.keep(Draft({}))
            return go_to(self.journey.url("status"))
        self.keep(
            Draft(
                posted(request.POST),
                version=self.version_of(request.POST),
                conflicts=["seen"] if CHANGED in form.non_field_errors() else [],
            )
        )
        return go_to(here)

    def _form(self, language: str, data: QueryDict | None = None) -> SigningForm:
        documents = [legal_texts.current(text, language) for text in LegalText]
        state = submissions.state_of(self.journey.application.lead)
        return SigningForm(documents, language=language, state=state, data=data)

    def _restored(self, language: str) -> SigningForm:
        """Return the form with the name that was typed.

        The ticks are only kept for the same texts and the same state of the application.
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
        if draft.is_unsaved:
            bound.is_valid()
            bound.errors.clear()
        elif bound.is_valid():
            self._attempt(bound, submissions.require_signable)
        return bound

    def _submit(self, form: SigningForm) -> bool:
        return self._attempt(form, partial(submissions.submit, at=timezone.now()))

    def _attempt(self, form: SigningForm, sign: Callable[..., Any]) -> bool:
        """Call `sign` and return whether it accepted the form, which else shows why not."""
        application = self.journey.application
        try:
            sign(
                application,
                signed_name=form.cleaned_data["signed_name"],
                agreed=form.agreed,
                language=form.language,
                seen=form.cleaned_data["seen"],
            )
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
            documents=documents,
            wanted=[
                one for one in file.requirements if one.kind == Kind.DOCUMENT and one.is_awaited
            ],
            holders=overviews.list_holders(self.journey, file),
            business=overviews.about_business(lead),
            today=timezone.localdate(),
            boxes=[(*box, self.journey.url("legal", text=box[0].text)) for box in form.boxes],
            urls={name: self.journey.url(name) for name in (*Step.values, "withdraw")},
        )


def shown_language(request: HttpRequest) -> str:
    """Return the language in which the applicant read the texts that the form is about."""
    language = request.POST.get("language", "")
    return language if language in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE


def list_missing(journey: Journey, file: LeadFile) -> list[Missing]:
    """Return what must be filled in before the submission, each with the place for it."""
    owners = {owner.external_id: owner for owner in file.owners}
    return [
        _missing(journey, one, owners[one.ubo_id] if one.ubo_id else None)
        for one in submissions.list_blocking(file.requirements)
    ]


def _missing(journey: Journey, requirement: Requirement, owner: Owner | None) -> Missing:
    name = CAPITAL.sub("_", requirement.target.removeprefix("/")).lower()
    field = "" if requirement.kind == Kind.EDD else f"#id_{FIRST_LINE.get(name, name)}"
    if owner is None:
        return Missing(requirement.message, journey.url(step_of(requirement)) + field)
    url = overviews.owner_url(journey, owner)
    return Missing(requirement.message, url + field, owner.full_name or owner.email)
