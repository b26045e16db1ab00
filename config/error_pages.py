"""Error handlers: the API's own error body below its paths, pages elsewhere."""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views import defaults

from onboarding.api.errors import render
from onboarding.errors import ErrorCode, Fault
from onboarding.uploads import StorageUnavailable

API_PATH = "/service/api"


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400, for example to a Host that is not ours."""
    if _is_api(request):
        return render([Fault(ErrorCode.BAD_REQUEST)], request)
    return defaults.bad_request(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404."""
    if _is_api(request):
        return render([Fault(ErrorCode.RESOURCE_NOT_FOUND)], request)
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500; or 503 if the database is away, hangs or keeps a lock, or the disk is full."""
    if isinstance(sys.exc_info()[1], (OperationalError, InterfaceError, StorageUnavailable)):
        return _unavailable(request)
    if _is_api(request):
        return render([Fault(ErrorCode.INTERNAL_ERROR)], request)
    return defaults.server_error(request)


def _unavailable(request: HttpRequest) -> HttpResponse:
    if _is_api(request):
        return render([Fault(ErrorCode.SERVICE_UNAVAILABLE)], request)
    page = render_to_string("503.html")  # without the request: its session is in the database
    return HttpResponse(page, status=503, headers={"Retry-After": "5"})


def _is_api(request: HttpRequest) -> bool:
    return request.path_info == API_PATH or request.path_info.startswith(f"{API_PATH}/")
