"""The start of a link: a page without personal data, a mailed code, a session."""

from contextlib import suppress
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
from onboarding.flow.journeys import Journey, Step, leave, remember_key, sent_key
from onboarding.flow.pages import go_to, refuse
from onboarding.flow.preparations import prepare
from onboarding.models import Application, FlowSession, Partner
from onboarding.queries.applications import (
    LinkExpired,
    LinkReplaced,
    get_application_by_link,
    get_current_attempt,
)
from onboarding.queries.sessions import get_session
from onboarding.services.access import access_codes, link_requests, sessions
from onboarding.services.leads import form_drafts

REQUESTED, AGAIN = "requested", "again"  # parameters: a new link, or a new code, was asked for


@method_decorator(never_cache, name="dispatch")
class LinkPage(View):
    """A public page of a link: mail scanners follow links, too."""

    application: Application

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        link = kwargs["link"]
        is_form = request.method == "POST"  # the start of the link refuses it by GET
        start = go_to(reverse("flow:start", kwargs={"link": link}))
        try:
            self.application = get_application_by_link(link, at=timezone.now())
        except Application.DoesNotExist:
            return refuse(request, "no_link", HTTPStatus.NOT_FOUND)
        except LinkExpired as exc:
            return start if is_form else refuse_link(request, link, exc)
        if self.application.status in REPEATABLE:
            return start if is_form else refuse_closed(request, self.application)
        return super().dispatch(request, *args, **kwargs)

    def show(self, request: HttpRequest, template: str, link: str, **facts: Any) -> HttpResponse:
        """Render a page that names only the partner and the business."""
        lead = self.application.lead
        facts |= {"lead": lead, "partner": lead.partner, "link": link}
        facts["phone"] = settings.BANK_PHONE
        facts["sandbox_code"] = access_codes.SANDBOX_CODE if settings.IS_SANDBOX else ""
        return render(request, f"onboarding/flow/{template}.html", facts)


@method_decorator(never_cache, name="dispatch")
class Renew(View):
    """Mail a working link to the lead of an expired or replaced link.

    The response is the same for unknown links; only an ended application is shown as ended.
    """

    def get(self, request: HttpRequest, link: str) -> HttpResponse:
        if REQUESTED not in request.GET:
            return go_to(reverse("flow:start", kwargs={"link": link}))
        facts = {"partner": find_partner(link)}
        return render(request, "onboarding/flow/link_requested.html", facts)

    def post(self, request: HttpRequest, link: str) -> HttpResponse:
        language = translation.get_language()
        is_closed = link_requests.request_link(link, language=language, at=timezone.now())
        start = reverse("flow:start", kwargs={"link": link})  # shows how the application ended
        return go_to(start if is_closed else f"{request.path}?{REQUESTED}")


class Start(LinkPage):
    """Show the partner and the business; only a POST mails a code."""

    def get(self, request: HttpRequest, link: str) -> HttpResponse:
        journey = self._journey_of(request, link)
        return (
            go_to(first_page(journey))
            if journey
            else self.show(
                request,
                "start",
                link,
                ended=request.GET.get("ended", ""),
                preparation=prepare(self.application),
            )
        )

    def post(self, request: HttpRequest, link: str) -> HttpResponse:
        language = translation.get_language()
        code_url = reverse("flow:code", kwargs={"link": link})
        try:
            access_codes.send_code(
                self.application, CodePurpose.ENTRY, language=language, at=timezone.now()
            )
        except access_codes.TooManyCodes:
            return go_to(f"{code_url}?{codes.REFUSED}={codes.FURTHER}")
        return go_to(f"{code_url}?{AGAIN}" if AGAIN in request.POST else code_url)

    def _journey_of(self, request: HttpRequest, link: str) -> Journey | None:
        """Return the journey of a browser with a session; None without a session."""
        try:
            session = get_session(sent_key(request, is_embedded=False), at=timezone.now())
        except FlowSession.DoesNotExist:
            return None
        if session.application_id != self.application.pk:
            return None
        return Journey(session.application, {"link": link}, session)


class Code(LinkPage):
    """Ask for the code and open a session."""

    def get(self, request: HttpRequest, link: str) -> HttpResponse:
        start = reverse("flow:start", kwargs={"link": link})
        refusal = codes.refuse_further(request, self.application, CodePurpose.ENTRY, back_url=start)
        form = codes.refused_form(request, self.application, CodePurpose.ENTRY)
        form.fields["code"].widget.attrs["autofocus"] = True  # in a frame, browsers refuse it
        return refusal or self.show(
            request,
            "code",
            link,
            form=form,
            email=masks.mask_email(self.application.lead.email),
            is_sent_again=AGAIN in request.GET,
            back_url=start,
        )

    def post(self, request: HttpRequest, link: str) -> HttpResponse:
        form = codes.CodeForm(request.POST)
        now = timezone.now()
        if not form.is_valid():
            return go_to(f"{request.path}?{codes.REFUSED}={codes.UNREADABLE}")
        try:
            access_codes.check_code(
                self.application, CodePurpose.ENTRY, form.cleaned_data["code"], at=now
            )
        except access_codes.CodeRefused:
            return go_to(f"{request.path}?{codes.REFUSED}={codes.WRONG}")
        opened = sessions.open_session(
            self.application,
            language=translation.get_language(),
            time_zone=request.POST.get("time_zone", ""),
            at=now,
        )
        response = go_to(first_page(Journey(opened.session.application, {"link": link})))
        remember_key(response, opened.key, link)
        return response


class Leave(LinkPage):
    """End the session, on a shared computer for example."""

    def post(self, request: HttpRequest, link: str) -> HttpResponse:
        session = None
        with suppress(FlowSession.DoesNotExist):
            session = get_session(sent_key(request, is_embedded=False), at=timezone.now())
        return leave(Journey(self.application, {"link": link}, session))


@never_cache
def nowhere(request: HttpRequest, link: str, rest: str) -> HttpResponse:
    """Return a 404 page for any other path of any link."""
    return refuse(request, "no_link", HTTPStatus.NOT_FOUND, partner=find_partner(link))


def find_partner(link: str) -> Partner | None:
    """Return the partner of a link, expired and replaced links included; None if it is unknown."""
    try:
        return get_application_by_link(link, at=timezone.now()).lead.partner
    except LinkExpired as exc:
        return exc.application.lead.partner
    except Application.DoesNotExist:
        return None


def refuse_link(request: HttpRequest, link: str, exc: LinkExpired) -> HttpResponse:
    """Offer a working link by mail, or show how the application ended."""
    current = get_current_attempt(exc.application)
    if current.group is StatusGroup.CLOSED:
        return refuse_closed(request, current)
    facts = {"link": link, "partner": current.lead.partner}
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
    """Return the page to continue on: an unsaved form, else the first incomplete step."""
    if not Status(journey.application.status).is_editable:
        return journey.url("status")
    unsaved = form_drafts.find_unsaved_page(journey.application, at=timezone.now())
    if unsaved:
        return page_url(journey, unsaved)
    missing = journey.missing(journey.file().requirements)
    return journey.url(next((step for step in journey.steps if step in missing), Step.REVIEW))
