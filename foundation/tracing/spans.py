"""Spans of work under their request ids. Without OpenTelemetry a span only passes its parent on.

A trace context is the value of the W3C header `traceparent`. `opentelemetry_spans` replaces `begin`
where traces are on; nothing here imports OpenTelemetry.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from structlog.contextvars import bound_contextvars, get_contextvars

# Source: W3C Trace Context, section 3.2; longer values of later versions are ignored.
TRACEPARENT = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}"
)


class Span(Protocol):
    """A step of a trace, from its creation to `end`. Names and values hold no personal data."""

    traceparent: str | None

    def rename(self, name: str) -> None:
        """Give the span another name."""

    def set(self, **values: Any) -> None:
        """Add attributes; `__` in a name stands for a dot."""

    def end(self, fault: str = "") -> None:
        """End the span; a `fault` that is not empty marks it as failed."""


class PassedSpan:
    """A span that is not recorded: the trace context of its parent is its own."""

    def __init__(self, traceparent: str | None) -> None:
        self.traceparent = traceparent

    def rename(self, name: str) -> None: ...

    def set(self, **values: Any) -> None: ...

    def end(self, fault: str = "") -> None: ...


def _pass(_name: str, _kind: str, parent: str | None, _values: dict[str, Any]) -> Span:
    return PassedSpan(parent)


begin: Callable[[str, str, str | None, dict[str, Any]], Span] = _pass  # name, kind, parent, values


@contextmanager
def span(name: str, *, kind: str = "INTERNAL", parent: str | None, **values: Any) -> Iterator[Span]:
    """Run the block in a span of a trace; without a parent the span begins a trace.

    `kind` is the name of a SpanKind. An exception ends the span as failed, by its class alone.
    """
    made = begin(name, kind, parent, values)
    try:
        yield made
    except BaseException as exc:
        made.end(type(exc).__name__)
        raise
    made.end()


@contextmanager
def work(name: str, *, request_id: str | None, parent: str | None, **values: Any) -> Iterator[Span]:
    """Run the block in a span, with the request id and the trace context in its log lines."""
    with span(name, kind="CONSUMER", parent=parent, **values) as made:
        bound = {"request_id": request_id, "traceparent": made.traceparent}
        with bound_contextvars(**{name: text for name, text in bound.items() if text}):
            yield made


def checked(traceparent: str) -> str | None:
    """Return a `traceparent` that a caller sent; None if it is not valid."""
    return traceparent if TRACEPARENT.fullmatch(traceparent) else None


def current_request_id() -> str:
    """Return the id of the request that this thread works for, or an empty string."""
    request_id: str = get_contextvars().get("request_id", "")
    return request_id


def current_traceparent() -> str | None:
    """Return the trace context of the work of this thread; None if it has none."""
    traceparent: str | None = get_contextvars().get("traceparent")
    return traceparent
