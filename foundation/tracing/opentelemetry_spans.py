"""Spans that OpenTelemetry records and sends; imported only where traces are on.

The SDK reads its own variables of the environment, those of its exporter and sampler.
"""

import functools
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from foundation.tracing import spans

_propagator = TraceContextTextMapPropagator()
_facts: dict[str, Any] = {}  # attributes of the resource, beside those of the environment


class RecordedSpan:
    """A span of OpenTelemetry, and the trace context for its children."""

    def __init__(self, name: str, kind: str, parent: str | None, values: dict[str, Any]) -> None:
        context = _propagator.extract({"traceparent": parent or ""})
        self._span = _tracer().start_span(name, context=context, kind=SpanKind[kind])
        made = self._span.get_span_context()
        self.traceparent: str | None = (
            f"00-{made.trace_id:032x}-{made.span_id:016x}-{made.trace_flags:02x}"
        )
        self.set(**values)

    def rename(self, name: str) -> None:
        """Give the span another name."""
        self._span.update_name(name)

    def set(self, **values: Any) -> None:
        """Add attributes; `__` in a name stands for a dot, and None is left out."""
        known = {name: value for name, value in values.items() if value is not None}
        self._span.set_attributes({name.replace("__", "."): known[name] for name in known})

    def end(self, fault: str = "") -> None:
        """End the span; a `fault` that is not empty marks it as failed."""
        if fault:
            self._span.set_status(Status(StatusCode.ERROR, fault))
        self._span.end()


def switch_on(**facts: str) -> None:
    """Record all spans of this process from now on; `facts` are attributes of its resource."""
    _facts.update({name.replace("__", "."): text for name, text in facts.items()})
    spans.begin = RecordedSpan


@functools.cache
def _tracer() -> Tracer:
    """Return the tracer, made at the first span: its thread must start after the fork of web."""
    resource = Resource.create(_facts)  # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win
    provider = TracerProvider(resource=Resource(_facts).merge(resource))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider.get_tracer("vestibule")
