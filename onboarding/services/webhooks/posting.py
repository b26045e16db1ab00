"""Posting: signed HTTP requests with an event to a webhook, and their outcome."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import standardwebhooks
from django.conf import settings

from foundation.outbound import http_client
from foundation.outbound.http_client import AddressRefused, KeptConnection, RequestFailed
from foundation.outbound.retry_after import read_retry_after
from foundation.tracing import spans
from onboarding.models import Publication, Webhook
from onboarding.validators import visible

ANSWER_BYTES = 2048  # of the response body that are stored
GONE = 410
LONGEST_WAIT = timedelta(hours=24)  # by Retry-After
REDIRECTED = "redirects are not followed"


@dataclass(frozen=True)
class Outcome:
    """The outcome of a POST.

    Shape: without a response `status_code` is None and `fault` has the reason; a redirect has a
    `fault`, too. `answer` is the beginning of the body as printable text, `retry_after` the delay
    that the receiver asks for.
    """

    status_code: int | None = None
    answer: str = ""
    fault: str = ""
    duration_ms: int = 0
    retry_after: timedelta | None = None

    @property
    def is_success(self) -> bool:
        """Return whether the receiver accepted the event."""
        return self.status_code is not None and 200 <= self.status_code < 300

    @property
    def kind(self) -> str:
        """Return `delivered`, `refused` or, without a response, `unreachable`, for the metrics."""
        if self.status_code is None:
            return "unreachable"
        return "delivered" if self.is_success else "refused"

    @property
    def is_gone(self) -> bool:
        """Return whether the receiver asks for no more events, by 410 Gone."""
        return self.status_code == GONE


def sign(message_id: str, timestamp: datetime, body: str, secrets: Iterable[str]) -> str:
    """Return the value of `webhook-signature`: a signature per secret, the newest secret first.

    Source: Standard Webhooks 1.0.
    """
    in_utc = timestamp.astimezone(UTC)  # the package ignores the time zone
    return " ".join(
        standardwebhooks.Webhook(secret).sign(message_id, in_utc, body) for secret in secrets
    )


def post(
    webhook: Webhook, publication: Publication, *, at: datetime, kept: KeptConnection | None = None
) -> Outcome:
    """Send a publication to a webhook and return the outcome, without saving it.

    Over a `kept` connection it may arrive twice; receivers recognize it by `webhook-id`.
    """
    with spans.span(
        "webhook POST", kind="CLIENT", parent=publication.traceparent, event__type=publication.type
    ) as span:
        outcome = _send(webhook, publication, span.traceparent, at=at, kept=kept)
        span.set(http__response__status_code=outcome.status_code, delivered=outcome.is_success)
    return outcome


def _send(
    webhook: Webhook,
    publication: Publication,
    traceparent: str | None,
    *,
    at: datetime,
    kept: KeptConnection | None,
) -> Outcome:
    try:
        answer = http_client.send_request(
            "POST",
            webhook.server_url,
            headers=_headers(webhook, publication, traceparent, at),
            body=publication.body.encode(),
            connect_seconds=settings.WEBHOOK_CONNECT_SECONDS,
            seconds=settings.WEBHOOK_SECONDS,
            max_bytes=ANSWER_BYTES,
            allow_loopback=settings.ALLOW_LOOPBACK,
            reads_all=False,
            kept=kept,
        )
    except AddressRefused as refused:
        return Outcome(fault=str(refused))
    except RequestFailed as failed:
        return Outcome(fault=failed.reason, duration_ms=failed.duration_ms)
    return Outcome(
        status_code=answer.status,
        answer=visible(answer.content.decode("utf-8", "replace")),
        fault=REDIRECTED if 300 <= answer.status < 400 else "",
        duration_ms=answer.duration_ms,
        retry_after=read_retry_after(answer.status, answer.headers, at=at, longest=LONGEST_WAIT),
    )


def _headers(
    webhook: Webhook, publication: Publication, traceparent: str | None, at: datetime
) -> dict[str, str]:
    secrets = [webhook.signing_secret]
    if webhook.previous_expires_at and webhook.previous_expires_at > at:
        secrets.append(webhook.previous_secret)
    cause = {"X-Request-Id": publication.request_id, "traceparent": traceparent}
    return {
        "Authorization": f"Bearer {webhook.token}",
        "Content-Type": "application/json",
        "webhook-id": publication.message_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": sign(publication.message_id, at, publication.body, secrets),
        **{name: text for name, text in cause.items() if text},
    }
