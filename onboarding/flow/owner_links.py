"""The public pages of an owner's link: who asks and what for, a mailed code, a session."""

from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.decorators import method_decorator
from django.views import View
from django.views.decorators.cache import never_cache

from onboarding.flow.journeys import Journey, entrance_url
from onboarding.flow.pages import go_to, refuse
from onboarding.flow.start import REQUESTED, Code, Leave, LinkPage, Start
from onboarding.flow.steps.part import first_part_page
from onboarding.models import OwnerInvitation
from onboarding.queries.owner_invitations import (
    OwnerLinkExpired,
    OwnerLinkReplaced,
    OwnerPartClosed,
    find_owners_partner,
    open_owner_link,
)
from onboarding.services.access import sessions
from onboarding.services.leads import owner_invitations


class OwnerLink(LinkPage):
    """A public page of an owner's link."""

    invitation: OwnerInvitation

    def open_link(self, request: HttpRequest) -> HttpResponse | None:
        link = self.key["owner_link"]
        try:
            self.invitation, self.application = open_owner_link(link, at=timezone.now())
        except OwnerInvitation.DoesNotExist:
            return refuse(request, "no_owner_link", HTTPStatus.NOT_FOUND)
        except OwnerPartClosed as exc:
            facts = {"partner": exc.application.lead.partner, "phone": settings.BANK_PHONE}
            return refuse(request, "owner_part_closed", HTTPStatus.GONE, **facts)
        except OwnerLinkExpired as exc:
            return self._offer_link(request, exc)
        self.owner = self.invitation.owner
        return None

    def first_page(self, journey: Journey) -> str:
        """Return the path of the page on which the owner continues their own part."""
        return first_part_page(journey)

    def _offer_link(self, request: HttpRequest, exc: OwnerLinkExpired) -> HttpResponse:
        facts = {
            "renew_url": self.url("renew"),
            "is_replaced": isinstance(exc, OwnerLinkReplaced),
            "is_owners": True,
            "partner": exc.application.lead.partner,
        }
        return refuse(request, "link_expired", HTTPStatus.GONE, **facts)


class OwnerStart(OwnerLink, Start):
    """Show who asks and what for; only a POST mails a code."""

    template = "part/start"

    def facts(self) -> dict[str, Any]:
        return {}


class OwnerCode(OwnerLink, Code):
    """Ask for the code and open a session for the owner's part."""

    def open_session(self) -> sessions.OpenSession:
        language = translation.get_language()
        return sessions.open_owner_session(self.invitation, language=language, at=timezone.now())


class OwnerLeave(OwnerLink, Leave):
    """End the session."""


@method_decorator(never_cache, name="dispatch")
class OwnerRenew(View):
    """Mail an owner the current link; the response is the same for unknown links."""

    def get(self, request: HttpRequest, owner_link: str) -> HttpResponse:
        if REQUESTED not in request.GET:
            return go_to(entrance_url("start", {"owner_link": owner_link}))
        facts = {"partner": find_owners_partner(owner_link), "is_owners": True}
        return render(request, "onboarding/flow/link_requested.html", facts)

    def post(self, request: HttpRequest, owner_link: str) -> HttpResponse:
        owner_invitations.request_link(owner_link, at=timezone.now())
        return go_to(f"{request.path}?{REQUESTED}")


@never_cache
def nowhere(request: HttpRequest, owner_link: str, rest: str) -> HttpResponse:
    """Return a 404 page for any other path of any owner's link."""
    facts: dict[str, Any] = {"partner": find_owners_partner(owner_link)}
    return refuse(request, "no_owner_link", HTTPStatus.NOT_FOUND, **facts)
