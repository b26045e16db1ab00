"""What every answer and every log line carries, and the one spelling of an API path."""

import re
import uuid
from collections.abc import Callable

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from onboarding.addresses import client_address

GetResponse = Callable[[HttpRequest], HttpResponse]
REQUEST_ID = re.compile(r"[A-Za-z0-9._~:/+=@-]{1,128}")
API_ROOT = "/service/api/"


class RequestIdMiddleware:
    """Give each request an id, or keep the valid one it came with, and say which API answered."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        sent = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = sent if REQUEST_ID.fullmatch(sent) else str(uuid.uuid4())
        request.META["HTTP_X_REQUEST_ID"] = request_id  # where django-structlog reads it, too
        response = self.get_response(request)
        response["X-Request-Id"] = request_id
        response["API-Version"] = settings.API_VERSION
        return response


class LoggedAddressMiddleware:
    """Let every log line of a request tell whom it came from, by the rule that keys are held to."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        structlog.contextvars.bind_contextvars(ip=client_address(request))
        return self.get_response(request)


class ApiPathMiddleware:
    """Let API paths work with and without their trailing slash, without a redirect."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info.startswith(API_ROOT):
            request.path_info = request.path_info.rstrip("/")
            request.path = request.path.rstrip("/")
        return self.get_response(request)
