"""What the logs must not tell."""

import io
import json
import logging
import time
from datetime import UTC, datetime

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from config import logs
from tests.random_values import without_random_values

BASE64 = "QUJD" * 60
ID = "0193f2a4-5b6c-7d8e-9f01-234567890123"


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        ("ssn 123-45-6789 sent", "ssn ***-**-**** sent"),
        ("ssn 123 45 6789 sent", "ssn ***-**-**** sent"),
        ("ssn 123456789 sent", "ssn ********* sent"),
        ("ein 12-3456789", "ein **-*******"),
        ("card 4111111111111111", "card [number]"),
        ("key ak_sb_1:sk_sb_abc-DEF_123=", "key ak_sb_1:sk_sb_[redacted]"),
        ("whsec_AAEC/+==", "whsec_[redacted]"),
        ("GET /apply/a-Token_1?x=1", "GET /apply/[redacted]?[query]"),
        ("GET /apply/phone/a-Token_1/photos", "GET /apply/phone/[redacted]/photos"),
        ("POST /join/a-Token_1", "POST /join/[redacted]"),
        ("GET /files/a-Token_1", "GET /files/[redacted]"),
        ("GET /files/%00", "GET /files/[redacted]"),
        ("GET /files/%C3%BCa-Token_1", "GET /files/[redacted]"),
        ("GET /files/%3Ca-Token_1%3E", "GET /files/[redacted]"),
        ("GET /Files//a-Token_1?x=1", "GET /Files//[redacted]?[query]"),
        ("<WSGIRequest: GET '/files/üa-Token_1'>", "<WSGIRequest: GET '/files/[redacted]'>"),
        ("GET /reminders/0a1b.x_y-z", "GET /reminders/[redacted]"),
        ("GET /reminders/owner/0a1b.x_y-z", "GET /reminders/owner/[redacted]"),
        ("GET /password-reset/M%3DQ/cuk2", "GET /password-reset/M%3DQ/[redacted]"),
        ("GET /password-reset/MQ/cuk2-a1b2", "GET /password-reset/MQ/[redacted]"),
        ("GET /password-reset/sent", "GET /password-reset/sent"),
        ("GET /clients/join/01a2-b3/x_y-z", "GET /clients/join/01a2-b3/[redacted]"),
        ("GET /welcome/01a2-b3/cuk2-a1b2", "GET /welcome/01a2-b3/[redacted]"),
        ("Authorization: bearer abcdef.123456", "Authorization: bearer [redacted]"),
        (f"content {BASE64}==", "content [base64]"),
        ("sent to ada.b+c@example.co.uk.", "sent to [email]."),
        ("amqp://ada:pa!ss:w@rabbit:5672//", "amqp://[redacted]@rabbit:5672//"),
        ("redis://:secret@10.0.0.7:6379/0", "redis://[redacted]@10.0.0.7:6379/0"),
        (
            "'postgres://bank:p@ss@db.example.com/bank'",
            "'postgres://[redacted]@db.example.com/bank'",
        ),
        ("https://www.example.com, ada@example.com", "https://www.example.com, [email]"),
        (
            "{'ssn': '1', \"passportNumber\": \"X9\"}",
            "{'ssn': '[redacted]', \"passportNumber\": \"[redacted]\"}",
        ),
        ("Person(id_gov_number=G1, ein: 5)", "Person(id_gov_number=[redacted], ein: [redacted])"),
        ("GET /service/api/v1/lead?uniqueId=X9 200", "GET /service/api/v1/lead?[query] 200"),
        ("<WSGIRequest: GET '/admin/?q=Ada'>", "<WSGIRequest: GET '/admin/?[query]'>"),
        ("PUT /service/api/v1/lead/X9/upload", "PUT /service/api/v1/lead/[no id]/upload"),
        (f"GET /service/api/v1/lead/{ID}9", "GET /service/api/v1/lead/[no id]"),
        (f"GET /service/api/v1/X9/{ID}/a", f"GET /service/api/v1/[no id]/{ID}/a"),
        (
            "duplicate key\nDETAIL:  Key (email)=(Ada) already exists.",
            "duplicate key\nDETAIL: [redacted]",
        ),
        (
            "violates\nDETAIL:  Failing row contains (1, A\nB).\nHINT:  None\n\nNext",
            "violates\nDETAIL: [redacted]\nHINT:  None\n\nNext",
        ),
    ],
)
def test_private_shapes_are_replaced(text, scrubbed):
    assert logs.scrub(text) == scrubbed


PIECES = st.sampled_from(
    ["SSN", "ein=", "number: ", "a@b.c", "%40", "://", "x?y", "/service/api/v1/", "/apply/",
     "/welcome/x/", "123-45-6789", "12-3456789", "123456789", "4111111111111111", "sk_live_",
     "whsec_", "Bearer ", "DETAIL: ", "CONTEXT:", "\n", " ", "a", "A1", "é", "\u017f", "\u212a",
     "\u0131n"]
)  # fmt: skip


