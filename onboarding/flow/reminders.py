"""The pages that stop the reminders to an applicant or an owner, without a session.

Mail scanners follow links, so only a POST changes anything: by the button of the page, or by a mail
program. Source: RFC 8058, section 3.1.
"""

from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from onboarding.flow.journeys import go_to
from onboarding.flow.pages import refuse
from onboarding.models import Application, OwnerInvitation
from onboarding.services.access import reminder_links
from onboarding.services.applications import reminders
from onboarding.services.leads import owner_reminders

RESUME = "resume"


@csrf_exempt  # mail programs send neither cookies nor a token
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def switch(request: HttpRequest, token: str) -> HttpResponse:
    """Show whether reminders are sent to an applicant; stop or resume them on POST."""
    try:
        application = reminder_links.get_application(token)
    except Application.DoesNotExist:
        return refuse(request, "no_link", HTTPStatus.NOT_FOUND)
    facts = {
        "is_stopped": application.nudges_stopped_at is not None,
        "partner": application.lead.partner,
    }
    return _answer(request, partial(reminders.switch_nudges, application), facts)


@csrf_exempt  # as above
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def switch_owner(request: HttpRequest, token: str) -> HttpResponse:
    """Show whether automatic reminders are sent to an owner; stop or resume them on POST."""
    try:
        invitation = reminder_links.get_invitation(token)
    except OwnerInvitation.DoesNotExist:
        return refuse(request, "no_owner_link", HTTPStatus.NOT_FOUND)
    lead = invitation.owner.lead
    facts = {
        "is_stopped": invitation.reminders_stopped_at is not None,
        "partner": lead.partner,
        "asked_by": lead.full_name or lead.email,
    }
    return _answer(request, partial(owner_reminders.switch_reminders, invitation), facts)


def _answer(
    request: HttpRequest, switch_to: Callable[..., object], facts: dict[str, Any]
) -> HttpResponse:
    """Switch the reminders on POST, else render the page.

    The POST of a mail program gets an empty answer, that of the page's button a redirect.
    """
    if request.method != "POST":
        return render(request, "onboarding/flow/reminders.html", facts)
    switch_to(is_on=RESUME in request.POST, at=timezone.now())
    return go_to(request.path) if "button" in request.POST else HttpResponse()
