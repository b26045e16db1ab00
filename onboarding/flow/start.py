"""The start of a link: a page without personal data, a mailed code, a session."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.decorators import method_decorator
from django.utils.formats import date_format
from django.utils.html import format_html
from django.views import View
from django.views.decorators.cache import never_cache

from foundation.privacy import masks
from onboarding.choices import REPEATABLE, CodePurpose, StatusGroup
from onboarding.choices import ApplicationStatus as Status
from onboarding.flow import codes
from onboarding.flow.form_pages import page_url
from onboarding.flow.journeys import Journey, entrance_url, leave, remember_key, sent_key
from onboarding.flow.pages import go_to, refuse
from onboarding.flow.preparations import prepare
from onboarding.models import Application, FlowSession, Owner
from onboarding.queries.applications import (
    LinkExpired,
    LinkReplaced,
    find_partner,
    get_application_by_link,
    get_current_attempt,
)
from onboarding.queries.sessions import get_session
from onboarding.queries.steps import Step
from onboarding.services.access import access_codes, link_requests, sessions
from onboarding.services.leads import form_drafts

REQUESTED, AGAIN = "requested", "again"  # parameters: a new link, or a new code, was asked for


@method_decorator(never_cache, name="dispatch")
class LinkPage(View):
    """A public page of a link. A GET must change nothing, since mail scanners follow links."""

    application: Application
    owner: Owner | None = None  # whose link it is, if it is not the applicant's
    key: dict[str, Any]  # the path parameters of the link

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        self.key = kwargs
        refusal = self.open_link(request)
        if refusal is None:
            return super().dispatch(request)
        is_form = request.method == "POST"  # the start of the link refuses it by GET
        is_unknown = refusal.status_code == HTTPStatus.NOT_FOUND
        return self.go("start") if is_form and not is_unknown else refusal

    def open_link(self, request: HttpRequest) -> HttpResponse | None:
        """Find the application of the link, set `application` and return None.

        Return the page of a refusal if the link opens nothing.
        """
        link = self.key["link"]
        try:
            self.application = get_application_by_link(link, at=timezone.now())
        except Application.DoesNotExist:
            return refuse(request, "no_link", HTTPStatus.NOT_FOUND)
        except LinkExpired as exc:
            return refuse_link(request, link, exc)
        is_closed = self.application.status in REPEATABLE
        return refuse_closed(request, self.application) if is_closed else None

    def url(self, name: str) -> str:
        """Return the path of a public page of the link."""
        return entrance_url(name, self.key)

    def go(self, name: str, query: str = "") -> HttpResponse:
        """Redirect to a public page of the link."""
        return go_to(self.url(name) + (f"?{query}" if query else ""))

    def show(self, request: HttpRequest, template: str, **facts: Any) -> HttpResponse:
        """Render a page that names only the partner and the business."""
        lead = self.application.lead
        facts |= {"lead": lead, "partner": lead.partner, "owner": self.owner}
        facts |= {"start_url": self.url("start"), "code_url": self.url("code")}
        facts["phone"] = settings.BANK_PHONE
        facts["sandbox_code"] = access_codes.SANDBOX_CODE if settings.IS_SANDBOX else ""
        return render(request, f"onboarding/flow/{template}.html", facts)

    def find_session(self, request: HttpRequest) -> FlowSession | None:
        """Return the browser's session of this link's application and person, if it is live."""
        try:
            session = get_session(sent_key(request, is_embedded=False), at=timezone.now())
        except FlowSession.DoesNotExist:
            return None
        is_same = session.application_id == self.application.pk and session.owner == self.owner
        return session if is_same else None


@method_decorator(never_cache, name="dispatch")
class Renew(View):
    """Mail a working link to the lead of an expired or replaced link.

    The response is the same for unknown links; only an ended application is shown as ended.
    """

    def get(self, request: HttpRequest, link: str) -> HttpResponse:
        if REQUESTED not in request.GET:
            return go_to(reverse("flow:start", kwargs={"link": link}))
        facts = {"partner": find_partner(link, at=timezone.now())}
        return render(request, "onboarding/flow/link_requested.html", facts)

    def post(self, request: HttpRequest, link: str) -> HttpResponse:
        language = translation.get_language()
        is_closed = link_requests.request_link(link, language=language, at=timezone.now())
        start = reverse("flow:start", kwargs={"link": link})  # shows how the application ended
        return go_to(start if is_closed else f"{request.path}?{REQUESTED}")


class Start(LinkPage):
    """Show the partner and the business; only a POST mails a code."""

    template = "start"

    def get(self, request: HttpRequest) -> HttpResponse:
        session = self.find_session(request)
        if session:
            return go_to(self.first_page(Journey(session.application, self.key, session)))
        ended = request.GET.get("ended", "")
        return self.show(request, self.template, ended=ended, **self.facts())

    def facts(self) -> dict[str, Any]:
        """Return the template variables of the page, besides the partner and the business."""
        return {"preparation": prepare(self.application)}

    def post(self, request: HttpRequest) -> HttpResponse:
        language = translation.get_language()
        try:
            access_codes.send_code(
                self.application,
                CodePurpose.ENTRY,
                owner=self.owner,
                language=language,
                at=timezone.now(),
            )
        except access_codes.TooManyCodes:
            return self.go("code", f"{codes.REFUSED}={codes.FURTHER}")
        return self.go("code", AGAIN if AGAIN in request.POST else "")

    def first_page(self, journey: Journey) -> str:
        """Return the page to continue on."""
        return first_page(journey)


class Code(LinkPage):
    """Ask for the code and open a session."""

    def get(self, request: HttpRequest) -> HttpResponse:
        asked = (request, self.application, CodePurpose.ENTRY)
        refusal = codes.refuse_further(*asked, owner=self.owner, back_url=self.url("start"))
        form = codes.refused_form(*asked, owner=self.owner)
        form.fields["code"].widget.attrs["autofocus"] = True  # in a frame, browsers refuse it
        return refusal or self.show(
            request,
            "code",
            form=form,
            email=masks.mask_email((self.owner or self.application.lead).email),
            is_sent_again=AGAIN in request.GET,
            back_url=self.url("start"),
        )

    def post(self, request: HttpRequest) -> HttpResponse:
        form = codes.CodeForm(request.POST)
        if not form.is_valid():
            return self.go("code", f"{codes.REFUSED}={codes.UNREADABLE}")
        try:
            access_codes.check_code(
                self.application,
                CodePurpose.ENTRY,
                form.cleaned_data["code"],
                owner=self.owner,
                at=timezone.now(),
            )
        except access_codes.CodeRefused:
            return self.go("code", f"{codes.REFUSED}={codes.WRONG}")
        return self.come_in()

    def come_in(self) -> HttpResponse:
        """Open the session, and redirect to the page to continue on.

        Redirect to the start if the application or the owner's part has ended meanwhile.
        """
        try:
            opened = self.open_session()
        except sessions.NoWayIn:  # the start shows how it ended
            return self.go("start")
        journey = Journey(opened.session.application, self.key, opened.session)
        response = go_to(self.first_page(journey))
        remember_key(response, opened.key, self.key)
        return response

    def open_session(self) -> sessions.OpenSession:
        """Open a session of the person whose link it is.

        Raises: NoWayIn if the application or the owner's part has ended meanwhile.
        """
        return sessions.open_session(
            self.application,
            language=translation.get_language(),
            time_zone=self.request.POST.get("time_zone", ""),
            at=timezone.now(),
        )

    def first_page(self, journey: Journey) -> str:
        """Return the page to continue on."""
        return first_page(journey)


class Leave(LinkPage):
    """End the session, on a shared computer for example."""

    def post(self, request: HttpRequest) -> HttpResponse:
        return leave(Journey(self.application, self.key, self.find_session(request)))


@never_cache
def nowhere(request: HttpRequest, link: str, rest: str) -> HttpResponse:
    """Return a 404 page for any other path of any link."""
    return refuse(
        request, "no_link", HTTPStatus.NOT_FOUND, partner=find_partner(link, at=timezone.now())
    )


def refuse_link(request: HttpRequest, link: str, exc: LinkExpired) -> HttpResponse:
    """Offer a working link by mail, or show how the application ended."""
    current = get_current_attempt(exc.application)
    if current.group is StatusGroup.CLOSED:
        return refuse_closed(request, current)
    renew_url = entrance_url("renew", {"link": link})
    facts = {"renew_url": renew_url, "partner": current.lead.partner}
    facts["is_replaced"] = isinstance(exc, LinkReplaced)
    return refuse(request, "link_expired", HTTPStatus.GONE, **facts)


def refuse_closed(request: HttpRequest, application: Application) -> HttpResponse:
    """Show how an application ended, and that no mail will be sent."""
    at = application.status_changed_at
    shown = date_format(timezone.localtime(at), "DATE_FORMAT")
    facts = {
        "application": application,
        "partner": application.lead.partner,
        "day": format_html('<time datetime="{}" data-day>{}</time>', at.isoformat(), shown),
        "phone": settings.BANK_PHONE,
    }
    return refuse(request, "closed", HTTPStatus.GONE, **facts)


def first_page(journey: Journey) -> str:
    """Return the path of the page to continue on: an unsaved form, else the first incomplete step.

    After the submission it is the status page.
    """
    if not Status(journey.application.status).is_editable:
        return journey.url("status")
    unsaved = form_drafts.find_unsaved_page(journey.application, at=timezone.now())
    if unsaved:
        return page_url(journey, unsaved)
    missing = journey.missing(journey.file().requirements)
    return journey.url(next((step for step in journey.steps if step in missing), Step.REVIEW))
