"""Verification providers for tests: their accounts, answers and signed callbacks."""

import json
from datetime import UTC, datetime

from foundation.verification.https_provider import sign

SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
ALL = ("IDENTITY", "REGISTRY", "ADDRESS")


def account(url, name="idcheck", *, kinds=("IDENTITY",), **values):
    return {
        "name": name,
        "adapter": "https",
        "url": url.rstrip("/"),
        "token": "test-token",
        "secret": SECRET,
        "kinds": kinds,
        **values,
    }


def http(status=200, body=b"", *headers):
    """Return the bytes of an HTTP answer."""
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def result_of(request_id, outcome="PASS", *, reference="ref-1", **values):
    """Return an answer of the generic contract."""
    return {
        "version": "1",
        "requestId": request_id,
        "outcome": outcome,
        "reference": reference,
        **values,
    }


def signed(body, *, at, message_id="msg-1", secret=SECRET):
    """Return the headers and the content of a callback."""
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent_at = str(int(at.timestamp()))
    headers = {
        "webhook-id": message_id,
        "webhook-timestamp": sent_at,
        "webhook-signature": sign(secret, message_id, sent_at, content),
    }
    return headers, content


def now():
    return datetime.now(UTC)
