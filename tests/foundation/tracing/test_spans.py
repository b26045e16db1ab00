import subprocess
import sys

import pytest
from structlog.contextvars import bound_contextvars, get_contextvars

from foundation.tracing import spans

CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
IMPORTED = """
import sys, django
django.setup()
import config.wsgi
print([name for name in sys.modules if name in {"opentelemetry.sdk", "opentelemetry.exporter"}])
"""


def test_a_valid_traceparent_is_taken():
    assert spans.checked(CALLER) == CALLER


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "00",
        CALLER.upper(),
        f"{CALLER}-more",
        f"{CALLER},{CALLER}",
        CALLER.replace("4bf92f3577b34da6a3ce929d0e0e4736", "0" * 32),
        CALLER.replace("00f067aa0ba902b7", "0" * 16),
        f"ff{CALLER[2:]}",
    ],
)
def test_any_other_is_ignored(sent):
    assert spans.checked(sent) is None


def test_without_opentelemetry_a_span_passes_on_the_trace_of_its_parent():
    with spans.span("work", parent=CALLER) as span:
        span.rename("another")
        span.set(http__route="lead")

    assert span.traceparent == CALLER


def test_work_has_the_request_id_and_the_trace_in_its_log_lines():
    with spans.work("work", request_id="call-1", parent=CALLER):
        inside = get_contextvars()

    assert inside == {"request_id": "call-1", "traceparent": CALLER}
    assert get_contextvars() == {}


def test_work_without_a_known_cause_adds_nothing_to_its_log_lines():
    with spans.work("work", request_id=None, parent=None):
        assert get_contextvars() == {}


def test_the_cause_of_new_work_is_that_of_the_thread():
    with bound_contextvars(request_id="call-1", traceparent=CALLER):
        found = spans.current_request_id(), spans.current_traceparent()

    assert found == ("call-1", CALLER)
    assert (spans.current_request_id(), spans.current_traceparent()) == ("", None)


def test_nothing_of_opentelemetry_is_imported_unless_it_is_on():
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"
