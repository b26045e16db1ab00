"""Traces of OpenTelemetry, switched on by OTEL_EXPORTER_OTLP_ENDPOINT."""

from django.http import HttpRequest, HttpResponse

from config import database_limits
from config.middleware import METHODS, GetResponse
from foundation.tracing import opentelemetry_spans, spans


def switch_on() -> None:
    """Record the spans of this program from now on."""
    opentelemetry_spans.switch_on(service__name=f"vestibule-{database_limits.program}")


class TracingMiddleware:
    """Run each request in a span, a child of the caller's if it sent a `traceparent`.

    The span names the route, never the path: paths hold tokens and ids of people. Its own trace
    context takes the place of the caller's header, so that log lines and events refer to it.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        meta = request.META
        method = request.method if request.method in METHODS else "_OTHER"
        with spans.span(
            f"HTTP {method}",
            kind="SERVER",
            parent=spans.checked(meta.get("HTTP_TRACEPARENT", "")),
            http__request__method=method,
            request__id=meta["HTTP_X_REQUEST_ID"],
        ) as span:
            meta["HTTP_TRACEPARENT"] = span.traceparent
            response = self.get_response(request)
            if route := getattr(request.resolver_match, "route", None):
                span.rename(f"{method} {route}")
                span.set(http__route=route)
            span.set(http__response__status_code=response.status_code)
        return response
