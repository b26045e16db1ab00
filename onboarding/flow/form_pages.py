"""Form pages: pages that keep everything typed in a form as a draft.

A POST that cannot be saved in full is answered by a redirect to the page, which shows the form
again, so Back and reload work. A script sends typed fields by PATCH before the form is posted. The
draft survives a switch of language and, unless it is of a signature, the end of the session. Errors
are shown once the applicant has saved the form, not while they are still at it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Generic, TypeVar, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils import timezone
from django.utils.functional import cached_property

from onboarding.errors import Invalid
from onboarding.flow.forms.base import HIDDEN, FlowForm
from onboarding.flow.forms.questions import REPLY
from onboarding.flow.journeys import Journey, leave, switch_language
from onboarding.flow.pages import FlowPage, StepPage, go_to, stay
from onboarding.models import FlowSession, Lead
from onboarding.queries.steps import Step
from onboarding.services.access import sessions
from onboarding.services.leads import drafts, form_drafts
from onboarding.services.leads.form_drafts import Draft

AnyForm = TypeVar("AnyForm", bound=FlowForm)
THEN = "then"  # the button that was pressed, one of BUTTONS or a language
LEAVE, BACK, CANCEL, SEARCH, PERSON = "leave", "back", "cancel", "search", "person"
MAILING = "mailing"  # the button that shows the fields of another mailing address
BUTTONS = {LEAVE, BACK, CANCEL, SEARCH, PERSON, MAILING, REPLY}
UNFINISHED = {BACK, SEARCH, MAILING, *dict(settings.LANGUAGES)}  # buttons of an unfinished form
CHECK = "check"  # parameter of a page: show the errors of the stored values
ALL_KEPT = "all_kept"  # set by a script if the draft had all changes before the form was posted
ASIDE = {"csrfmiddlewaretoken", THEN, ALL_KEPT, *HIDDEN}


class DraftPage(FlowPage):
    """A page whose posted form is kept until all of it is saved."""

    form_id = "step"
    page_name: str

    def page_of(self, **kwargs: Any) -> str:
        """Return the name under which the page's draft is stored."""
        return self.page_name

    @cached_property
    def page(self) -> str:
        """Return the draft's name for this request."""
        return self.page_of(**self.kwargs)

    @cached_property
    def draft(self) -> Draft | None:
        """Return the draft of the form; None if there is none."""
        return form_drafts.find(self.journey.application, self.page, at=timezone.now())

    @property
    def then(self) -> str:
        """Return the pressed button's extra action: one of BUTTONS or a language; empty if none."""
        then = self.request.POST.get(THEN, "")
        return then if then in {*BUTTONS, *dict(settings.LANGUAGES)} else ""

    def patch(self, request: HttpRequest, **kwargs: Any) -> HttpResponse:
        """Add to the draft the fields that a script sends while the applicant types."""
        session = cast("FlowSession", self.journey.session)
        self.keep_posted(session, request, **kwargs)
        return stay(session)

    def keep_posted(self, session: FlowSession, request: HttpRequest, **kwargs: Any) -> bool:
        page = self.page_of(**kwargs)
        if not form_drafts.has_page(session.application, page):
            return False
        data = sent_fields(request)
        draft = Draft(posted(data), seen=data.get("seen_marks", ""), is_unsaved=True)
        form_drafts.add(session.application, page, draft, at=timezone.now())
        return True

    def loses(self, request: HttpRequest) -> bool:
        return ALL_KEPT not in sent_fields(request)

    def keep(self, draft: Draft, page: str = "") -> None:
        """Replace the stored draft of `page`, by default this page.

        A draft without values deletes the stored draft, but only if this page has a draft itself.
        """
        if draft.values or self.draft:
            application, page = self.journey.application, page or self.page
            form_drafts.keep(application, page, draft, at=timezone.now())

    def answer(self, url: str) -> HttpResponse:
        """Redirect as the pressed button says: leave, go back, switch the language, or to `url`."""
        if self.then == LEAVE and not self.journey.is_embedded:
            return leave(self.journey)
        if self.then in dict(settings.LANGUAGES):
            return switch_language(self.journey, self.then, url)
        if self.then in {SEARCH, MAILING}:
            return go_to(f"{url}?{self.then}#{self.then}")
        return go_to(self.back_url if self.then in {BACK, CANCEL} and self.back_url else url)

    def show(self, request: HttpRequest, template: str, **facts: Any) -> HttpResponse:
        draft = facts.pop("draft") if "draft" in facts else self.draft
        is_answer = {SEARCH, MAILING} & request.GET.keys()  # the page answers a button
        facts["is_unsaved"] = bool(draft and draft.is_unsaved) and not is_answer
        return super().show(request, template, **facts)


