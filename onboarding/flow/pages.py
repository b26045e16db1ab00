"""Base classes of the applicant's pages: session, language and refusals."""

import re
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.decorators import method_decorator
from django.utils.functional import cached_property
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from foundation.privacy.secret_digests import digest
from onboarding.flow.forms.control import is_complete
from onboarding.flow.journeys import Journey, entrance_url, go_to, sent_key, switch_language
from onboarding.models import FlowSession, Partner
from onboarding.queries.applications import find_partner
from onboarding.queries.owner_invitations import find_owners_partner, opens
from onboarding.queries.sessions import get_ended_session, get_session
from onboarding.queries.steps import Step
from onboarding.queries.time_zones import zone_of
from onboarding.services.access import sessions
from onboarding.services.applications.attempts import LeadLocked
from onboarding.services.leads import form_drafts
from onboarding.services.leads.visits import record_visit

INDENT = re.compile(rb"(<textarea.*?</textarea>)|\s*\n\s*", re.DOTALL)
KEPT, LOST = "kept", "lost"  # forms that were posted after the end of the session
OVER = "over"  # nothing was left to save
FORMS = {"POST", "PATCH"}
SECONDS = "Session-Seconds"  # header: the time until the end of the session
KEYS = ("link", "owner_link", "customer_id")  # path parameters, one of them in each path
SMALL_BYTES = 64 * 1024  # of a form that is read without a session
FORM_MAX_BYTES = settings.DOCUMENTS_MAX_BYTES_PER_REQUEST + 1024**2  # and the multipart boundaries


