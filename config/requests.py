"""Each request: its metrics, and the facts in its log line beside method, path and status."""

import os
import time
from functools import cache
from typing import Any

from django.conf import settings
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponseBase
from django_structlog import signals

from config.logs import OwnText
from config.middleware import METHODS, GetResponse
from config.whole_bodies import ARRIVED
from foundation.metrics import declared as metrics

OTHER = "other"  # a method that HTTP does not define
UNROUTED = OwnText("none")  # the label for a static file, or for a path without a route


class RequestMetricsMiddleware:
    """Count each request by the pattern of its route, and observe its duration."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> Any:
        request.META.setdefault(ARRIVED, time.perf_counter())
        response = self.get_response(request)
        method = request.method if request.method in METHODS else OTHER
        route = route_of(request)
        metrics.HTTP_REQUESTS.count(route, str(method), str(response.status_code))
        metrics.HTTP_REQUEST_DURATION.observe(_seconds(request), route, str(method))
        return response


def route_of(request: HttpRequest) -> str:
    """Return the pattern of the request's route, never the path, which may have ids and tokens."""
    match = request.resolver_match
    return _own(f"/{match.route}") if match else UNROUTED


@receiver(signals.bind_extra_request_finished_metadata)
def describe_response(
    request: HttpRequest, response: HttpResponseBase, log_kwargs: dict[str, Any], **_sent: Any
) -> None:
    """Add the facts of a request to its log line; a streamed response has no size yet."""
    size = response.headers.get("Content-Length")
    log_kwargs["size"] = int(size) if size else None
    _describe(request, log_kwargs)


@receiver(signals.bind_extra_request_failed_metadata)
def describe_failure(request: HttpRequest, log_kwargs: dict[str, Any], **_sent: Any) -> None:
    """Add the facts of a request to the line that tells of its exception."""
    _describe(request, log_kwargs)


def _describe(request: HttpRequest, log_kwargs: dict[str, Any]) -> None:
    log_kwargs["duration_ms"] = round(_seconds(request) * 1000, 1)
    log_kwargs["route"] = route_of(request)
    log_kwargs["instance"] = _own(f"{settings.INSTANCE}:{os.getpid()}")
    log_kwargs["version"] = _own(settings.VERSION)


@cache  # there are as many texts as routes
def _own(text: str) -> OwnText:
    return OwnText(text)


def _seconds(request: HttpRequest) -> float:
    """Return the time since the body of the request was read, or since the first middleware."""
    arrived: float = request.META[ARRIVED]
    return time.perf_counter() - arrived