class PersonFormPage(DraftPage):
    """A page with a form about the lead or an owner."""

    def bind(self, form: Callable[..., AnyForm], person: Any) -> AnyForm:
        """Return the posted form, with the draft's numbers, which the page did not show again."""
        bound = form(person, self.request.POST)
        if self.draft:
            bound.use_numbers(self.draft)
        return bound

    def restored(self, form: "type[AnyForm]", person: Any) -> AnyForm:
        """Return the form for the page, with stored values overridden by the draft.

        A link that asks for CHECK shows the errors of stored values, too.
        """
        if CHECK in self.request.GET:
            return form.checked(person, self.draft)
        return form.restored(person, self.draft) if self.draft else form(person)

    def remember_numbers(self, form: FlowForm) -> None:
        """Record the posted personal numbers, which the review may show this browser in full.

        Numbers of the draft are left out: another session may have typed the draft.
        """
        posted = {
            key: number
            for key, number in form.typed_numbers.items()
            if self.request.POST.get(key.rpartition(":")[2])
        }
        if self.journey.session and posted:
            sessions.record_numbers(self.journey.session, posted)

    def keep_rest(self, form: AnyForm, page: str = "") -> None:
        """Keep the fields of a form that were not saved as a draft.

        Blank fields are left out if the button had an extra action. Fields that were typed in
        another window stay in the draft.
        """
        due = self.due_errors(form) if self.then in UNFINISHED else None
        rest = form.rest(skips_blank=bool(self.then), due=due)
        if self.draft and page in {"", self.page}:
            rest = self._of_other_windows(self.draft, form.data).joined(rest)
        self.keep(rest, page)

    def due_errors(self, form: Any) -> set[str]:
        """Return fields whose errors the button shows in an unfinished form; none by default."""
        return set()

    def _of_other_windows(self, draft: Draft, data: QueryDict) -> Draft:
        """Return the draft without fields that the page showed, or sends with the same values.

        The remaining fields were typed in another window.
        """
        known = data.get("drafted", "").split()
        others = {
            name: values
            for name, values in draft.values.items()
            if name not in known and values != data.getlist(name)
        }
        return replace(draft, values=others)


class FormStep(PersonFormPage, StepPage, Generic[AnyForm]):
    """A step with one form about the lead, which saves its valid fields."""

    form: type[AnyForm]
    template: str

    def get(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        lead = self.journey.application.lead
        return self.show_form(request, self.restored(self.form, lead))

    def post(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        form = self.bind(self.form, self.journey.application.lead)
        is_whole = save_form(form, self.save)
        self.keep_rest(form)
        self.remember_numbers(form)
        self.journey.application.lead = cast("Lead", form.person)  # its type decides the steps
        here = self.journey.url(self.step)
        is_next = is_whole and not self.then
        return self.answer(self.journey.url(self.journey.after(self.step)) if is_next else here)

    def show_form(self, request: HttpRequest, form: AnyForm) -> HttpResponse:
        """Render the step with its form."""
        return self.show_step(request, self.template, form=form)

    def save(self, form: AnyForm) -> drafts.Saved:
        """Save the valid values of the form. Raises: LeadLocked after the submission, Invalid."""
        return drafts.save_lead(
            self.journey.application,
            form.values,
            seen=form.seen,
            at=timezone.now(),
            confirmed=form.confirmed,
        )


def save_form(form: AnyForm, save: Callable[[AnyForm], drafts.Saved]) -> bool:
    """Save a form's valid fields; return whether all fields were valid and without conflicts.

    If `save` raises Invalid, its faults become errors of the form, and `save` is called again for
    the remaining fields. If it raises Invalid again, nothing is saved.
    """
    form.is_valid()
    try:
        saved = save(form)
    except Invalid as exc:
        form.add_faults(exc.faults)
        try:
            saved = save(form)  # the valid fields, without the faulty fields
        except Invalid:
            form.is_unsaved = True
            return False
    form.person = saved.person
    if form.is_valid() and not saved.conflicts:
        return True
    form.show_again(saved)
    return False


def as_data(draft: Draft | None) -> QueryDict | None:
    """Return the draft's fields as a browser would post them; None without a draft."""
    if draft is None:
        return None
    data = QueryDict(mutable=True)
    for name, values in draft.values.items():
        data.setlist(name, values)
    return data


def sent_fields(request: HttpRequest) -> QueryDict:
    """Return the fields of a POST, or of a PATCH by a script, which Django does not parse."""
    return request.POST if request.method == "POST" else QueryDict(request.body)


def posted(data: QueryDict) -> dict[str, list[str]]:
    """Return the posted fields, blank ones, too, but no control fields of the page."""
    return {name: values for name, values in data.lists() if name not in ASIDE}


def step_of_page(page: str) -> Step:
    """Return the step to which a draft's page belongs; OWNERS for each page that is no step."""
    return Step(page) if page in Step.values else Step.OWNERS


def page_url(journey: Journey, page: str) -> str:
    """Return the path of an applicant's page by the name of its draft, such as `owner:<id>`."""
    name, _colon, external_id = page.partition(":")
    parameter = "holder_id" if name == "holder" else "owner_id"
    return journey.url(name, **({parameter: external_id} if external_id else {}))
