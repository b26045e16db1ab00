"""Where the applicant's link leads."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from onboarding.models import Application
from onboarding.queries.applications import LinkExpired, get_application_by_link


@never_cache
@require_safe
def start(request: HttpRequest, link: str) -> HttpResponse:
    """Name the partner and the business, and nothing else: mail scanners follow links, too."""
    try:
        application = get_application_by_link(link, at=timezone.now())
    except (Application.DoesNotExist, LinkExpired) as exc:
        gone = isinstance(exc, LinkExpired)
        status = HTTPStatus.GONE if gone else HTTPStatus.NOT_FOUND
        return render(request, "onboarding/flow/no_link.html", {"is_expired": gone}, status=status)
    return render(request, "onboarding/flow/start.html", {"lead": application.lead})