@method_decorator(never_cache, name="dispatch")
class FlowPage(View):
    """A page that requires a session: by cookie under a link, by header in a frame."""

    journey: Journey
    form_id = ""  # the form that the buttons for leaving and languages submit

    @classmethod
    def as_view(cls, **options: Any) -> Callable[..., HttpResponseBase]:
        """Return the view, exempt from CSRF checks; `dispatch` checks if a cookie has the key."""
        return csrf_exempt(super().as_view(**options))

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        is_embedded = "customer_id" in kwargs
        key: dict[str, Any] = {name: kwargs.pop(name) for name in KEYS if name in kwargs}
        now = timezone.now()
        try:
            session = get_session(sent_key(request, is_embedded=is_embedded), at=now)
        except FlowSession.DoesNotExist:
            if declared_size(request) > FORM_MAX_BYTES:
                facts: dict[str, Any] = {"partner": _partner_of(key)}
                return refuse(request, "too_large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE, **facts)
            return self._answer_without_session(request, key, *args, **kwargs)
        self.journey = Journey(session.application, key, session)
        if not self._fits(session, key):
            return self.turn_away(request, key)
        sessions.keep_alive(session, at=now)
        if declared_size(request) > FORM_MAX_BYTES:
            return self.refuse("too_large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        with timezone.override(zone_of(session.application)):
            if is_embedded:
                with translation.override(session.language or translation.get_language()):
                    return super().dispatch(request, *args, **kwargs)
            return csrf_protect(super().dispatch)(request, *args, **kwargs)

    def turn_away(
        self, request: HttpRequest, key: dict[str, Any], *, ended: str = ""
    ) -> HttpResponse:
        """Redirect a browser without a session to the link's start; answer 401 in a frame.

        `ended` goes into the query: OVER after the end of a session, KEPT or LOST if a form was
        posted and kept or lost. It is empty if no session ended.
        """
        if "customer_id" in key:
            return HttpResponse(status=HTTPStatus.UNAUTHORIZED)
        return go_to(entrance_url("start", key) + (f"?ended={ended}" if ended else ""))

    def keep_posted(self, session: FlowSession, request: HttpRequest, **kwargs: Any) -> bool:
        """Keep a form that was posted after its session had ended; return whether it was kept.

        By default no form is kept.
        """
        return False

    def loses(self, request: HttpRequest) -> bool:
        """Return whether the posted form, which is not kept, has unsaved input; by default True."""
        return True

    def _answer_without_session(
        self, request: HttpRequest, key: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        """Keep the form of a POST whose session has ended; then turn the browser away."""
        is_embedded = "customer_id" in key
        sent = sent_key(request, is_embedded=is_embedded)
        try:
            ended = get_ended_session(sent, at=timezone.now())
        except FlowSession.DoesNotExist:
            # the session ended too long ago or in another window, or its cookie is gone
            if request.method not in FORMS:
                return self.turn_away(request, key)
            is_lost = declared_size(request) > SMALL_BYTES or self.loses(request)
            return self.turn_away(request, key, ended=LOST if is_lost else OVER)
        if not self._fits(ended, key):
            return self.turn_away(request, key)
        if request.method not in FORMS:
            return self.turn_away(request, key, ended=OVER)

        self.journey = Journey(ended.application, key, ended)

        def keep(request: HttpRequest) -> HttpResponse:
            if self.keep_posted(ended, request, **kwargs):
                return self.turn_away(request, key, ended=KEPT)
            return self.turn_away(request, key, ended=LOST if self.loses(request) else OVER)

        return keep(request) if is_embedded else csrf_protect(keep)(request)

    @property
    def back_url(self) -> str:
        """Return the URL of the page that the Back link opens; empty hides the link."""
        return ""

    def require_editable(self) -> None:
        """Refuse changes after the submission. Raises: LeadLocked."""
        if not self.journey.is_editable:
            raise LeadLocked

    def show(self, request: HttpRequest, template: str, **facts: Any) -> HttpResponse:
        """Render a template of the flow with `facts` and the variables that every page has."""
        facts = {
            "journey": self.journey,
            "partner": self.journey.application.lead.partner,
            "form_id": self.form_id,
            "back_url": self.back_url,
            "stay_url": self.journey.link("stay", at=request.path),
            "session_seconds": sessions.seconds_left(self.journey.session, at=timezone.now()),
            **facts,
        }
        page = render(request, f"onboarding/flow/{template}.html", facts)
        page.content = shrink(page.content)
        return page

    def refuse(self, name: str, status: HTTPStatus, **facts: Any) -> HttpResponse:
        """Show the page of a refusal, with the partner's name, colour and support address."""
        facts |= {"journey": self.journey, "partner": self.journey.application.lead.partner}
        return refuse(self.request, name, status, **facts)

    def _fits(self, session: FlowSession, key: dict[str, Any]) -> bool:
        """Return whether the session belongs to the application, or to the owner, in the path."""
        if "owner_link" in key:
            return session.owner is not None and opens(session.owner.invitation, key["owner_link"])
        if session.owner_id:
            return False
        if "customer_id" in key:
            is_same = session.application.lead.external_id == key["customer_id"]
            return session.is_embedded and is_same
        return not session.is_embedded and session.application.link_digest == digest(key["link"])


class StepPage(FlowPage):
    """A page of a step; LeadLocked, raised after the submission, redirects to the status page."""

    step: Step

    @property
    def back_url(self) -> str:
        before = self.journey.before(self.step)
        return self.journey.url(before) if before else ""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        try:
            return super().dispatch(request, *args, **kwargs)
        except LeadLocked:
            return go_to(self.journey.url("status"))

    @cached_property
    def pages_with_drafts(self) -> list[tuple[str, bool]]:
        """Return the pages with a draft, and whether it is unsaved; read once per request."""
        return form_drafts.list_pages(self.journey.application, at=timezone.now())

    def show_step(self, request: HttpRequest, template: str, **facts: Any) -> HttpResponse:
        """Render the step with the navigation; pass `file`, the LeadFile, if it was already read.

        Before the submission, the step is recorded as visited.
        """
        file = facts.pop("file", None) or self.journey.file()
        if self.journey.is_editable:
            record_visit(self.journey.application, self.step)
        unfinished = self.journey.missing(file.requirements)
        unfinished |= set() if is_complete(file) else {Step.OWNERS}
        unfinished |= form_drafts.steps_with_drafts(self.pages_with_drafts)
        unfinished |= {self.step} if _is_wrong(facts) else set()
        progress = self.journey.progress(self.step, unfinished, at=self.request.path)
        return self.show(request, template, file=file, progress=progress, step=self.step, **facts)


def _is_wrong(facts: dict[str, Any]) -> bool:
    """Return whether the page shows errors."""
    return bool(facts.get("remarks")) or bool("form" in facts and facts["form"].errors)


def shrink(page: bytes) -> bytes:
    """Return a page without indentation and without the type that an input has by default.

    The text of a textarea keeps its spaces.
    """
    text = page.replace(b'<input type="text" ', b"<input ")
    return INDENT.sub(lambda found: found[1] or b"\n", text)


def declared_size(request: HttpRequest) -> int:
    """Return the declared size of the request in bytes; 0 if invalid, as in Django."""
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


def _partner_of(key: dict[str, Any]) -> Partner | None:
    """Return the partner of the link in a path; None if it is unknown, and in a frame."""
    if "owner_link" in key:
        return find_owners_partner(key["owner_link"])
    return find_partner(key["link"], at=timezone.now()) if "link" in key else None


def refuse(request: HttpRequest, name: str, status: HTTPStatus, **facts: Any) -> HttpResponse:
    """Show a page that explains a refusal and the next action."""
    return render(request, f"onboarding/flow/refused/{name}.html", facts, status=status)


def stay(session: FlowSession) -> HttpResponse:
    """Answer a script with the seconds until the end of a session, in the header SECONDS."""
    seconds = str(sessions.seconds_left(session, at=timezone.now()))
    return HttpResponse(status=HTTPStatus.NO_CONTENT, headers={SECONDS: seconds})


class Stay(FlowPage):
    """Extend the session, as each request does, and return the seconds until its end."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return stay(cast("FlowSession", self.journey.session))


class ChooseLanguage(FlowPage):
    """Save the language of a page without a form; pages with a form save it themselves."""

    def turn_away(
        self, request: HttpRequest, key: dict[str, Any], *, ended: str = ""
    ) -> HttpResponse:
        """Report no lost form: this form contains only the language."""
        return super().turn_away(request, key)

    def post(self, request: HttpRequest) -> HttpResponse:
        wanted = request.POST.get("next", "")
        is_ours = wanted.startswith(self.journey.url("you").removesuffix("you"))
        url = wanted if is_ours else self.journey.url("you")
        language = request.POST.get("language", "")
        if language not in dict(settings.LANGUAGES):
            return go_to(url)
        return switch_language(self.journey, language, url)
