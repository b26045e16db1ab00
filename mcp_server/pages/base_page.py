"""The context of the base template, and the base view of pages behind a sign-in."""

from http import HTTPStatus
from typing import Any, cast

from django.conf import settings
from django.contrib.auth.mixins import LoginRequiredMixin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.generic import View

from banking.models import User
from mcp_server.services.page_log import PageRequest


def base_context(_request: HttpRequest) -> dict[str, Any]:
    """Return the variables of every template; a context processor."""
    return {
        "bank_name": settings.BANK_NAME,
        "is_outbound": settings.OUTBOUND,
        "is_sandbox": settings.IS_SANDBOX,
        "needs_second_factor": settings.CUSTOMER_SECOND_FACTOR,  # customers; False in a sandbox
    }


@method_decorator(never_cache, name="dispatch")
class CustomerView(LoginRequiredMixin, View):
    """A page for customers; staff, who have no data of their own, see a message."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if request.user.is_authenticated and request.user.is_staff:
            status = HTTPStatus.FORBIDDEN
            return render(request, "mcp_server/not_for_staff.html", status=status)
        return super().dispatch(request, *args, **kwargs)


def too_many(
    request: HttpRequest, template: str, context: dict[str, Any], *, seconds: int
) -> HttpResponse:
    """Show a page of status 429 to a caller who may come again in so many seconds."""
    response = render(request, template, context, status=HTTPStatus.TOO_MANY_REQUESTS)
    response["Retry-After"] = str(seconds)
    return response


def signed_in(request: HttpRequest) -> User:
    """Return the user of a request; the caller must have checked that the user is signed in."""
    return cast("User", request.user)


def page_request(request: HttpRequest) -> PageRequest:
    """Return the values of a signed-in user's request that the access log records."""
    return PageRequest(signed_in(request), request.META["HTTP_X_REQUEST_ID"], timezone.now())
