import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from onboarding.models import Publication, Webhook
from onboarding.services.webhooks.posting import Outcome, post, sign
from tests.servers import OK, serving

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
OLD_SECRET = "whsec_BBECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
BODY = '{"id":"evt_1","type":"webhook.test","timestamp":"2026-01-01T00:00:00.000Z","data":{}}'
SIGNATURE = "v1,qN79r7ihsRFqMuIagqTTens6Fp81X208vhsdcKjwfEI="
VECTOR_AT = datetime.fromtimestamp(1767225600, UTC)


def webhook(url, **values):
    return Webhook(server_url=url, token="the-token", signing_secret=SECRET, **values)


def publication(body=BODY):
    return Publication(message_id="evt_1", body=body)


def send(answer, *, at=NOON, body=BODY, **values):
    """Return what came of a POST to a server, and what that received."""
    with serving(answer) as server:
        outcome = post(webhook(server.url, **values), publication(body), at=at)
    return outcome, server.requests[0]


def answered(status, *headers, body=b""):
    head = "\r\n".join([f"HTTP/1.1 {status} Some", f"Content-Length: {len(body)}", *headers])
    return f"{head}\r\n\r\n".encode() + body


def test_the_signature_is_the_one_of_the_contract():
    assert sign("evt_1", VECTOR_AT, BODY, [SECRET]) == SIGNATURE


def test_a_moment_is_the_same_in_every_time_zone():
    there = VECTOR_AT.astimezone(timezone(timedelta(hours=9)))

    assert sign("evt_1", there, BODY, [SECRET]) == SIGNATURE


def test_a_receiver_is_told_what_caused_the_event():
    caused = publication(BODY)
    caused.request_id, caused.traceparent = "call-1", f"00-{'a' * 32}-{'b' * 16}-01"

    with serving(OK) as server:
        post(webhook(server.url), caused, at=VECTOR_AT)
        post(webhook(server.url), publication(BODY), at=VECTOR_AT)

    [(_, known, _), (_, unknown, _)] = server.requests
    assert known["x-request-id"] == "call-1"
    assert known["traceparent"] == caused.traceparent
    assert not {"x-request-id", "traceparent"} & set(unknown)


def test_a_receiver_can_verify_what_it_gets():
    now = datetime.now(UTC)

    outcome, (line, headers, body) = send(OK, at=now, body=json.dumps({"name": "Zoë"}))

    assert Verifier(SECRET).verify(body, headers) == {"name": "Zoë"}
    assert line == "POST / HTTP/1.1"
    assert headers["webhook-id"] == "evt_1"
    assert headers["webhook-timestamp"] == str(int(now.timestamp()))
    assert headers["authorization"] == "Bearer the-token"
    assert headers["content-type"] == "application/json"
    assert headers["user-agent"] == "Vestibule/2.0.0"
    assert outcome == Outcome(200, "ok", "", outcome.duration_ms)
    assert outcome.is_success
    assert not outcome.is_gone


def test_both_secrets_sign_while_one_replaces_the_other():
    now = datetime.now(UTC)
    rotated = {"previous_secret": OLD_SECRET, "previous_expires_at": now + timedelta(hours=1)}

    _, (_, headers, body) = send(OK, at=now, **rotated)

    assert headers["webhook-signature"].count("v1,") == 2
    for secret in (SECRET, OLD_SECRET):
        Verifier(secret).verify(body, headers)


def test_an_old_secret_signs_nothing_once_its_time_is_over():
    now = datetime.now(UTC)

    _, (_, headers, body) = send(OK, at=now, previous_secret=OLD_SECRET, previous_expires_at=now)

    Verifier(SECRET).verify(body, headers)
    with pytest.raises(WebhookVerificationError):
        Verifier(OLD_SECRET).verify(body, headers)


@pytest.mark.parametrize(
    ("status", "is_success", "is_gone", "fault"),
    [
        (201, True, False, ""),
        (299, True, False, ""),
        (301, False, False, "redirects are not followed"),
        (304, False, False, "redirects are not followed"),
        (400, False, False, ""),
        (410, False, True, ""),
        (500, False, False, ""),
    ],
)
def test_two_hundred_and_the_like_are_success_and_410_is_the_end(
    status, is_success, is_gone, fault
):
    outcome, _ = send(answered(status, "Location: http://127.0.0.1:1/"))

    assert (outcome.status_code, outcome.is_success) == (status, is_success)
    assert (outcome.is_gone, outcome.fault) == (is_gone, fault)


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (b"x" * 5000, "x" * 2048),
        ("Größe".encode(), "Größe"),
        ("Größe".encode("latin-1"), "Gr\ufffd\ufffde"),
        (b"a\0b\x1b[31mc\r\nd", "ab[31mc\r\nd"),
        ("safe\u202etxt.exe\u200b".encode(), "safetxt.exe"),
    ],
)
def test_the_beginning_of_the_answer_is_kept_as_text_that_can_be_shown(body, shown):
    outcome, _ = send(answered(500, body=body))

    assert outcome.answer == shown


def test_a_receiver_may_say_when_to_come_again():
    outcome, _ = send(answered(429, "Retry-After: 999999999999"))

    assert outcome.retry_after == timedelta(hours=24)


def test_a_receiver_that_is_away_has_no_status():
    with serving(OK) as server:
        pass

    outcome = post(webhook(server.url), publication(), at=NOON)

    assert outcome == Outcome(fault="connection refused", duration_ms=outcome.duration_ms)
    assert not outcome.is_success


def test_a_receiver_that_answers_but_does_not_end_is_heard(settings):
    settings.WEBHOOK_SECONDS = 0.2

    def answer(connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\nthanks")
        connection.recv(1)

    outcome, _ = send(answer)

    assert outcome.is_success
    assert outcome.answer == "thanks"


def test_a_receiver_that_hangs_is_left_in_time(settings):
    settings.WEBHOOK_SECONDS = 0.2

    outcome, _ = send(lambda connection: connection.recv(1))

    assert outcome.status_code is None
    assert outcome.fault == "timed out after 0.2 s"


def test_loopback_is_called_only_where_a_setting_allows_it(settings):
    settings.ALLOW_LOOPBACK = False

    with serving(OK) as server:
        outcome = post(webhook(server.url), publication(), at=NOON)

    assert outcome == Outcome(fault="the host is not at a public address")
    assert not server.requests
