"""Pages with a form of which nothing typed is lost.

A POST that cannot be saved in full is answered by a redirect, and its page shows the form again:
so Back and reload work, and the same draft survives the end of a session and a switch of language.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.utils import timezone
from django.utils.functional import cached_property

from onboarding.errors import Invalid
from onboarding.flow.forms.base import FlowForm
from onboarding.flow.journeys import Journey, leave, switch_language
from onboarding.flow.pages import FlowPage, StepPage, go_to
from onboarding.models import FlowSession
from onboarding.services.leads import drafts, form_drafts
from onboarding.services.leads.form_drafts import Draft

AnyForm = TypeVar("AnyForm", bound=FlowForm)
THEN = "then"  # the button that was pressed: LEAVE or a language
LEAVE = "leave"
ASIDE = {"csrfmiddlewaretoken", "seen_marks", THEN}


class DraftPage(FlowPage):
    """A page whose posted form is kept until all of it is saved."""

    form_id = "step"

    def page_of(self, **kwargs: Any) -> str:
        """Return the page whose draft this view keeps."""
        raise NotImplementedError

    @cached_property
    def page(self) -> str:
        """Return the page that was asked for."""
        return self.page_of(**self.kwargs)

    @cached_property
    def draft(self) -> Draft | None:
        """Return the draft of the form, if one is kept."""
        return form_drafts.find(self.journey.application, self.page, at=timezone.now())

    @property
    def then(self) -> str:
        """Return the wish beside saving: to leave, or another language; empty if there is none."""
        then = self.request.POST.get(THEN, "")
        return then if then in {LEAVE, *dict(settings.LANGUAGES)} else ""

    def keep_posted(self, session: FlowSession, request: HttpRequest, **kwargs: Any) -> bool:
        page = self.page_of(**kwargs)
        if not form_drafts.has_page(session.application, page):
            return False
        draft = Draft(
            posted(request.POST),
            seen=request.POST.get("seen_marks", ""),
            version=self.version_of(request.POST),
            is_unsaved=True,
        )
        form_drafts.keep(session.application, page, draft, at=timezone.now())
        return True

    def version_of(self, data: QueryDict) -> str:
        """Return the version that the posted form refers to; only a signature has one."""
        return ""

    def keep(self, draft: Draft, page: str = "") -> None:
        """Keep the unsaved fields of a form; discard its draft if no field is left."""
        if draft.values or self.draft:
            application, page = self.journey.application, page or self.page
            form_drafts.keep(application, page, draft, at=timezone.now())

    def answer(self, url: str) -> HttpResponse:
        """Lead on as the pressed button says; `url` is where the others lead."""
        if self.then == LEAVE and not self.journey.is_embedded:
            return leave(self.journey)
        if self.then and self.then != LEAVE:
            return switch_language(self.journey, self.then, url)
        return go_to(url)

    def show(self, request: HttpRequest, template: str, **facts: Any) -> HttpResponse:
        if "is_unsaved" not in facts:
            facts["is_unsaved"] = bool(self.draft and self.draft.is_unsaved)
        return super().show(request, template, **facts)


class PersonFormPage(DraftPage):
    """A page with a form about the lead or an owner."""

    def bind(self, form: Callable[..., AnyForm], person: Any) -> AnyForm:
        """Return the posted form, with the kept numbers that the page did not show again."""
        bound = form(person, self.request.POST)
        if self.draft:
            bound.use_numbers(self.draft)
        return bound

    def restored(self, form: "type[AnyForm]", person: Any) -> AnyForm:
        """Return the form as the page shows it: stored values, and the draft in their place."""
        return form.restored(person, self.draft) if self.draft else form(person)

    def keep_rest(self, form: AnyForm, page: str = "") -> None:
        """Keep the wrong fields of a form, without blank ones if the applicant did not go on."""
        self.keep(form.rest(skips_blank=bool(self.then)), page)


class FormStep(PersonFormPage, StepPage, Generic[AnyForm]):
    """A step that is one form about the lead: shown filled in, saved as far as it is right."""

    form: type[AnyForm]
    template: str

    def page_of(self, **kwargs: Any) -> str:
        return self.step.value

    def get(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        lead = self.journey.application.lead
        return self.show_form(request, self.restored(self.form, lead))

    def post(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        form = self.bind(self.form, self.journey.application.lead)
        is_whole = save_form(form, self.save)
        self.keep_rest(form)
        here = self.journey.url(self.step)
        is_next = is_whole and not self.then
        return self.answer(self.journey.url(self.step.following) if is_next else here)

    def show_form(self, request: HttpRequest, form: AnyForm) -> HttpResponse:
        """Render the step with its form."""
        return self.show_step(request, self.template, form=form)

    def save(self, form: AnyForm) -> drafts.Saved:
        """Save the values that are right."""
        return drafts.save_lead(
            self.journey.application, form.values, seen=form.seen, at=timezone.now()
        )


def save_form(form: AnyForm, save: Callable[[AnyForm], drafts.Saved]) -> bool:
    """Save what is right in a form, and say whether all of it was, and nobody contradicts."""
    form.is_valid()
    try:
        saved = save(form)
    except Invalid as exc:
        form.add_faults(exc.faults)
        try:
            saved = save(form)  # the rest, which is right without what was at fault
        except Invalid:
            form.is_unsaved = True
            return False
    form.person = saved.person
    if form.is_valid() and not saved.conflicts:
        return True
    form.show_again(saved)
    return False


def as_data(draft: Draft | None) -> QueryDict | None:
    """Return the fields of a draft as a browser would post them; None without a draft."""
    if draft is None:
        return None
    data = QueryDict(mutable=True)
    for name, values in draft.values.items():
        data.setlist(name, values)
    return data


def posted(data: QueryDict) -> dict[str, list[str]]:
    """Return the fields of a posted form, without those that belong to no value."""
    return {name: values for name, values in data.lists() if name not in ASIDE}


def page_url(journey: Journey, page: str) -> str:
    """Return the path of the page that a draft belongs to."""
    name, _colon, owner_id = page.partition(":")
    return journey.url(name, **({"owner_id": owner_id} if owner_id else {}))
