import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from foundation.tracing import opentelemetry_spans, spans

CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@pytest.fixture
def recorded(monkeypatch):
    """Record spans in memory; return a function that returns those that ended."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(opentelemetry_spans, "_tracer", lambda: provider.get_tracer("test"))
    monkeypatch.setattr(spans, "begin", opentelemetry_spans.RecordedSpan)
    return exporter.get_finished_spans


def test_a_span_continues_the_trace_of_its_parent(recorded):
    with (
        spans.span("outer", kind="SERVER", parent=CALLER) as outer,
        spans.span("inner", parent=outer.traceparent),
    ):
        pass

    inner, ended = recorded()
    assert [format(one.context.trace_id, "032x") for one in (ended, inner)] == [
        CALLER.split("-")[1]
    ] * 2
    assert format(ended.parent.span_id, "016x") == CALLER.split("-")[2]
    assert inner.parent.span_id == ended.context.span_id


def test_a_span_without_a_parent_begins_a_trace(recorded):
    with spans.span("work", parent=None) as span:
        pass

    [ended] = recorded()
    assert ended.parent is None
    assert span.traceparent.split("-")[1] == format(ended.context.trace_id, "032x")


def test_attributes_have_dotted_names_and_none_is_left_out(recorded):
    with spans.span("work", parent=None, http__route="lead", other=None) as span:
        span.rename("another")

    [ended] = recorded()
    assert (ended.name, dict(ended.attributes)) == ("another", {"http.route": "lead"})


def test_a_failed_span_names_the_class_of_the_exception_and_not_its_text(recorded):
    with pytest.raises(ValueError, match="123-45-6789"), spans.span("work", parent=None):
        raise ValueError("123-45-6789")

    [ended] = recorded()
    assert ended.status.description == "ValueError"
    assert "123-45-6789" not in ended.to_json()