@given(st.lists(PIECES).map("".join))
def test_no_shape_is_missed_for_want_of_a_sign(text):
    wanted = text
    for shape in logs.PRIVATE_SHAPES:
        wanted = shape.pattern.sub(shape.substitute, wanted)

    assert logs.scrub(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "0193f2a4-5b6c-7d8e-9f01-234567890123",
        "+14155550100",
        "2026-03-02T12:00:00Z",
        "PUT /service/api/v1/lead 201 in 12 ms",
        f"POST /service/api/v1/lead/{ID}/session",
        f"DELETE /service/api/v1/lead/{ID}",
        "What went wrong? The database is not available.",
    ],
)
def test_what_support_needs_is_kept(text):
    assert logs.scrub(text) == text


@pytest.mark.parametrize(
    "key",
    ["ssn", "SSN", "birth_date", "birthDate", "passportNumber", "id_gov_number", "content",
     "Authorization", "Set-Cookie", "X-CSRFToken", "secret_key", "flow_token", "signingSecret"],
)  # fmt: skip
def test_private_keys_lose_their_values(key):
    assert logs.scrub({key: "short"}) == {key: "[redacted]"}


def test_nested_values_are_scrubbed():
    value = {"owners": [{"ssn": "1"}, ("a 123-45-6789",), {"note": {"x": b"123456789"}}]}

    assert logs.scrub(value) == {
        "owners": [{"ssn": "[redacted]"}, ["a ***-**-****"], {"note": {"x": "b'*********'"}}]
    }


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "a.b@",
        "a@b-",
        "DETAIL:",
        "/service/api/v1/lead/",
        "?",
        "a?",
        "/apply/",
        "/password-reset/",
        "/",
        "ssn",
        "ssn:",
        "12-",
        "1 ",
    ],
)
def test_no_text_takes_long(piece):
    start = time.thread_time()

    logs.scrub(piece * 10_000)

    assert time.thread_time() - start < 2


def test_keys_that_are_personal_are_scrubbed():
    assert logs.scrub({"123-45-6789": 1}) == {"***-**-****": 1}


def test_objects_are_scrubbed_as_they_would_be_written():
    assert logs.scrub([ValueError("123-45-6789"), datetime(2026, 3, 2, tzinfo=UTC), 7, None]) == [
        "***-**-****", "2026-03-02 00:00:00+00:00", 7, None,
    ]  # fmt: skip


def test_what_is_too_deep_is_left_out():
    value = {"ssn-free": "123-45-6789"}
    for _ in range(50):
        value = {"deeper": value}

    assert "6789" not in str(logs.scrub(value))


@pytest.fixture
def log():
    """Return a stream that the house's handler writes to."""
    stream = io.StringIO()
    settings = logs.configuration(style="json", level="INFO")
    handler = logging.StreamHandler(stream)
    formatter = settings["formatters"]["structured"]
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=formatter["processors"], foreign_pre_chain=formatter["foreign_pre_chain"]
        )
    )
    logger = logging.getLogger("tests.logs")
    logger.addHandler(handler)
    logger.setLevel("INFO")
    yield stream
    logger.removeHandler(handler)


def test_a_message_with_arguments_is_scrubbed(log):
    logging.getLogger("tests.logs").info("ssn %s of %s", "123-45-6789", "Ada")

    assert json.loads(log.getvalue())["event"] == "ssn ***-**-**** of Ada"


def test_a_traceback_is_scrubbed(log):
    try:
        raise ValueError("ssn 123-45-6789, secret sk_live_abcdefgh")
    except ValueError:
        logging.getLogger("tests.logs").exception("it failed")

    line = json.loads(log.getvalue())
    assert "ValueError: ssn ***-**-****, secret sk_live_[redacted]" in line["exception"]
    assert "6789" not in without_random_values(log.getvalue())
    assert "abcdefgh" not in log.getvalue()


def test_extras_are_scrubbed(log):
    logging.getLogger("tests.logs").info("sent", extra={"ssn": "1", "body": {"token": "t"}})

    line = json.loads(log.getvalue())
    assert (line["ssn"], line["body"]) == ("[redacted]", {"token": "[redacted]"})


@pytest.mark.parametrize("name", sorted(logs.OF_STRUCTLOG))
def test_an_extra_does_not_pass_for_a_value_of_structlog(log, name):
    logging.getLogger("tests.logs").info("sent", extra={name: "123-45-6789"})

    assert "6789" not in without_random_values(log.getvalue())


@pytest.mark.parametrize(
    "event",
    [
        {"event": "request_finished", "request": "GET /healthz"},
        {"event": "request_started", "request": "GET /service/api/v1/lead"},
    ],
)
def test_probes_that_went_well_and_starts_of_requests_are_not_logged(event):
    with pytest.raises(structlog.DropEvent):
        logs.drop_noise(None, "info", event)


def test_a_request_has_one_line():
    finished = {"event": "request_finished", "request": "GET /service/api/v1/lead"}

    assert logs.drop_noise(None, "info", finished) == finished
    assert logs.drop_noise(None, "error", {"request": "GET /readyz"})
