"""The pages of a phone that adds pictures of one identification, and sees nothing else."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFilesSent
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from onboarding.flow.journeys import Journey
from onboarding.flow.pages import FORM_MAX_BYTES, declared_size, go_to, refuse
from onboarding.flow.receiving import CONFIRM, Sender, by_field, confirm_sent, receive, spooling
from onboarding.flow.slots import Slot, own_slot
from onboarding.flow.upload_pages import facts_of, no_storage, take_remarks
from onboarding.models import Document, Owner, PhoneLink
from onboarding.queries.leads import open_lead_file
from onboarding.queries.phone_links import (
    find_completed,
    find_entered,
    find_open,
    find_partner,
    supplier_of,
)
from onboarding.services.access import phone_links
from onboarding.services.applications.attempts import ApplicationClosed, CustomerAlreadyOnboarded
from onboarding.services.leads import form_drafts
from onboarding.services.leads.form_drafts import Draft
from onboarding.uploads import StorageUnavailable

COOKIE = "__Secure-phone" if settings.TLS else "phone"


class PhoneReader(Journey):
    """The phone as the reader of a page: it opens no file."""

    def may_open(self, document: Document) -> bool:
        """Return False: a file sent at the computer has no path that a phone could ask for."""
        return False


@method_decorator(never_cache, name="dispatch")
class PhoneStart(View):
    """The page of the QR code. Only a POST uses the link: previews of links open it, too."""

    def get(self, request: HttpRequest, token: str) -> HttpResponse:
        now = timezone.now()
        try:
            find_entered(token, request.COOKIES.get(COOKIE, ""), at=now)
        except PhoneLink.DoesNotExist:
            pass
        else:
            return go_to(photos_url(token))
        try:
            link = find_open(token, at=now)
        except PhoneLink.DoesNotExist:
            return refuse_phone(request, token)
        if link.entered_at:
            return refuse_phone(request, token)
        facts = {"partner": link.session.application.lead.partner}
        return render(request, "onboarding/flow/phone/start.html", facts)

    def post(self, request: HttpRequest, token: str) -> HttpResponse:
        try:
            key = phone_links.enter(token, at=timezone.now())
        except PhoneLink.DoesNotExist:
            return go_to(request.path)
        response = go_to(photos_url(token))
        response.set_cookie(
            COOKIE,
            key,
            max_age=settings.PHONE_LINK_LIFETIME,
            path=request.path,
            httponly=True,
            samesite="Lax",
            secure=settings.TLS,
        )
        return response


@method_decorator(never_cache, name="dispatch")
class PhonePhotos(View):
    """The page on which the phone sends the pictures."""

    link: PhoneLink

    @classmethod
    def as_view(cls, **options: Any) -> Any:
        """Return the view; `dispatch` checks the form's token once files can be received."""
        return csrf_exempt(super().as_view(**options))

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        token: str = kwargs["token"]
        key = request.COOKIES.get(COOKIE, "")
        if declared_size(request) > FORM_MAX_BYTES:
            return refuse_phone(request, token, "too_large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        try:
            self.link = find_entered(token, key, at=timezone.now())
            with spooling(request):
                return csrf_protect(super().dispatch)(request, *args, **kwargs)
        except (PhoneLink.DoesNotExist, Owner.DoesNotExist):
            return self.show_done(request, token, key)
        except (ApplicationClosed, CustomerAlreadyOnboarded):
            return refuse_phone(request, token)
        except (TooManyFilesSent, RequestDataTooBig):
            return refuse_phone(request, token, "too_large", HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        except StorageUnavailable:
            status = HTTPStatus.SERVICE_UNAVAILABLE
            return no_storage(refuse_phone(request, token, "no_storage", status))

    def get(self, request: HttpRequest, token: str) -> HttpResponse:
        application = self.link.session.application
        draft = form_drafts.find(application, self.page, at=timezone.now())
        remarks = take_remarks(application, self.page, draft)
        facts = facts_of([self.slot()], remarks, request.path)
        facts["partner"] = application.lead.partner
        return render(request, "onboarding/flow/phone/photos.html", facts)

    def post(self, request: HttpRequest, token: str) -> HttpResponse:
        link = self.link
        sender = Sender(
            link.session.application,
            by=supplier_of(link),
            is_one_person=True,
            owner_id=link.owner.external_id if link.owner else None,
            phone=link,
        )
        remarks = [*receive(request, sender, is_any_wanted=CONFIRM not in request.POST)]
        confirm_sent(request, sender)
        if not self.slot().is_missing:
            phone_links.complete(link, at=timezone.now())
        elif remarks:
            draft = Draft(by_field(remarks))
            form_drafts.keep(link.session.application, self.page, draft, at=timezone.now())
        return go_to(request.path)

    @property
    def page(self) -> str:
        """Return the name of the draft that holds the remarks until they are shown."""
        return form_drafts.phone_page(self.link.external_id)

    def show_done(self, request: HttpRequest, token: str, key: str) -> HttpResponse:
        """Show the last page if this phone has sent all pictures of the link.

        Others are redirected to the start of the phone link.
        """
        try:
            link = find_completed(token, key, at=timezone.now())
        except PhoneLink.DoesNotExist:
            return go_to(reverse("flow:phone_start", kwargs={"token": token}))
        if request.method == "POST":
            return go_to(request.path)
        facts = {"partner": link.session.application.lead.partner}
        return render(request, "onboarding/flow/phone/done.html", facts)

    def slot(self) -> Slot:
        """Return the slot for the person's identification, with the files sent by this phone."""
        link = self.link
        application = link.session.application
        application.refresh_from_db(fields=["status", "status_changed_at"])
        reader = PhoneReader(application, {}, link.session)
        uploads = link.uploads
        file = open_lead_file(application)
        return own_slot(file, link.owner, reader, by=supplier_of(link), ids=uploads)


def photos_url(token: str) -> str:
    """Return the path of the page for the pictures."""
    return reverse("flow:phone_photos", kwargs={"token": token})


def refuse_phone(
    request: HttpRequest,
    token: str,
    name: str = "phone_link_over",
    status: HTTPStatus = HTTPStatus.GONE,
) -> HttpResponse:
    """Render a refusal in the colors of the link's partner; most often that the link is over.

    It does not tell whether the link was used, ended or expired.
    """
    facts: dict[str, Any] = {"partner": find_partner(token)}
    return refuse(request, name, status, **facts)
