"""The pages of an applicant who has come in: who it is, in which language, what is refused."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Generic, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from onboarding.errors import Invalid
from onboarding.flow.forms.base import FlowForm
from onboarding.flow.journeys import Journey, Step, sent_key
from onboarding.models import FlowSession
from onboarding.queries.applications import digest
from onboarding.queries.sessions import get_session
from onboarding.services import drafts, sessions
from onboarding.services.applications import LeadLocked

AnyForm = TypeVar("AnyForm", bound=FlowForm)
FORM_MAX_BYTES = settings.DOCUMENTS_MAX_BYTES_PER_REQUEST + 1024**2  # and what frames the files


@method_decorator(never_cache, name="dispatch")
class FlowPage(View):
    """A page for an applicant with a session: by cookie under a link, by header in a frame."""

    journey: Journey

    @classmethod
    def as_view(cls, **options: Any) -> Callable[..., HttpResponseBase]:
        """Return the view; it looks for forgery itself, where a cookie lets somebody in."""
        return csrf_exempt(super().as_view(**options))

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if declared_size(request) > FORM_MAX_BYTES:
            return refuse(request, "too_large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        is_embedded = "customer_id" in kwargs
        key: dict[str, Any] = {
            name: kwargs.pop(name) for name in ("link", "customer_id") if name in kwargs
        }
        now = timezone.now()
        try:
            session = get_session(sent_key(request, is_embedded=is_embedded), at=now)
        except FlowSession.DoesNotExist:
            return self.turn_away(request, key)
        self.journey = Journey(session.application, key, session)
        if not self._fits(session, key):
            return self.turn_away(request, key)
        sessions.keep_alive(session, at=now)
        if is_embedded:
            with translation.override(session.language or translation.get_language()):
                return super().dispatch(request, *args, **kwargs)
        return csrf_protect(super().dispatch)(request, *args, **kwargs)

    def turn_away(self, request: HttpRequest, key: dict[str, Any]) -> HttpResponse:
        """Send whoever has no session to the start of the link; a frame asks its host instead."""
        if "customer_id" in key:
            return HttpResponse(status=HTTPStatus.UNAUTHORIZED)
        return go_to(reverse("flow:start", kwargs=key))

    def show(self, request: HttpRequest, template: str, **facts: Any) -> HttpResponse:
        """Render a page with what every page shows."""
        partner = self.journey.application.lead.partner
        return render(
            request,
            f"onboarding/flow/{template}.html",
            {"journey": self.journey, "partner": partner, **facts},
        )

    def _fits(self, session: FlowSession, key: dict[str, Any]) -> bool:
        """Say whether the session is one of the application that the path names."""
        if "customer_id" in key:
            is_same = session.application.lead.external_id == key["customer_id"]
            return session.is_embedded and is_same
        return not session.is_embedded and session.application.link_digest == digest(key["link"])


class StepPage(FlowPage):
    """A step before the submission; afterwards it leads to the status."""

    step: Step

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return super().dispatch(request, *args, **kwargs)
        except LeadLocked:
            return go_to(self.journey.url("status"))

    def require_editable(self) -> None:
        """Let nobody change what was submitted. Raises: LeadLocked."""
        if not self.journey.is_editable:
            raise LeadLocked

    def show_step(self, request: HttpRequest, template: str, **facts: Any) -> HttpResponse:
        """Render the step with the navigation; facts may bring `file`, if it was read already."""
        file = facts.pop("file", None) or self.journey.file()
        progress = self.journey.progress(self.step, file.requirements)
        return self.show(request, template, file=file, progress=progress, step=self.step, **facts)

    def go_on(self) -> HttpResponse:
        """Lead to the next step."""
        return go_to(self.journey.url(self.step.following))


class FormStep(StepPage, Generic[AnyForm]):
    """A step that is one form about the lead: shown filled in, saved as far as it is right."""

    form: type[AnyForm]
    template: str

    def get(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        return self.show_form(request, self.form(self.journey.application.lead))

    def post(self, request: HttpRequest) -> HttpResponse:
        self.require_editable()
        form = self.form(self.journey.application.lead, request.POST)
        if save_form(form, self.save):
            return self.go_on()
        self.journey.application.lead.refresh_from_db()  # for what is still missing
        return self.show_form(request, form)

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
            return False
    if form.is_valid() and not saved.conflicts:
        return True
    form.show_again(saved)
    return False


def declared_size(request: HttpRequest) -> int:
    """Return how many bytes the request says that it brings; nothing for nonsense, as Django."""
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


def go_to(url: str) -> HttpResponse:
    """Lead on with a GET, whatever the method was."""
    return HttpResponseRedirect(url, status=HTTPStatus.SEE_OTHER)


def refuse(request: HttpRequest, name: str, status: HTTPStatus, **facts: Any) -> HttpResponse:
    """Answer with a page that says what is wrong and what to do."""
    return render(request, f"onboarding/flow/refused/{name}.html", facts, status=status)


class ChooseLanguage(FlowPage):
    """Remember the language of an embedded session; hosted pages have the site's own switch."""

    def post(self, request: HttpRequest) -> HttpResponse:
        language = request.POST.get("language", "")
        session = self.journey.session
        if session and language in dict(settings.LANGUAGES):
            sessions.choose_language(session, language)
        wanted = request.POST.get("next", "")
        is_ours = wanted.startswith(self.journey.url("you").removesuffix("you"))
        return go_to(wanted if is_ours else self.journey.url("you"))
