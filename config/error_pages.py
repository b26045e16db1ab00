"""Error handlers: the API's error body below API paths, HTML pages elsewhere."""

import sys

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views import defaults

from config.paths import is_of_an_api
from foundation.privacy.aws_kms import KeyServiceUnavailable
from foundation.privacy.encrypted_files import UnreadableFile
from foundation.privacy.encryption import DecryptionError
from onboarding.api.errors import render
from onboarding.errors import ErrorCode, Fault
from onboarding.uploads import StorageUnavailable

TEMPORARY = (OperationalError, InterfaceError, StorageUnavailable, KeyServiceUnavailable)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Respond with 400, for example to a Host header outside ALLOWED_HOSTS."""
    if _is_api(request):
        return render([Fault(ErrorCode.BAD_REQUEST)], request)
    return defaults.bad_request(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Respond with 404."""
    if _is_api(request):
        return render([Fault(ErrorCode.RESOURCE_NOT_FOUND)], request)
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """Respond with 503 if the database, the disk or the key service refused, else with 500.

    An error page for a file or a value that cannot be decrypted says so.
    """
    error = sys.exc_info()[1]
    if isinstance(error, TEMPORARY):
        return _unavailable(request)
    if _is_api(request):
        return render([Fault(ErrorCode.INTERNAL_ERROR)], request)
    if isinstance(error, UnreadableFile):
        return HttpResponse(render_to_string("unreadable_file.html"), status=500)
    if isinstance(error, DecryptionError):
        return HttpResponse(render_to_string("unreadable_number.html"), status=500)
    return defaults.server_error(request)


def _unavailable(request: HttpRequest) -> HttpResponse:
    if _is_api(request):
        return render([Fault(ErrorCode.SERVICE_UNAVAILABLE)], request)
    page = render_to_string("503.html")  # no request: reading its session would query the database
    return HttpResponse(page, status=503, headers={"Retry-After": "5"})


def _is_api(request: HttpRequest) -> bool:
    return is_of_an_api(request.path_info)
